"""Conversations as documents a person likes to read, saved as they go, replayed as tests."""
