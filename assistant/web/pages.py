"""The pages a visitor sees: the conversation, and one short page for everything that stands in its way."""

import html
from pathlib import Path
from string import Template

from aiohttp import web

FOLDER = Path(__file__).with_name("page")
_SHORT = Template((FOLDER / "short.html").read_text(encoding="utf-8"))


def conversation() -> web.Response:
    """The page around the terminal."""
    return web.Response(text=(FOLDER / "conversation.html").read_text(encoding="utf-8"), content_type="text/html")


def short(status: int, title: str, text: str, head: str = "") -> web.Response:
    """One heading and one paragraph; ``head`` is markup of our own for the head of the page."""
    page = _SHORT.substitute(title=html.escape(title), text=html.escape(text), head=head)
    return web.Response(status=status, text=page, content_type="text/html")


def entered() -> web.Response:
    """After the right token: on to the conversation, at an address without it.

    A page that leads on, and not a redirect: when the link was opened from another site, a browser withholds a
    ``SameSite=Strict`` cookie also from what a redirect leads to.
    """
    return short(200, "Come in", "The conversation opens at once.", '<meta http-equiv="refresh" content="0; url=./">')


def token_needed(wrong: bool) -> web.Response:
    """The door."""
    title = "This token is not the right one" if wrong else "A token is needed"
    where = "Open the address with ?token=… that was printed where this server was started"
    return short(
        403, title, f"{where}; it is needed once in each browser, and again after the server was started anew."
    )


def full(places: int) -> str:
    """Every place is taken, in one sentence: said over the connection, so that who comes back to an own place is let
    in."""
    held = "1 conversation is" if places == 1 else f"{places} conversations are"
    return f"{held} being held, and no more at once are allowed here."


def not_for_this_name() -> web.Response:
    """The address names another machine."""
    why = "Without a token this server answers only to localhost and 127.0.0.1."
    return short(421, "Not under this name", f"{why} To reach it through another name, start it with --token auto.")
