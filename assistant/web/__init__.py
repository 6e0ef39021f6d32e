"""The same conversation in a browser: a process for each visitor, behind a door that lets in whom it should."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .server import Settings


def serve(settings: Settings) -> None:
    """Serve until Ctrl+C. Raises :class:`InputError` when the address cannot be used."""
    import asyncio

    from .server import run

    asyncio.run(run(settings))
