"""Efficiency factors from a user's own measured runs: ``weft calibrate``."""

from .profile import calibrate, profile_text

__all__ = ["calibrate", "profile_text"]
