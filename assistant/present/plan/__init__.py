"""A plan in words, a module per section. A section gives blocks, and none where the plan has nothing to say; the
report, its short form, the conversation's answers and the panels of the screen put the same ones together."""
