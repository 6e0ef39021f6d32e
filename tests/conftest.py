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


def _sampled(rows, every, of=None, always=None, first=0):
    """One row of ``every`` from the ``first`` on, the first of each kind that ``of`` names, and those that are
    ``always`` tried."""
    kinds, kept = set(), []
    for at, row in enumerate(rows):
        kind = of(row) if of else None
        new = of is not None and kind not in kinds
        kinds.add(kind)
        if at % every == first % every or new or (always and always(row)):
            kept.append(row)
    return kept


@pytest.fixture(scope="session")
def some(request):
    """``some(rows, every)``: the rows a test tries, one of ``every``; with ``--whole`` all of them. ``of``: what kind a
    row is, of each of which one is tried; ``always``: whether it is tried in any case."""
    whole = request.config.getoption("whole")
    return lambda rows, every, **which: list(rows) if whole else _sampled(rows, every, **which)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is imported and listed stays until the end: to look for garbage in it is time lost, now and later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        "sampled(every, of=None, always=None, first=0): of the cases of a table one of so many; --whole tries them all",
    )


def pytest_collection_modifyitems(config, items):
    """Files keep their order but for those that two processes should begin with; of long tables some cases are tried,
    unless somebody names a test."""
    order = {f"test_{name}.py": at for at, name in enumerate(_FIRST)}
    items.sort(key=lambda item: order.get(item.path.name, len(order)))
    if config.getoption("whole") or any("::" in named for named in config.args):
        return
    tables = {}
    for item in items:
        if mark := item.get_closest_marker("sampled"):
            tables.setdefault((item.path, item.originalname), (mark, []))[1].append(item)
    left = set()
    for mark, cases in tables.values():
        left.update(set(cases) - set(_cases(mark, cases)))
    if left:
        config.hook.pytest_deselected(items=list(left))
        items[:] = [item for item in items if item not in left]


def _cases(mark, cases):
    """``of`` and ``always`` are told the parameters of a case."""
    asked = {
        name: (lambda item, which=which: which(**item.callspec.params)) if callable(which) else which
        for name, which in mark.kwargs.items()
    }
    return _sampled(cases, *mark.args, **asked)


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
