"""Who may come in: the token, the cookie that stands for it, and requests that another site has made a browser send."""

import hmac
import ipaddress
import re
import secrets
from urllib.parse import urlsplit

from assistant.vocabulary.errors import InputError, Place

_SHORTEST_TOKEN = 16
_TOKEN = re.compile(rf"[A-Za-z0-9._~-]{{{_SHORTEST_TOKEN},256}}")


def token_for(given: str | None, *, loopback: bool) -> str | None:
    """The token to ask for: the one given, a new one for ``auto`` or when others can connect, else none.

    Raises :class:`InputError` for one that is easily guessed or would not survive in an address.
    """
    if given is None and loopback:
        return None
    if given in (None, "auto"):
        return secrets.token_urlsafe(24)
    if not _TOKEN.fullmatch(given):
        raise InputError(
            f"expected auto, or at least {_SHORTEST_TOKEN} letters, digits or . _ ~ - that nobody can guess "
            f"(the token itself is not repeated here)",
            Place(field="--token"),
        )
    return given


class Access:
    """The token of one run of the server. The cookie is a secret of its own: it ends with the server, and tells no
    token."""

    def __init__(self, token: str | None, port: int) -> None:
        # Browsers share cookies between the ports of a machine.
        self.cookie = f"weft-{port}"
        self.pass_word = secrets.token_urlsafe(32)
        self._token = token

    @property
    def asks_for_token(self) -> bool:
        """Whether a token is needed at all."""
        return self._token is not None

    def opens(self, token: str) -> bool:
        """Whether this is the token, in a time that does not tell how much of it is right."""
        return self._token is not None and _same(token, self._token)

    def knows(self, cookie: str | None) -> bool:
        """Whether the visitor has shown the token before, or none is needed."""
        return self._token is None or (cookie is not None and _same(cookie, self.pass_word))

    def serves(self, host: str) -> bool:
        """Whether a request to this ``Host`` is meant for us.

        Without a token the name must be one of this machine: a foreign site can let its own name point here (DNS
        rebinding) and would then pass for the same origin. With a token it lacks the cookie, and any name will do.
        """
        return self.asks_for_token or _is_this_machine(host)


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


def _is_this_machine(host: str) -> bool:
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def same_origin(origin: str | None, host: str) -> bool:
    """Whether the page that opens a connection came from here: a browser always names it, and no page can forge it."""
    if origin is None:
        return False
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()
