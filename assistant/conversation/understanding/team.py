"""Who runs the network: nobody, somebody, experts."""

from __future__ import annotations

import re

from .reading import Reading
from .technologies import TECHNOLOGY

_STAFF = (
    r"(?:net[\s\-]?ops|(?:network(?:ing)?|infiniband|infra(?:structure)?|rdma|ib|roce|fabric|hpc)[\s\-](?:team|crew|group|department|"
    r"folks|guys|pros?|wizards?|gurus?|veterans?|background|know-?how|engineers?|staff|people|person|guy|"
    r"expertise|experts?|skills?|knowledge|experience|specialists?|admins?|ops)\b)"
)
_FOR_THE_NETWORK = re.compile(
    r"(?P<n>\b\w+(?:n't have)?)\s(?:anyone|anybody|someone|somebody|nobody|experts?|specialists?|professionals?|"
    r"people|persons?|engineers?|guys?|folks|admins?|colleagues|employees|staff)\s(?:(?:who\s)?(?:work|are|look|"
    r"care|responsible)\s)*(?:for|on|after|about)\s(?:the\s|our\s)?network\w*\b"
)
_TEAM = re.compile(
    rf"(?:(?:a|an|our|the|have|any|zero|one|some|own|dedicated|in-house|small|strong|experienced|expert|good|great|"
    rf"seasoned|big|full|single|couple of|few)\s)*{_STAFF}"
    rf"(?:\s(?:team|in[\s\-]house|on staff))?(?:\s(?:is|are)\s(?:very\s|really\s)?(?:experts?|experienced|good|"
    rf"strong|great|seasoned))?|network[_\s]team\s?[=:]\s?(?:none|some|expert)"
)
_SKILLED = re.compile(
    r"(?:\w+ )?years of (?:\w+ )?(?:network\w*|infiniband|rdma|roce|switch\w*) (?:experience|expertise|operations?|"
    r"practice|work|behind \w+|under \w+ belts?)|"
    r"(?:very |really |quite |pretty )?(?:good|great|experienced|strong|fluent|expert|skilled|at home) (?:at|in|"
    r"with) (?:rdma|network\w*|infiniband|"
    r"roce|switch\w*)(?:\s(?:and|or) \w+)?"
)
_NOBODY = re.compile(
    r"\b(?:our|the|my) (?:it|team|people|admins?|staff|ops|engineers?|department)(?: \w+)? (?:has|have) never (?:seen|"
    r"touched|used|run|configured|operated|worked with)\b[^.;,]{0,30}\b(?:network\w*|rdma|"
    r"infiniband|roce|fabrics?|switch\w*|pfc|ecn|dcqcn|bgp|vlans?)\b|\b(?:nobody|no one|no-one|none of us)\b(?! (?:\w+ )?(?:wants?|likes?|needs?|"
    r"uses?|sells?|asked|offers?|believes?|trusts?)\b)[^.;,]{0,40}\b(?:network\w*|rdma|infiniband|roce|fabrics?|"
    r"switch\w*|pfc|ecn|dcqcn|bgp|vlans?)\b"
)
_SOMEBODY = re.compile(
    r"(?:\w+\s)?(?:people|persons?|guys?|folks?|colleagues?|engineers?|someone|somebody|(?:sys)?admins?|ops|crew|"
    r"one)\s(?:here\s)?(?:(?:who|that)\s)?"
    r"(?:really\s|can\s)?(?:knows?|understands?|does|do|tunes?|runs?|ran|has run|have run|manages?)\s(?:some\s|"
    r"a bit of\s|how to \w+\s|our\s|"
    r"the\s)?(?:network\w*|infiniband|rdma|roce|switch\w*)(?P<well>\s(?:inside out|for years|very well|in depth|"
    r"deeply))?(?:\s(?:quite\s|pretty\s)?well|\sa (?:bit|little))?"
)

_TOPIC = (
    r"(?:net[\s\-]?works?\b|networking\b|net[\s\-]?ops\b|infini-?band\b|\bib\b|rdma\b|roce\b|\bswitch(?:es|ing)?\b|fabrics?\b|"
    r"interconnects?\b|leaf[\s\-]spine\b|bgp\b|vlans?\b|pfc\b|nccl\b|cabling\b|cables?\b|ethernet(?= (?:basics|experience|skills?|knowledge|admins?|guys?|people|"
    r"engineers?|well|inside)\b))"
)
_PEOPLE = (
    r"\b(?:people|persons?|guys?|folks?|colleagues?|engineers?|someone|somebody|(?:sys)?admins?|ops|netops|crew|staff|team|ccies?|"
    r"ccnps?|sres?|devops|"
    r"department|experts?|specialists?|technicians?|contractor|consultant|"
    r"anyone|anybody|(?:one|two|three|some|most|all|none|few) of us|group|veterans?|student|intern|buddy|cto|hire)\b"
)
_KNOWS = (
    r"\b(?:knows?(?: (?:their|his|her|our) way around)?|knew|understands?|tunes?|tuned|runs?|ran|run|running(?! (?:here|fine|"
    r"smoothly|already)|\W*$)|operates?|operated|"
    r"operating|manages?|managed|maintains?|"
    r"maintained|configures?|configured|handles?|built|build|set up|sets up|"
    r"deployed|experience\w*|familiar|comfortable|fluent|proficient|skilled|versed|trained in|certified|looks? after|takes? care of|live[sd]? (?:and breathed? |and breathes? )?(?:on|with|in)|breathes?|"
    r"responsible for|in charge of|touched|worked with|dealt with|debug\w*|does|do)\b"
)
_SKILL = r"\b(?:expertise|experience|skills?|knowledge|know-?how|background|strength|strong suit|forte|thing|competence|understanding)\b"
_WE_KNOW = (
    rf"\b(?:we|i)(?:'re|'m|'ve)?\s(?:\w+\s){{0,3}}?(?:knows?|understand|familiar|comfortable|good|great|experts?|fluent|proficient|"
    rf"at home|versed|skilled|experienced|newbies|beginners|novices|new)\b(?=[^.;]{{0,30}}{_TOPIC})"
)
_ABOUT_SKILL = re.compile(
    rf"(?=[^.;]*{_TOPIC})(?:[^.;]*?{_PEOPLE}[^.;]*?{_KNOWS}|[^.;]*?{_KNOWS}[^.;]*?{_PEOPLE}|[^.;]*?(?:{_SKILL})|"
    rf"[^.;]*?{_WE_KNOW})"
)
_NONE = re.compile(
    r"\b(?:nobody|no one|no-one|none|no|zero|lacks?|lacking|without|never|not|nothing|\w+n't|(?<!a )little|barely|hardly|"
    r"newbies?|beginners?|novices?|new to)\b"
)
_EXPERT = re.compile(
    r"\b(?:experts?|experienced|seasoned|veterans?|specialists?|dedicated|strong|great|deep(?:ly)?|years|decades?|"
    r"every day|daily|for a living|routinely|ccies?|"
    r"inside out|very well|ccie|certified|skilled|good at|professionals?|senior|"
    r"world-class|in production|fluent|proficient|gurus?|wizards?|excellent|extensive|solid|long)\b"
)
# What the network is to them, when nothing says who: a mystery, or what they do best.
_STRANGE = re.compile(
    rf"(?:(?:the )?{_TOPIC}(?: \w+)?|(?:anything|everything|all things|whatever) (?:about |to do with |"
    rf"with )?(?:the )?{_TOPIC})\s(?:stuff |side |part )?(?:is|are|was|remains?|feels? like)\s"
    r"(?:(?:a|an|all|pretty much|just|mostly|basically|kind of|completely|totally|still|really|quite|like)\s)*"
    r"(?:mystery|black (?:box|magic|art)|closed book|greek|chinese|rocket science|voodoo|magic|foreign|alien|new|unknown|uncharted|scary|"
    r"gibberish|terra incognita|beyond|over|"
    r"outside|not (?:our|my|their) (?:thing|strength|forte|field|area|world))\b(?: (?:territory|language|ground|land|science))?(?: (?:to|"
    r"for|of|beyond|over)?\s?(?:us|me|them|him|her|our (?:\w+ )?heads?|everyone|"
    r"everybody|most|the team|our \w+))?"
)
_CLUELESS = re.compile(
    rf"\b(?:we|i|they|he|she|our \w+|(?:the|my) team|people here)\b[^.;,]{{0,12}}\s(?:have|has|got|had)(?: \w+)? (?:no|zero|little|"
    rf"not the slightest) (?:clue|idea|notion|grasp) "
    rf"(?:about|of|how to \w+|when it comes to) (?:the )?(?:networking|switch\w*|rdma|nccl|cabling|{_TOPIC}(?= (?:stuff|things|work|"
    rf"config\w*)))"
)
_HANDS_OFF = re.compile(
    r"\b(?:we|i|they)(?:'re| are| am|'m)? ?(?:(?:don't|do not|never|can't|cannot|won't) (?:really |actually |"
    r"even )?(?:do|know|understand|touch|speak|grasp|get)|not (?:really )?(?:into|"
    r"good at|familiar with|comfortable with|used to(?: \w+ing)?)) (?:the |any |much |about )*(?:networking|switch(?:es|ing)|rdma|nccl|"
    r"cabling|cables|netops|network(?:s|ing)? (?:stuff|things|config\w*))\b"
)
_LONG_AT_IT = re.compile(
    rf"\b(?:we|i|they)(?:'ve| have|'re| are|'m| am)? (?:all )?(?:been )?(?:run|ran|operat\w+|maintain\w*|manag\w+|administ\w+|tun\w+|"
    rf"build\w*|built|deploy\w*|work\w* with|running|doing|do) (?:(?:the|our|all|these|those|such) )*"
    rf"{_TOPIC}[^.;]{{0,30}}?\b(?:for|since)\b[^.;]{{0,16}}?\b(?:years?|decades?|ages|(?:19|20)\d\d)\b(?: now)?"
)
# "The team is used to running RoCE", "they run a large RoCE shop": what they do every day, not what will be bought.
_EVERY_DAY = re.compile(
    rf"\b(?:we|i|they|who|he|she|(?:our|the|my) (?:\w+ )?(?:team|crew|guys?|people|folks|admins?|engineers?|staff|ops|department))(?:"
    rf"(?:'re|'m|'s| are| is| am| have been)(?: (?!not\b)\w+)? (?:used|accustomed) to(?: \w+ing)?(?: with)?(?: (?:the|our|a|an|large|big))* {_TOPIC}|"
    rf" (?:runs?|operates?|manages?) (?:an? |the |our )?(?:\w+ )?{_TOPIC} (?:shop|estate|fleet|farm|site)\b)"
)
_AT_HOME = re.compile(
    rf"(?:(?:the )?{_TOPIC})\s(?:is|are)\s(?:(?:all|really|just|basically|exactly|pretty much|our|my|their)\s)*(?:second nature|"
    rf"bread and butter|what (?:we|they|i) do|our (?:strength|forte|speciality|specialty|core \w+|"
    r"home turf|thing)|their (?:strength|forte|thing)|daily business|no problem for (?:us|them))\b(?: (?:to|for) \w+)?"
)
_ABSTRACT = re.compile(r"\b(?:network(?:ing|s)?|rdma|switch(?:es|ing)?|cabling|nccl|net[\s\-]?ops)\b")
_CERTIFIED = re.compile(
    r"(?:(?:\w+\s){0,2})?(?:ccies?|ccdes?|jncies?|(?:network(?:ing)?|rdma|infiniband|nvidia|cisco|arista|juniper|"
    r"mellanox)[\s\-]certified (?:\w+))\b"
    r"(?:\s(?:on|in) (?:the |our )?(?:payroll|staff|team|house))?"
)
_LISTED_AS_NONE = re.compile(r"\s?[:=\-]\s?(?:none|nobody|no ?one|zero|0|nil|no)\b")
_PRAISED = re.compile(
    r"\s(?:is|are|has been|have been)\s(?:\w+\s)?(?:excellent|outstanding|superb|top|first-class|brilliant|very \w+|"
    r"skilled|capable|competent|solid|world[\s-]class|fantastic|senior|the best|certified)\b"
)
_CLAUSES = re.compile(
    r"(?:(?!(?<!nobody)(?<!no one)(?<!nothing)(?<!anything)\s(?:but|although|though|however)\b)[^.;,!?\n])+"
)


def read_team(reading: Reading) -> None:
    """Sets ``constraints.network_team``; a network they are said to run is named, not decided."""
    levels = {
        "none": (_NOBODY, _STRANGE, _CLUELESS, _HANDS_OFF),
        "expert": (_LONG_AT_IT, _EVERY_DAY, _AT_HOME, _CERTIFIED),
    }
    for pattern, level in ((pattern, level) for level, patterns in levels.items() for pattern in patterns):
        for match in reading.message.find(pattern):
            reading.set("constraints.network_team", level)
            _take_but_networks(reading, *match.span())
    for match in reading.message.find(_SOMEBODY):
        denial = reading.message.negation(match.start(), match.end())
        reading.set(
            "constraints.network_team",
            "none" if denial else "expert" if match["well"] or _is_long(reading, match) else "some",
        )
        _take_but_networks(reading, denial.start if denial else match.start(), match.end())
    for match in reading.message.find(_SKILLED):
        denial = reading.message.negation(match.start(), match.end())
        reading.set("constraints.network_team", "none" if denial else "expert")
        _take_but_networks(reading, denial.start if denial else match.start(), match.end())
    for match in reading.message.find(_FOR_THE_NETWORK):
        denied = re.search(r"^(?:no|zero|0|not|never|without)$|n't", match["n"]) or "nobody" in match[0]
        reading.set("constraints.network_team", "none" if denied else "expert" if _EXPERT.search(match[0]) else "some")
        reading.message.take_match(match)
    _read_skills(reading)
    for match in reading.message.find(_TEAM):
        _read_team(reading, match)


def _read_skills(reading: Reading) -> None:
    """A clause about what somebody can do with networks, however it is put; how well says the strongest word in it."""
    if "constraints.network_team" in reading.fields or reading.intent not in ("describe", "change", "what-if"):
        return
    for match in reading.message.find(_CLAUSES):
        if not _ABOUT_SKILL.match(match[0]):
            continue
        denied, able = _NONE.search(match[0]), _EXPERT.search(match[0])
        reading.set("constraints.network_team", "none" if denied else "expert" if able else "some")
        reading.spoken_of.append(match.span())
        for words in (_TEAM, re.compile(_PEOPLE), re.compile(_KNOWS), re.compile(_SKILL), _NONE, _EXPERT, _ABSTRACT):
            for word in words.finditer(match[0]):
                reading.message.take(match.start() + word.start(), match.start() + word.end())


def _is_long(reading: Reading, match: re.Match[str]) -> bool:
    """Whether they have done it for years, as the clause goes on to say."""
    clause = match[0] + re.split(r"[.;,]", reading.message.text[match.end() :])[0]
    return re.search(r"\b(?:decades?|for (?:\w+ )?years|since (?:19|20)\d\d)\b", clause) is not None


def _take_but_networks(reading: Reading, start: int, end: int) -> None:
    """Take ``start:end``, but leave the networks in it to be named."""
    reading.spoken_of.append((start, end))
    for network in TECHNOLOGY.finditer(reading.message.text, start, end):
        reading.message.take(start, network.start())
        start = network.end()
    reading.message.take(start, end)


def _read_team(reading: Reading, match: re.Match[str]) -> None:
    denial = reading.message.negation(match.start(), match.end())
    text = match[0]
    if (
        denial
        or reading.fields.get("constraints.network_team") == "none"
        or re.search(r"[=:]\s?none|\bzero\b", text)
        or _LISTED_AS_NONE.match(reading.message.text, match.end())
    ):
        level = "none"
    elif _is_long(reading, match):
        level = "expert"
    elif _PRAISED.match(reading.message.text, match.end()):
        level = "expert"
    elif re.search(
        r"expert|veteran|guru|wizard|ccie|experienced|seasoned|dedicated|strong|great|(?:very|really) good|specialist|[=:]\s?expert",
        text,
    ):
        level = "expert"
    else:
        level = "some"
    reading.set("constraints.network_team", level)
    _take_but_networks(reading, denial.start if denial else match.start(), denial.end if denial else match.end())
