"""German and French as people mix them with the field's English: the words the grammar reads, put into English.

No translator: a message is touched only when its small words show the language, and every letter keeps its place in
what was typed, so that what is not understood comes back in the person's own words.
"""

from __future__ import annotations

import re

_SIGNS = {
    "german": "wir und mit auf für fuer ist nicht haben brauchen wollen möchten moechten möchte eine einen einem einer bei über ueber unser "
    "unsere unseren unserem warum wieso weshalb oder statt nein doch knoten wäre waere wenn hätten haetten nur jeweils mieten "
    "gemietet kaufen gekauft zurück zurueck vergleiche hilfe tagen tage wochen monaten monate stück sollen können auch noch "
    "das der dem den ich können koennen könnten standorte standorten kostet strom je dazwischen bitte rückgängig machen liegt muss fertig dann damit "
    "gpu-stunde welches welche wie warten zwei drei vier fünf sechs acht zehn keine kein keinen niemand modell milliarden millionen pro rechner trainieren angenommen ohne von zwischen insgesamt",
    "french": "nous avec une chez pourquoi entraîner entrainer entraînement entrainement milliards serveurs nœuds noeuds louer louait acheter "
    "chacun jours semaines mois équipe réseau réseaux modèle modele paramètres parametres voulons veut avons disposons notre nos "
    "plutôt plutot sans sur pour et des les est du dans au comparer annuler aide bonjour merci combien supposons location "
    "n'a n'avons n'ai n'y c'est d'équipe d'un d'une l'entraînement s'il qu'on exporte passait passe svp on à fournisseur délai en le la un ou si par il que qui sont",
}
# Small words that English has too: they only count beside another one.
_SHARED = frozenset(
    "nos je den wie on à passe bitte warten das pro doch et des les est du au en le la un ou si par il que qui sur pour location hilfe von mois sans notre aide".split()
)
_NUMBERS = {
    "german": "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "french": "deux trois quatre cinq six sept huit neuf dix onze douze",
}
_ENGLISH_NUMBERS = "two three four five six seven eight nine ten eleven twelve"

# The longer expressions first: what is read by one is not read again by another.
_GERMAN = {
    r"was (?:wäre|waere|ist|passiert|geschieht|würde passieren),? wenn": "what if",
    r"und (?:was,? )?wenn": "and what if",
    r"(?:mal )?angenommen": "suppose",
    r"(?:warum|wieso|weshalb) (?:nicht|kein(?:e[nmrs]?)?)": "why not",
    r"warum|wieso|weshalb": "why",
    r"was spricht gegen": "what speaks against",
    r"vergleich(?:e|en)?": "compare",
    r"(?:mach|mache)(?: das| es)? rückgängig|(?:das |es )?rückgängig(?: machen)?": "undo",
    r"(?:einen schritt )?zurück": "back",
    r"hilfe": "help",
    r"(?:als|in eine) datei (?:speichern|ausgeben)|exportiere[nr]?": "export",
    r"doppelt so viele?": "twice as many",
    r"halb so viele?": "half as many",
    r"an ?statt|statt|anstelle von": "instead of",
    r"von (?:grund auf|null|vorne)": "from scratch",
    r"vor(?:zu)?train(?:ieren|iert|ing)|vortrainings?": "pretrain",
    r"train(?:ieren|iert)": "train",
    r"(?:fein(?:abstimm\w+|tunen|tuning|justier\w+)|finetunen|nachtrain\w+)": "finetune",
    r"(?:für (?:die )?)?inferenz": "inference",
    r"bereit(?:zu)?stellen|ausliefern": "serve",
    r"(?:an)?(?:zu)?mieten|(?:an)?gemietet|miete": "rent",
    r"(?:ein)?(?:zu)?kaufen|gekauft(?:e[nrms]?)?|an(?:zu)?schaffen|angeschafft|beschaffen|erwerben|kauf": "buy",
    r"abgeschrieben(?: wird| werden)?(?: (?:das|die|alles))?|abschreib(?:ung|en)": "amortized",
    r"je(?:weils)?": "each",
    r"pro": "per",
    r"knoten": "nodes",
    r"(?:rechner|maschine)n?": "machines",
    r"(?:grafik)?karten": "cards",
    r"stück": "pieces",
    r"standorten?": "sites",
    r"rechenzentr(?:en|um)": "data centers",
    r"servern": "servers",
    r"(?:netzwerk)(?:team|er|leute)s?": "network team",
    r"netz(?:werk)?(?:e?s)?": "network",
    r"niemand(?:en|em)?": "nobody",
    r"milliarden?": "billion",
    r"billion(?:en)?": "trillion",
    r"millionen?": "million",
    r"tausend": "thousand",
    r"modell(?:s|en|e)?": "model",
    r"parametern?": "parameters",
    r"(?:sequenz|kontext)länge": "sequence length",
    r"kontext": "context",
    r"gpu-stunden?": "gpu-hour",
    r"(?:bis )?spätestens": "at the latest",
    r"frist": "deadline",
    r"innerhalb (?:von|der)|binnen": "within",
    r"fertig": "finished",
    r"muss|müssen": "must",
    r"tag(?:e|en)?": "days",
    r"wochen?": "weeks",
    r"monat(?:e|en)?": "months",
    r"jahr(?:e|en)?": "years",
    r"stunden?": "hours",
    r"strom(?:preis|kosten)?": "electricity",
    r"kostet|kosten": "costs",
    r"höchstens|maximal|nicht mehr als": "at most",
    r"langsamer": "slower",
    r"prozent": "percent",
    r"dollar": "dollars",
    r"etwa|ungefähr|rund|zirka": "about",
    r"insgesamt": "in total",
    r"hersteller(?:unabhängig|neutral)\w*": "vendor neutral",
    r"vorhanden\w*|bestehend\w*": "existing",
    r"anbieter": "provider",
    r"ach nein|nein": "no,",
    r"doch": "actually",
    r"nicht": "not",
    r"kein(?:e[nmrs]?)?": "no",
    r"ohne": "without",
    r"wir": "we",
    r"haben|hat": "have",
    r"hätten|hatten": "had",
    r"wollen|möchten?|vorhaben|haben vor": "want to",
    r"brauchen|benötigen": "need",
    r"und": "and",
    r"oder": "or",
    r"mit": "with",
    r"auf": "on",
    r"bei(?:m)?": "at",
    r"über": "over",
    r"für": "for",
    r"von|vom": "of",
    r"zu|zum|zur": "to",
    r"nur": "only",
    r"ein(?:e[nmrs]?)?": "a",
    r"unser(?:e[nmrs]?)?": "our",
    r"ist|wird": "is",
    r"sind|werden": "are",
    r"d(?:as|er|en|em|es|ie)": "the",
    r"zwischen": "between",
    r"ändere|ändern": "change",
    r"setze": "set",
    r"als": "as",
    r"vor": "",
    r"mio\.": "million",
    r"liegt(?: bei)?": "is",
    r"bitte": "please",
    r"dazwischen": "between them",
    r"können": "can",
    r"könnten": "could",
    r"sollten": "should",
    r"welche[rs]?": "which",
    r"wie ?viele?": "how many",
    r"was": "what",
    r"ich": "i",
    r"es": "it",
}
_FRENCH = {
    r"et si": "what if",
    r"que se (?:passe|passerait)(?:-t)?(?:-il)? si": "what if",
    r"supposons(?: que)?": "suppose",
    r"pourquoi pas": "why not",
    r"pourquoi": "why",
    r"compare[rz]": "compare",
    r"annule[rz]?": "undo",
    r"(?:à l')?aide": "help",
    r"exporte[rz]?": "export",
    r"deux fois plus de": "twice as many",
    r"au lieu d(?:e |u |')": "instead of ",
    r"n'(?:a|avons|ai|ont|y a) (?:pas|aucune?)(?: d(?:e |'))?": "have no ",
    r"pass(?:ait|e|ons|er) [àa]": "go to",
    r"svp|s'il vous plaît": "please",
    r"(?:à partir )?de zéro": "from scratch",
    r"pré-?entra[iî]n(?:er|ement|é)": "pretrain",
    r"entra[iî]n(?:er|ement|ons)(?: d['eu])?": "train",
    r"affin(?:er|age)|ajuste(?:r|ment fin)": "finetune",
    r"inférence": "inference",
    r"servir": "serve",
    r"(?:en )?location|lou(?:er|ons|ait|e)": "rent",
    r"achat|ach[eè]t(?:er|ons|é|és|e)": "buy",
    r"amorti(?:s|ssement)? sur": "amortized over",
    r"équipe r[ée]seau": "network team",
    r"réseaux?": "network",
    r"serveurs?": "servers",
    r"n(?:œ|oe)uds?": "nodes",
    r"cartes": "cards",
    r"chacune?": "each",
    r"par": "per",
    r"mille milliards(?: d(?:e |'))?": "trillion ",
    r"milliards?(?: d(?:e |'))?": "billion ",
    r"billions?(?: d(?:e |'))": "trillion ",
    r"millions? d(?:e |')": "million ",
    r"jetons": "tokens",
    r"mod[èe]les?": "model",
    r"param[èe]tres": "parameters",
    r"longueur de séquence": "sequence length",
    r"contexte": "context",
    r"délai|échéance|date limite": "deadline",
    r"jours?": "days",
    r"semaines?": "weeks",
    r"mois": "months",
    r"ans": "years",
    r"heures?": "hours",
    r"électricité": "electricity",
    r"co[uû]tent?": "costs",
    r"au (?:plus|maximum)": "at most",
    r"environ": "about",
    r"plus lent": "slower",
    r"pour ?cent": "percent",
    r"fournisseur": "provider",
    r"plut[ôo]t": "rather",
    r"non": "no,",
    r"pas d(?:e |')|aucune?": "no ",
    r"sans": "without",
    r"nous|on": "we",
    r"avons|disposons d(?:e|')": "have",
    r"voulons|veut|voudrait|souhaitons|aimerions": "want to",
    r"il (?:nous )?faut": "we need",
    r"et": "and",
    r"ou": "or",
    r"avec": "with",
    r"sur": "on",
    r"chez": "at",
    r"pour": "for",
    r"d[eu]s?": "of",
    r"dans|en": "in",
    r"une?": "a",
    r"notre|nos": "our",
    r"est": "is",
    r"sont": "are",
    r"l[ea]s?": "the",
    r"entre": "between",
    r"avant": "before",
    r"faire": "do",
}


def _compiled(words: dict[str, str], numbers: str) -> list[tuple[re.Pattern[str], str]]:
    said = {**words, **dict(zip(numbers.split(), _ENGLISH_NUMBERS.split(), strict=True))}
    return [(re.compile(rf"(?<![\w.]){pattern}(?:(?<=[ '])|(?![\w]))"), english) for pattern, english in said.items()]


_WORDS = {"german": _compiled(_GERMAN, _NUMBERS["german"]), "french": _compiled(_FRENCH, _NUMBERS["french"])}
_SIGN = {name: frozenset(words.split()) for name, words in _SIGNS.items()}
_WORD = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]+)*")
_MANY = 0.3  # of the words of a short message


def in_english(text: str) -> tuple[str, list[int], list[tuple[int, int]]]:
    """``text`` (lower case) with the German or French words put into English, the place in ``text`` every character stands for,
    and where the expressions stand that were put into English: each belongs together."""
    language = _language(text)
    if language is None:
        return text, list(range(len(text) + 1)), []
    parts: list[str] = []
    places: list[int] = []
    done = 0
    found = _found(text, _WORDS[language])
    for start, end, english in found:
        parts += [text[done:start], english]
        places += [*range(done, start), *(min(start + i, end - 1) for i in range(len(english)))]
        done = end
    return (
        "".join([*parts, text[done:]]),
        [*places, *range(done, len(text) + 1)],
        [(start, end) for start, end, _ in found],
    )


def _language(text: str) -> str | None:
    """The language that the small words show: two signs of it, or one among few words, of which English has not all."""
    words = _WORD.findall(text)
    signs = {name: [word for word in words if word in known] for name, known in _SIGN.items()}
    name, found = max(signs.items(), key=lambda pair: len(pair[1]))
    clear = any(word not in _SHARED for word in found)
    return name if clear and (len(set(found)) >= 2 or len(found) >= _MANY * len(words)) else None


def _found(text: str, words: list[tuple[re.Pattern[str], str]]) -> list[tuple[int, int, str]]:
    taken = [False] * len(text)
    found = []
    for pattern, english in words:
        for match in pattern.finditer(text):
            if match.end() > match.start() and not any(taken[match.start() : match.end()]):
                taken[match.start() : match.end()] = [True] * (match.end() - match.start())
                found.append((match.start(), match.end(), english))
    return sorted(found)
