"""What every answer tells the browser: nothing from elsewhere, nothing inside another page, nothing kept."""

from aiohttp import web

_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    # The terminal in the page (xterm.js) writes its measurements into style elements of its own.
    "style-src": "'self' 'unsafe-inline'",
    "font-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}
HEADERS = {
    "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in _POLICY.items()),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # The first address carries the token: it must not travel on to a source that is opened from a plan.
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}


async def guard(request: web.Request, response: web.StreamResponse) -> None:
    """Put the headers on an answer about to be sent, files and errors among them."""
    response.headers.update(HEADERS)
    response.headers.setdefault("Cache-Control", "no-cache" if request.path.startswith("/static/") else "no-store")
    response.headers.pop("Server", None)
    if not isinstance(response, web.WebSocketResponse):
        response.force_close()  # a request each: the time for it is counted from the beginning of its connection
