"""Moving a key/value cache from GPU to GPU as it was measured, and which rows the constants may be fitted to.

``knowledge/measurements/kv_transfer.csv`` holds one transfer per row, half of the GPUs to the other half. ``way``:
``blocks`` are large contiguous pieces written or read by a transfer engine alone; ``paged`` is the cache of one prompt
between two serving engines, whose pages of some tokens a layer lie scattered.

Written down before the first fit:

- for calibration: blocks on p5en (H200, EFA); of vLLM with Mooncake on H800 every second prompt length, from the first;
- kept out: p5 (H100, an older EFA), MI300X with one adapter (another library and vendor), and the other prompt lengths
  of vLLM with Mooncake. These last are of the same source and say how well the form holds, not how well it carries to
  another engine: nobody else has published paged transfers with bytes and seconds;
- excluded: transfers from host memory, and blocks below 512 KiB, which are bound by messages and not by bytes.
"""
