"""How much is told where: in the whole report, in the report in short, in the conversation and on the screen."""

MARKS = 2  # sources behind a sentence
REASONS, REASONS_IN_SHORT, REASONS_IN_TALK, REASONS_ON_SCREEN = 10, 3, 5, 8
CANDIDATES_IN_SHORT, CANDIDATES_IN_TALK = 5, 4
# In short: the cheapest, then the cheapest of other networks.
OFFERS_IN_SHORT, CHEAPEST_IN_SHORT, OFFERS_IN_TALK = 4, 2, 4
CROSSING_IN_SHORT = 2  # networks that are slowest for a service, beside the recommended one
KINDS_IN_SHORT = 4  # of GPUs that carry a load
SPLITS = 6  # networks told apart by how the job is split on them
OTHERS = 4  # networks whose figure stands beside that of the one asked about
FLIPS_IN_SUMMARY = 2
WARNINGS_IN_SHORT = 3
WARNINGS_IN_TALK = 2  # new ones, said by themselves
NAMES = 4  # fabrics that became possible or impossible
PASSAGES, PASSAGES_NEAR = 3, 3  # those beneath an answer, and the nearest where there is none
SIDES = 4  # of a disagreement, and fabrics that nothing helps
FACTS, CLAIMS, CLAIMS_IN_TALK = 6, 3, 2  # beneath a conclusion of the proof
OUTCOMES = 4  # of a question that could change the answer
