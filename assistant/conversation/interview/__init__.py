"""What to ask next: the questions of ``knowledge/interview.yaml``, what people are likely to answer, what an answer is
worth."""
