"""Python lines of a page, run in a folder of ReasoningBank's code, with our stand-ins for what it imports.

python -m tests.support.upstream_snippet [FLAGS] < LINES
"""

import sys
from pathlib import Path

from memtrial.api.interchange.gemini_stand_in import stand_in_for_gemini
from tests.support.upstream_code import stand_in_for_torch

if __name__ == "__main__":
    stand_in_for_torch()
    stand_in_for_gemini()
    # rooms at the top of this repository have the names of folders of upstream's; installed they have not
    root = Path(__file__).parents[2]
    sys.path[:] = [str(Path.cwd()), *(place for place in sys.path if place and Path(place) != root)]
    exec(compile(sys.stdin.read(), "page", "exec"), {"__name__": "page"})
