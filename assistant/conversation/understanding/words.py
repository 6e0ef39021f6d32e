"""Words the grammar reads, against which slips of the finger are corrected, and the short forms people type."""

from __future__ import annotations

SHORT = {
    "dont": "don't",
    "doesnt": "doesn't",
    "didnt": "didn't",
    "isnt": "isn't",
    "arent": "aren't",
    "wont": "won't",
    "cant": "can't",
    "wouldnt": "wouldn't",
    "couldnt": "couldn't",
    "shouldnt": "shouldn't",
    "wasnt": "wasn't",
    "havent": "haven't",
    "mustnt": "mustn't",
    "hasnt": "hasn't",
    "whats": "what's",
    "whts": "what's",
    "wats": "what's",
    "wat": "what",
    "wut": "what",
    "nvm": "never mind",
    "wi": "what if",
    "idk what": "i don't know what",
    "idk how": "i don't know how",
    "ppl": "people",
    "rn": "right now",
    "wich": "which",
    "hows": "how's",
    "lets": "let's",
    "thats": "that's",
    "weve": "we've",
    "theyre": "they're",
    "youre": "you're",
    "im": "i'm",
    "ive": "i've",
    "w": "with",
    "wanna": "want to",
    "gonna": "going to",
    "gotta": "have to",
    "lemme": "let me",
    "gimme": "give me",
    "dunno": "don't know",
    "w/": "with",
    "w/o": "without",
    "pls": "please",
    "plz": "please",
    "plez": "please",
    "thx": "thanks",
    "u": "you",
    "r": "are",
    "ur": "your",
    "bc": "because",
    "cuz": "because",
    "coz": "because",
    "abt": "about",
    "b/c": "because",
    "btw": "by the way",
    "tho": "though",
    "cmp": "compare",
    "approx": "approximately",
    "peeps": "people",
    "wnt": "want",
    "nods": "nodes",
    "gpsu": "gpus",
    "teh": "the",
    "hte": "the",
    "adn": "and",
    "nad": "and",
    "fo": "of",
    "wiht": "with",
    "ft": "finetuning",
    "fft": "full finetuning",
    "infiband": "infiniband",
}
# Joined by people who write them apart, or the other way round.
JOINED = {
    "dead line": "deadline",
    "band width": "bandwidth",
    "ether net": "ethernet",
    "mega tron": "megatron",
    "gpu's": "gpus",
    "work load": "workload",
    "hyper scaler": "hyperscaler",
    "net work": "network",
    "incl.": "including",
    "excl.": "excluding",
    "approx.": "approximately",
    "max.": "max",
    "min.": "min",
    "slow down": "slowdown",
    "inter connect": "interconnect",
    "infinity band": "infiniband",
    "infinite band": "infiniband",
    "infini bands": "infiniband",
    "billions of": "billion",
    "millions of": "million",
    "trillions of": "trillion",
    "thousands of": "thousand",
    "mega tron lm": "megatron-lm",
    "spectrum ex": "spectrum-x",
    "whynot": "why not",
    "whatif": "what if",
    "half a dollar": "0.5 dollars",
    "half a buck": "0.5 dollars",
    "of em": "of them",
}
WORDS = frozenset(
    "llama mistral mixtral deepseek nemotron qwen gemma infiniband ethernet spectrum pretrain pretraining pretrained finetune finetuning "
    "training inference serving sequence sequences megatron deepspeed pipeline tensor parallel parallelism budget million billion trillion "
    "thousand hundred dollars dollar tokens token compare comparison disaggregated checkpointing coreweave azure amazon google gradient recompute "
    "network networks networking fabric interconnect nodes servers machines cluster gpus pieces cards accelerators racks deadline weeks months slowdown "
    "percent batch precision context length model models parameters provider providers export markdown undo help different difference "
    "instead supposing suppose imagine recommend recommended recommendation explain reason because against vendor supplier engineers "
    "latency bandwidth ruled maximum minimum requests prompts answers seconds preemptible datacenter datacenters expensive cheaper enough "
    "without should would please everything nothing actually correction forget previous message between train trained serve switch switches rented rental bought hours month "
    "approximately roughly together answer question".split()
)
# English words that are one slip away from one of these, and are meant as they stand.
RIGHT = frozenset(
    "brought trait traits monte accelerates bitch botch bullion butch cares carts cheater clutter collection companion connection content contest "
    "cords corrective correlation deferent differed differing engineered engines excessive expansive expense expert "
    "extensive forged forger forgot gamma goggle imaging influence llava machined massage mistrial modal modes motels moths "
    "mouths mullion notes noting percept perimeters pertaining pervious pierces precession precious prevision provided "
    "provident provides provision races ranks recompile recompose riled rocks ruler rules sentences serves severs shoulda "
    "shouldn supplied supplies supplying supporting swerving taken tenser trailing vender weaks world woulda wouldn wound".split()
)
