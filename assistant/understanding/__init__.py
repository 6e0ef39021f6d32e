"""What people type, understood: text in, one immutable :class:`~assistant.vocabulary.utterance.Utterance` out.

Pure stages: ``text`` (the project's only cleaner and speller) → ``numbers``, ``quantities``, ``names``, ``networks``
(spans) → ``scopes`` → ``attach`` with ``counting`` and ``changes`` → ``acts`` → ``topics``. Wordings are data in
``knowledge/language/``.
"""

from .listener import Listener

__all__ = ["Listener"]
