"""The interview without a screen: words in, events out.

``Conversation`` (:mod:`conversation`) speaks in the events of :mod:`events`; free text is read
by :mod:`assistant.understanding`; :mod:`interview` asks, :mod:`turn` answers, :mod:`transcript` keeps and replays what
was said; :mod:`plain` is the line mode.
"""

from .conversation import Conversation, replay

__all__ = ["Conversation", "replay"]
