"""One turn: what was heard, what kind of act it is, and the events it brings about."""
