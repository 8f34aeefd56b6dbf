"""How long the statistics of a report take here and by scipy: the bootstrap, the permutation test, Wilson's interval.

    python benchmarks/statistics_libraries.py

The bootstrap and the permutation test draw 10,000 samples. Values repeat as F1 does, or all differ. 45 pairs
are those of ten pipelines. The process prints what loading scipy takes first.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from graphbrick.study.statistics.intervals import bootstrap, resampled_means, wilson
from graphbrick.study.statistics.paired import benjamini_hochberg, permutation_test, permutation_tests

RESAMPLES = 10_000


def seconds(call: Callable[[], Any]) -> float:
    """Return the shortest time of two calls."""
    times = []
    for _ in range(2):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def line(name: str, ours: Callable[[], Any], theirs: Callable[[], Any]) -> None:
    mine, other = seconds(ours), seconds(theirs)
    print(f"{name:44}{1000 * mine:10.3f} ms{1000 * other:12.3f} ms{other / mine:10.1f}")


def main() -> None:
    start = time.perf_counter()
    import scipy.special  # noqa: F401

    special = time.perf_counter() - start
    import scipy.stats as stats

    print(f"import scipy.special {special:.2f} s, then scipy.stats {time.perf_counter() - start - special:.2f} s\n")
    print(f"{'':44}{'here':>13}{'scipy':>15}{'times':>10}")
    mean = {"statistic": np.mean, "n_resamples": RESAMPLES, "method": "BCa", "axis": -1}
    signs = {"permutation_type": "samples", "n_resamples": RESAMPLES, "vectorized": True}
    rng = np.random.default_rng(1)
    for n in (50, 400, 3000):
        for kind, values in (("repeat", rng.choice([0, 0.25, 0.5, 2 / 3, 0.8, 1], n)), ("differ", rng.random(n))):
            other = 0.9 * rng.permutation(values)
            line(f"bootstrap, {n} values that {kind}", lambda v=values: bootstrap(v),
                 lambda v=values: stats.bootstrap((v,), rng=np.random.default_rng(0), **mean))  # fmt: skip
            line(f"permutation test, {n} values that {kind}", lambda v=values, w=other: permutation_test(v, w),
                 lambda v=values, w=other: stats.permutation_test((v - w,), np.mean, **signs))  # fmt: skip
        pairs = rng.choice([0, 0.25, 0.5, 2 / 3, 0.8, 1], (n, 45)) - 0.5
        line(f"45 pairs, bootstrap, {n} values", lambda p=pairs: resampled_means(p, RESAMPLES, 0),
             lambda p=pairs: stats.bootstrap((p.T,), rng=np.random.default_rng(0), **mean))  # fmt: skip
        if n < 3000:  # scipy would need some minutes
            line(f"45 pairs, permutation test, {n} values",
                 lambda p=pairs: permutation_tests(p, resamples=RESAMPLES, seed=0),
                 lambda p=pairs: stats.permutation_test((p,), np.mean, axis=0, **signs))  # fmt: skip
        line(f"Wilson, {n} values", lambda n=n: wilson(n // 3, n),
             lambda n=n: stats.binomtest(n // 3, n).proportion_ci(method="wilson"))  # fmt: skip
    p_values = rng.random(45).tolist()
    line("Benjamini and Hochberg, 45 p-values", lambda: benjamini_hochberg(p_values),
         lambda: stats.false_discovery_control(p_values))  # fmt: skip


if __name__ == "__main__":
    main()
