"""``python -m assistant`` is the same program as ``weft``."""

from assistant.cli import main

if __name__ == "__main__":
    main()
