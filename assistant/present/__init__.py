"""A plan or an answer for people: one report, rendered as plain text, in colour, as Markdown or as HTML."""
