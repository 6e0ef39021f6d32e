"""What is said to the conversation itself: back, not sure, keep it, show the plan."""

from __future__ import annotations

import re

_COMMANDS = {
    "back": r"(?:/?back|(?:go|step) back|previous(?: question)?|(?:the )?(?:question|one) before|zurück)",
    "redo": r"/?redo",
    "restart": r"(?:/?restart|start over|/?reset|start (?:again|anew)|new (?:plan|conversation)|from the (?:start|beginning))",
    "not-sure": r"(?:not (?:really )?(?:sure|known|decided)(?: yet)?|unsure|(?:i )?(?:don't|do not|"
    r"dont) (?:really )?know(?: yet)?|no idea|no clue|skip(?: (?:it|this|that))?|pass|dunno|"
    r"idk|undecided|(?:it is |it's )?open|unknown|can't say|hard to say|whatever|(?:i )?(?:don't|do not) care|"
    r"no preference|\?\?+|not decided|n/?a|next)",
    "keep": r"(?:/?keep(?: (?:it|that|this|the variation))?|accept(?: (?:it|that|this))?|take (?:it|that|this)|use (?:it|that|"
    r"this)|(?:yes,? )?(?:let's )?(?:go|do) (?:with )?(?:it|that|this)|adopt (?:it|that))",
    "discard": r"(?:/?discard(?: (?:it|that|this))?|drop (?:it|that)|(?:don't|do not) keep it|leave it(?: as it (?:is|was))?|"
    r"no,? (?:keep|leave) (?:it|the plan) as it (?:is|was))",
    "show": r"(?:/?(?:show|print|display|see|give)(?: me)?(?: us)?(?: the| a)?(?: whole| full| complete| entire|"
    r" current)? ?(?:plan|report|recommendation|details?)|/?plan|the (?:whole |full )?plan(?: please)?|details)",
    "plots": r"(?:/?(?:show|print|display|see|give|draw)(?: me)?(?: us)?(?: the| a| some| all)? )?/?(?:plots?|charts?|graphs?|"
    r"diagrams?)(?: (?:it|that|the plan|please))?|draw (?:it|that|the plan)",
    "facts": r"(?:(?:what (?:do you|have you|did you)|show(?: me)? what you) (?:know|understood|understand|have)(?: so far)?|"
    r"(?:what have i|what did i) (?:said|say|tell you|told you)(?: so far)?|summary|/?status|"
    r"(?:show(?: me)? )?(?:the )?(?:questionnaire|answers|facts?)|/facts?)",
    "branches": r"(?:/?(?:show |list )?(?:the )?branches|(?:show |list )?(?:the )?variations)",
    "flips": r"(?:what(?:'s| is| are) the )?(?:break[\s-]?even|tipping)s?(?: points?| price)?|(?:what|when) (?:would|could|will|might) (?:flip|change|tip|overturn|turn|alter) (?:it|this|that|the (?:answer|"
    r"plan|recommendation|result|verdict|choice)|your (?:mind|answer))|what would it take to (?:change|flip).*|"
    r"where (?:would|does|is) .{0,30}(?:flip|tip|turn)\w*|(?:show |list )?(?:the )?(?:flips?|tipping points?|"
    r"break[\s-]?evens?)|how (?:sure|robust|stable|confident|certain) (?:are you|is (?:it|this|that|the (?:plan|"
    r"recommendation|answer)))",
    "conflicts": r"(?:which|what|where|do|are there|show(?: me)?)?.{0,24}\b(?:sources?|papers?|articles?|experts?|"
    r"vendors?)\b.{0,24}\b(?:disagree|contradict|conflict)\w*.*|conflicts",
    "sources": r"(?:(?:show|list|open|what are|which are|give)(?: me)?(?: us)? )?(?:the |your )?(?:sources?|evidence|"
    r"citations?|references?)(?: (?:for (?:this|that|it)|of the plan|behind (?:this|that|it)))?|(?:what|"
    r"which) sources? .{0,30}",
    "assumptions": r"(?:(?:show|list|what are|which are)(?: me)? )?(?:the |your )?assumptions?|what (?:did|do|have) you assumed?",
    "warnings": r"(?:(?:show|list|what are|which are|tell)(?: me)? )?(?:the |your )?(?:warnings?|risks?)|what (?:should|"
    r"must) (?:i|we) (?:watch|know|beware).*|what (?:can|could) go wrong",
    "measure": r"what (?:should|do|can) (?:i|we) measure.*|measure first|(?:which|what) (?:test|benchmark|"
    r"measurement)s? .*first.*",
    "ask-provider": r"what (?:should|do|can) (?:i|we) ask (?:the |my |our )?(?:provider|vendor|cloud|them).*|"
    r"(?:which )?questions (?:for|to) (?:the )?(?:provider|vendor|cloud)",
    "hello": r"(?:hello|hi|hey|hi there|hello there|good (?:morning|afternoon|evening)|moin|hallo|servus|greetings)(?: weft| there| again)?",
    "thanks": r"(?:thanks?(?: you)?(?: (?:a lot|so much|very much|again|weft))?|thx|ty|cheers|merci|danke|great|perfect|nice|cool|awesome|good|"
    r"got it|understood|i see|makes sense|(?:that's |that is )?(?:great|helpful|perfect|all clear|good to know))",
    "quit": r"(?:/?quit|/?exit|bye|goodbye|that's all|that is all|done|we're done|stop|:q)",
}
_PATTERNS = {
    name: re.compile(
        rf"\W*(?:(?:ok(?:ay)?|please|hm+|well|so|and|thanks|thank you|oh|sorry|"
        rf"no)[\s,]+)*(?:{p})\W*(?:please\W*)?",
        re.IGNORECASE,
    )
    for name, p in _COMMANDS.items()
}
_BRANCH = re.compile(r"\W*(?:(?:go|switch|return) (?:back )?to )?(?:branch|variation) (\d+)\W*", re.IGNORECASE)


def command_of(text: str) -> str | None:
    """The command a whole message is, or ``None``: "back" is one, "back to 64 GPUs" is not."""
    text = text.replace("’", "'")
    if len(text) > 120:
        return None
    return next((name for name, pattern in _PATTERNS.items() if pattern.fullmatch(text)), None)


def branch_of(text: str) -> int | None:
    """The number in "branch 2"."""
    match = _BRANCH.fullmatch(text) if len(text) < 60 else None
    return int(match[1]) if match else None
