"""``weft``, and ``python -m assistant``, which is the same program."""

import sys


def main() -> None:
    """Run a command; also while its parts are still being loaded Ctrl+C is an answer of one line."""
    try:
        from assistant.cli import main as run

        run()
    except KeyboardInterrupt:
        print("weft: stopped", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
