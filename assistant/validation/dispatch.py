"""Expert dispatch and combine as they were measured, beside the model; and which rows its constants may be fitted to.

``knowledge/measurements/dispatch.csv`` holds one call per row: tokens of a rank sent to the ranks of their experts
(dispatch) or back and summed (combine). ``seconds`` is as printed or, where a source prints bandwidth alone, tokens ×
domains (inside one domain: ranks) that a token goes to, its own counted, × bytes of a token ÷ that bandwidth.

Written down before the first fit:

- for calibration: DeepEP's own table on H800, and SGLang 0.5.6's sweep on H100 with 8 and 16 ranks;
- kept out as whole sources: UCCL-EP and SGLang 0.5.12; as whole GPU generations: H200 and MI300X; and of the sweep the
  largest group, 32 ranks on H100, so that growth with the group is judged too;
- of training steps: DeepSeek-V3's published step on 2,048 H800, the eight 12-layer runs on 32 H200 with NCCL and
  UCCL-EP, the runs with and without overlap on 16 H100, and whatever ``split`` keeps out of mixtures in
  ``training.csv`` (gpt-oss, Grok-1, Mixtral). Of DeepSeek's kernel trace on 64 H800 the share of expert communication
  that nothing hides is used; the step that was published for 2,048 GPUs is not.
"""
