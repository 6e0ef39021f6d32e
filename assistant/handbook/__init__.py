"""The parts of the documentation that are made from the program itself, so that they say what it does."""

from .pages import PARTS, audit_page, write

__all__ = ["PARTS", "audit_page", "write"]
