"""Reinforcement learning as it was measured: whole steps, and weights on their way from trainer to engine.

Which rows constants may be chosen by was written down before the first one was fitted (column ``use``).

*Steps*, ``knowledge/measurements/reinforcement_learning.csv``: NVIDIA's NeMo-RL on H100 is for calibration, the one
source that says models, lengths, batch and split. Its runs on GB200 judge (a GPU generation of its own), and so does
all of verl (a publisher of its own). DeepSpeed-Chat's table of 2023, whose software is none of today's, is split as the
training runs are (:mod:`assistant.validation.split`): every other width is for calibration, from the widest on. Rows
that do not say how long an answer is, or how many there are, are excluded: no model could be judged by them.

*Weight sync*, ``knowledge/measurements/weight_sync.csv``: of Moonshot's checkpoint-engine the runs on up to 16 GPUs are
for calibration and those on 256 judge; of verl the broadcasts on H20, and its broadcast on H100 and its buckets judge;
of NeMo-RL what NIXL moves, and what its packed NCCL broadcasts move judges. Rows on networks nobody names are excluded:
one and the same sync takes 10 or 34 s there.
"""
