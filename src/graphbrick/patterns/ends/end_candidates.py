"""The entities at the ends of relation patterns, and the patterns and seeds that reach them."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.core import Path, Subgraph
from graphbrick.graphs.patterns import Followed, follow
from graphbrick.patterns.languages import counts_in
from graphbrick.pipeline.budget import check_budget

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MOST_ENDS = 2_000  # of one pattern
_FLOOR = 8.0  # log probabilities below this are as good as none


@dataclass(frozen=True, slots=True)
class Walk:
    """One pattern from one seed, followed to its ends.

    Attributes:
        path: A path of the pattern, with the score of the pattern.
        followed: The ends, with a path to each.
        log_share: Log of the pattern's share of all patterns (softmax over their scores).
    """

    path: Path
    followed: Followed
    log_share: float


@dataclass(frozen=True, slots=True)
class Candidates:
    """The distinct entities at the ends of some walks; every pair of an entity and a walk that reaches it.

    Attributes:
        walks: The walks, best first.
        entity: int64 [candidates], ascending.
        who: int64 [pairs], the candidate of each pair.
        walk: int64 [pairs], its walk; ascending for each candidate.
        at: int64 [pairs], index of the candidate among the ends of the walk.
        cut: Number of walks with more than 2,000 ends, of which only the first count.
    """

    walks: list[Walk]
    entity: Ints
    who: Ints
    walk: Ints
    at: Ints
    cut: int

    def chosen(self, rows: Ints) -> Candidates:
        """Return some candidates (int64, ascending) with their walks."""
        place = np.full(len(self.entity), -1)
        place[rows] = np.arange(len(rows))
        pairs = place[self.who] >= 0
        who = place[self.who[pairs]]
        return Candidates(self.walks, self.entity[rows], who, self.walk[pairs], self.at[pairs], self.cut)

    def ends_of(self, walk: int) -> Ints:
        """Return one pair for each end of the pattern of a walk, from all seeds, int64, by candidate.

        A pattern that comes back to its seed has the ends of walks that do not come back, too.
        """
        best = self.walks[walk].path
        alike = [
            other.path.pattern == best.pattern and (best.comes_back or not other.path.comes_back)
            for other in self.walks
        ]
        pairs = np.flatnonzero(np.array(alike)[self.walk])
        _, first = np.unique(self.who[pairs], return_index=True)
        return pairs[first]

    def best_walk(self) -> Ints:
        """Return the best walk that reaches each candidate, int64 [candidates]."""
        best: Ints = np.full(len(self.entity), len(self.walks), dtype=np.int64)
        np.minimum.at(best, self.who, self.walk)
        return best


def candidates_of(
    paths: Sequence[Path],
    seeds: Sequence[int],
    subgraph: Subgraph,
    n: int,
    symmetric: AbstractSet[str] = frozenset(),
    text: str = "",
) -> Candidates | None:
    """Follow the best patterns of some paths to all their ends.

    Seeds are no candidates, but for a walk that comes back to its own, or if there is no other end.

    Args:
        paths: Paths with the scores of their patterns, best first.
        seeds: The seeds of the question.
        subgraph: Where patterns are followed.
        n: Number of patterns to follow.
        symmetric: Labels of relations that are followed both ways.
        text: The question, for the language of texts at the ends.

    Returns:
        The candidates; None if there are none.
    """
    distinct: dict[object, Path] = {}
    for path in paths:
        distinct.setdefault((path.start, path.pattern, path.comes_back), path)
    scores = np.array([path.score for path in distinct.values()])
    if not len(scores):
        return None
    shares = scores - np.logaddexp.reduce(scores)
    walks: list[Walk] = []
    parts = []
    cut = 0
    counts = counts_in(subgraph, text)
    for path, share in list(zip(distinct.values(), shares.tolist(), strict=True))[:n]:
        check_budget()
        both = {relation for relation, _ in path.pattern if path.graph.relation_label(relation) in symmetric}
        followed = follow(
            subgraph, path.start, path.pattern, back=path.comes_back, symmetric=both, check=check_budget, counts=counts
        )
        if followed is None or not len(followed.ends):
            continue
        cut += len(followed.ends) > MOST_ENDS
        ends = followed.ends[:MOST_ENDS].astype(np.int64)
        parts.append((ends, np.full(len(ends), len(walks)), np.arange(len(ends)), ends == path.start))
        walks.append(Walk(path, followed, share))
    if not parts:
        return None
    ends, walk, at, is_own = (np.concatenate(column) for column in zip(*parts, strict=True))
    allowed = is_own | ~np.isin(ends, np.array(seeds, dtype=np.int64))
    if allowed.any():
        ends, walk, at = ends[allowed], walk[allowed], at[allowed]
    entity, who = np.unique(ends, return_inverse=True)
    return Candidates(walks, entity, who.astype(np.int64), walk, at, cut)


@dataclass(frozen=True, slots=True)
class Support:
    """The support of each candidate by patterns and seeds.

    Attributes:
        total: float64 [candidates], log of the sum of the shares of all walks that reach it.
        best: float64 [candidates], log share of the best walk.
        spread: float64 [candidates], like ``total``, but every walk divides its share among its ends.
        n_walks: float64 [candidates], log of the number of walks.
        second_seed: float64 [candidates], support by the second-best seed: 8 + log share, from 0 (none).
        other_seeds: float64 [candidates], number of seeds beside the first that reach it.
        size: float64 [candidates], log of the number of ends of its most specific walk.
    """

    total: Floats
    best: Floats
    spread: Floats
    n_walks: Floats
    second_seed: Floats
    other_seeds: Floats
    size: Floats


def support_of(candidates: Candidates) -> Support:
    """Return the support of each candidate."""
    n, who = len(candidates.entity), candidates.who
    share = np.array([walk.log_share for walk in candidates.walks])[candidates.walk]
    size = np.log([float(len(walk.followed.ends)) for walk in candidates.walks])[candidates.walk]
    starts = sorted({walk.path.start for walk in candidates.walks})
    start = np.array([starts.index(walk.path.start) for walk in candidates.walks])[candidates.walk]
    by_seed = _log_sum(share, who * len(starts) + start, n * len(starts)).reshape(n, len(starts))
    second = np.zeros(n)
    if len(starts) > 1:
        second = np.maximum(np.sort(by_seed, axis=1)[:, -2] + _FLOOR, 0)
    best, smallest = np.full(n, -np.inf), np.full(n, np.inf)
    np.maximum.at(best, who, share)
    np.minimum.at(smallest, who, size)
    return Support(
        total=_log_sum(share, who, n),
        best=best,
        spread=_log_sum(share - size, who, n),
        n_walks=np.log(np.bincount(who, minlength=n)),
        second_seed=second,
        other_seeds=(by_seed > -np.inf).sum(axis=1) - 1.0,
        size=smallest,
    )


def _log_sum(values: Floats, group: Ints, n: int) -> Floats:
    """Return the log of the sum of exponentials in each group; minus infinity for an empty one."""
    most = np.full(n, -np.inf)
    np.maximum.at(most, group, values)
    total = np.bincount(group, np.exp(values - most[group]), minlength=n)
    with np.errstate(divide="ignore"):
        sums: Floats = np.where(total > 0, most, 0.0) + np.log(total)
    return sums
