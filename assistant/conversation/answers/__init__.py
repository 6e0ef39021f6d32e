"""Answers to what is asked of a plan: which question it is, and the sections of the plan that answer it."""
