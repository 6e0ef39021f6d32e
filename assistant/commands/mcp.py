"""``weft mcp``: the server for a person's own assistant."""


def mcp() -> None:
    """Serve the Model Context Protocol on standard input and output: your own assistant asks, Weft computes.

    weft handbook mcp shows how an assistant is told of it, and a whole session. Needs the extra [mcp].
    """
    from assistant.mcp import serve

    serve()
