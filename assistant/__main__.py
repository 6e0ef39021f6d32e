"""``weft``, and ``python -m assistant``, which is the same program."""

import sys


def main() -> None:
    """Run a command; also while its parts are still being loaded Ctrl+C is an answer of one line."""
    try:
        from assistant.cli import main as run

        run()
    except SystemExit:
        raise
    except BaseException as error:
        if not _interrupted(error):
            raise
        print("weft: stopped", file=sys.stderr)
        sys.exit(1)


def _interrupted(error: BaseException | None) -> bool:
    """Whether it is Ctrl+C, or comes of it: before Python 3.12 one while a class is made is another error."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


if __name__ == "__main__":
    main()
