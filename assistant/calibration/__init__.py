"""Efficiency factors from a user's own measured runs: ``weft calibrate``."""

from __future__ import annotations

from .profile import calibrate, profile_text

__all__ = ["calibrate", "profile_text"]
