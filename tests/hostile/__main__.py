"""Hostile tries on every surface, with an oracle, a seed, and a table at the end.

    python tests/hostile [--seed 0] [--surface NAME ...] [--try NUMBER] [--scale 1] [--workers 2]

Each try draws all that is random about it from the seed, the name of its surface and its number: these repeat it.
`--scale 0.1` makes a tenth of the tries. Exits with 1 if there is a fault. It forks, so it needs Linux or macOS.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support"), str(HERE.parents[1] / "benchmarks")]

from running import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(__doc__))
