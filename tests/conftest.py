"""What all tests share: a cache and a home of their own, so that a test never reads or writes the user's."""

from __future__ import annotations

import os
import pathlib
import tempfile

# Set before anything of the project is imported; kept between tests of one run so that the index is built once.
_OWN = pathlib.Path(tempfile.mkdtemp(prefix="weft-tests-"))
os.environ.setdefault("WEFT_CACHE", str(_OWN / "cache"))
os.environ.setdefault("WEFT_HOME", str(_OWN / "home"))
os.environ["HF_HUB_OFFLINE"] = "1"

import pytest  # noqa: E402


@pytest.fixture(scope="session")
def library():
    """The shipped rules and knowledge."""
    from assistant.library import load

    return load()


@pytest.fixture(scope="session")
def index(library):
    """The search index over the shipped knowledge, built with the real embedding model once per run."""
    from assistant import retrieval

    return retrieval.ready_index(library)


@pytest.fixture
def begin(library):
    """What opens a conversation."""
    from assistant.conversation import Conversation

    return lambda: Conversation(library)
