"""Print the n-th ``sh`` block of the README, so that what is tested is what is printed there."""

import pathlib
import re
import sys

blocks = re.findall(
    r"^```sh\n(.*?)^```",
    pathlib.Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8"),
    re.M | re.S,
)
print(blocks[int(sys.argv[1]) - 1], end="")
