"""Names and commands are completed while they are typed, on the screen and line by line."""

from __future__ import annotations

import pytest

pytest.importorskip("textual")

from assistant.conversation import Conversation
from assistant.conversation.completing import Completer
from assistant.conversation.events import Failure
from assistant.library import Library
from assistant.understanding import Listener
from tests.at_the_screen import JOB, NARROW, at_the_screen, on_screen


@pytest.fixture(scope="module")
def completer(library):
    return Completer(library)


@pytest.mark.parametrize(
    ("typed", "rest"),
    [
        ("pretrain llama 3.1 7", "0B"),
        ("on 64 h200-s", "xm"),
        ("at Lam", "bda"),
        ("we have InfiniBand N", "DR 400 Gb/s"),
        ("we train for two weeks", ""),
        ("at ", ""),
        ("/unde", ""),
        ("/warn", "ings"),
        ("/save h", "tml"),
    ],
)
def test_what_is_missing_of_a_name_or_a_command_is_known(completer, typed, rest):
    assert completer.rest(typed) == rest


def test_a_name_of_the_users_own_catalog_is_completed(tmp_path, library):
    own = tmp_path / "own.yaml"
    own.write_text("providers:\n  basement:\n    name: Basement Cloud\n    offers: []\n")
    theirs = Library(library.rules_folder, library.knowledge_folder, user_catalog=own)
    assert Completer(theirs).rest("at Basem") == "ent Cloud"


def test_completed_names_are_understood(completer, library, some):
    listener = Listener.of(library.language, library.catalog)
    kinds = {"model": library.catalog.models, "gpu": library.catalog.gpus, "provider": library.catalog.providers}
    for kind, entries in kinds.items():
        for entry in some(list(entries.values()), 8):
            heard = listener.hear(f"we use {entry.name}")
            assert entry.id in heard.named(kind) or heard.doubts, (entry.name, heard.named(kind))


def test_a_command_says_what_it_stands_for(begin):
    talk = begin()
    talk.start()
    talk.say(JOB)
    assert talk.say("/facts")[0].items[0].startswith("workload: pretraining")
    assert talk.say("/what-if 32 GPUs")[0].kind == "variation"
    assert talk.say("/drop")[0].text.startswith("No longer tried")
    assert talk.say("/copy yaml")[0].text.startswith("workload: pretraining")
    assert talk.say("/undo")[0].text.startswith("Taken back")


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("/nothing", "Which command? /help /plan"),
        ("/co", "Which command? /compare /copy /colours"),
        ("/what-if", "/what-if needs what to try, as in /what-if 128 GPUs."),
        ("/save pdf", "/save takes md, html, json, yaml, text; got pdf."),
        ("/resume", "weft chat --list"),
    ],
)
def test_a_command_that_is_none_is_answered_with_what_there_is(begin, typed, told):
    talk = begin()
    talk.start()
    assert told in next(event.text for event in talk.say(typed) if isinstance(event, Failure))


@on_screen
async def test_on_the_screen_commands_are_listed_chosen_and_completed(library):
    async with at_the_screen(lambda: Conversation(library), size=NARROW) as user:
        prompt = user.talk.prompt
        await user.types("/co")
        assert "/compare" in user.sees() and "to the clipboard" in user.sees() and not user.talk.question_view.display
        await user.hits("down", "tab")
        assert prompt.text == "/copy " and "/copy yaml" in user.sees()
        await user.hits("escape")
        assert prompt.text == "" and user.talk.question_view.display and "What will the cluster do?" in user.sees()
        await user.types("/fac")
        await user.press("enter")
        assert "So far I know nothing about the job." in user.sees()
        await user.types("/colours")
        await user.hits("enter")
        assert user.app.theme == "weft-light" and prompt.text == ""


@on_screen
async def test_on_the_screen_the_rest_of_a_name_is_taken_with_a_key(library):
    async with at_the_screen(lambda: Conversation(library)) as user:
        await user.types("pretrain llama 3.1 7")
        assert "llama 3.1 70B" in user.sees() and user.talk.prompt.text.endswith("3.1 7")
        await user.hits("tab")
        await user.types(" on 64 h200-s")
        await user.hits("right")
        assert user.talk.prompt.text == "pretrain llama 3.1 70B on 64 h200-sxm"
