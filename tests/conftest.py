"""What all tests share: a cache and a home of their own, so that a test never reads or writes the user's."""

from __future__ import annotations

import atexit
import gc
import os
import pathlib
import shutil
import signal
import tempfile


def _folder_of_this_run() -> pathlib.Path:
    """A new folder, which goes when this process ends."""
    folder, owner = pathlib.Path(tempfile.mkdtemp(prefix="weft-tests-")), os.getpid()

    def gone() -> None:
        if os.getpid() == owner:  # a forked process may end while this one still needs it
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(gone)
    return folder


# A shell that starts the tests in the background has them ignore Ctrl+C, and so would every program that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Set before anything of the project is imported; kept between tests of one run so that the index is built once.
_OWN = _folder_of_this_run()
os.environ.setdefault("WEFT_CACHE", str(_OWN / "cache"))
os.environ.setdefault("WEFT_HOME", str(_OWN / "home"))
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # of the programs that tests start the first compiles, as at a user's
if (
    "PYTEST_XDIST_WORKER" in os.environ
):  # a process per core: a second thread of one would only take turns with the other
    os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest

import assistant

gc.set_threshold(*assistant.GARBAGE)  # as the program does

# The longest first, so that two processes end together. One builds the search index, at the start of the first file,
# while the other needs none in the second.
_FIRST = """
answers interview transcripts web_visitors screen_panels web_browser user_documents understanding screen screen_life
accuracy_page calibrate architecture calibration_of_the_model conversation_anything screen_transcripts
conversation_figures conversation_about_the_plan screen_looks renting plan conversation batch plan_first
reading_a_plan program collectives_accuracy retrieval user_catalog freshness
""".split()


def pytest_addoption(parser):
    parser.addoption("--whole", action="store_true", help="what is sampled is tried whole: some minutes more")


@pytest.fixture(scope="session")
def some(request):
    """``some(rows, every)``: the rows a test tries, one of ``every``; with ``--whole`` all of them."""
    return lambda rows, every: rows if request.config.getoption("whole") else rows[::every]


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is imported and listed stays until the end: to look for garbage in it is time lost, now and later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items):
    """Files keep their order but for those that two processes should begin with."""
    order = {f"test_{name}.py": at for at, name in enumerate(_FIRST)}
    items.sort(key=lambda item: order.get(item.path.name, len(order)))


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
