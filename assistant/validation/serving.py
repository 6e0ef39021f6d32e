"""Serving as it was measured: which rows constants may be chosen by, and which judge.

``knowledge/measurements/serving.csv`` holds a thinned part of the published rows that are consistent in themselves (of
every source, GPU, engine and model each third, fifth, … row in the order published, so that all batch sizes are met);
a configuration measured in several ways is one line. Written down before the first constant was fitted (column
``use``):

* For calibration: NVIDIA's configurator runs, aggregated, on H100 and H200; of InferenceX the aggregated rows on H200;
  Argonne's benchmark on A100 and H100; TensorRT-LLM's own tables of 0.9 and 0.10 on A100, H100 and H200.
* Judging, whole GPU generations: Blackwell (B200) and Ada (L40S), and GH200, a GPU of no calibration row.
* Judging, whole sources: GPUStack's bursts, Azure's guide, InferenceX's issue 870, TensorRT-LLM's tables of 1.0 and 1.2
  (another engine under the old name).
* Judging besides: InferenceX on H100, and everything disaggregated, GB200 included wherever rows of it are added.
* Not used: the tables of TensorRT-LLM 0.8 and 0.11 on the GPUs of 0.9 and 0.10, which repeat those.

Modes: ``load`` is a constant number of requests in flight, ``offline`` as many as fit with more waiting, ``static`` one
batch from its prompts to its last tokens, ``burst`` all requests at once, ``disaggregated`` apart for prompts and
answers (``prefill``, ``decode``: workers × layout as the source writes it).
"""
