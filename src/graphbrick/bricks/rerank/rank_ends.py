"""Choice among the entities at the ends of patterns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from graphbrick.core import Evidence, Path, Query, Subgraph
from graphbrick.core.graph import Capability
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event, fact
from graphbrick.patterns.ends.end_candidates import MOST_ENDS, Candidates, candidates_of
from graphbrick.patterns.ends.end_features import asks_for_many, features_of, preselected
from graphbrick.patterns.model.end_model import DEFAULT, EndModel
from graphbrick.patterns.model.model import PatternModel
from graphbrick.pipeline import RerankStage

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class RankEnds(RerankStage):
    """The entities at the ends of the best patterns, ordered by how well each fits the question.

    A pattern says what kind of thing is meant, but often ends at many entities: «which film of X was shown in
    Stockholm». The best patterns are followed to all their ends. An end counts more if several patterns or several
    seeds lead to it, if the question's other words are in its name, types or description, or in its neighbours' names,
    if its name, neighbours and relations are close to the question, and if it is a date where one is asked for.

    The weights are learned from questions with answers (``graphbrick train patterns``). Without them, fixed weights
    keep the best pattern and order its ends by seeds that meet and by words; they need no embedding model. Patterns of
    more than 64 relations that ``graphbrick learn`` learned without questions have other fixed weights, which also
    count ends of other patterns.

    Put ``Patterns(..., each=1)`` before it, which lists one path of each pattern, and ``PathAnswer(ends="listed")``
    behind it, which answers with the ends that are left.

    Args:
        model: The folder of trained patterns; None for the fixed weights. A folder without weights for ends has the
            fixed ones.
        patterns: Patterns to follow, at least 1; the first of the evidence.
        n: Paths kept beside the answers, at least 1.

    Returns:
        Paths with the log of the probability of their end, best first, one an end. First the answers: the ends of the
        pattern of the best end, without those that fit much worse, such as those that a second seed does not lead to
        where it leads to others. The margin is learned too. Then at most ``n`` paths to ends of other patterns. Items
        that are not paths come last. Evidence with answers that an operator computed is returned as it is.

    Example:
        >>> from graphbrick import BM25, PathAnswer, Patterns
        >>> from graphbrick.testing import tiny_graph
        >>> pipeline = Patterns(BM25(), each=1) >> RankEnds() >> PathAnswer(ends="listed")
        >>> pipeline(tiny_graph(), "Which country borders Uganda and has the capital Nairobi?", seeds=["Uganda"]).texts
        ('Kenya',)
    """

    needs = frozenset({Capability.LABELS, Capability.ADJACENCY})
    writes_items = True

    model: str | None = parameter(None, path=True, example="films.patterns")
    patterns: int = parameter(16, at_least=1, search=(4, 16, 32))
    n: int = parameter(32, at_least=1, search=(8, 32, 128))

    def rerank(self, query: Query, evidence: Evidence) -> Evidence:
        """Return the paths to the ends that fit best."""
        paths = evidence.paths
        if not paths or evidence.has_answers:
            return evidence
        graph = paths[0].graph
        subgraph = evidence.subgraph or Subgraph(graph)
        rejected = query.alternatives(paths[0].start)  # other readings of the name that the best path starts from
        seeds = [seed for seed in query.seeds if seed not in rejected]
        paths = tuple(path for path in paths if path.start not in rejected)
        candidates = candidates_of(paths, seeds, subgraph, self.patterns, evidence.symmetric, query.text)
        if candidates is None:
            return evidence
        if candidates.cut:
            event(
                f"{candidates.cut:,} patterns end at more than {MOST_ENDS:,} entities; only the first were ranked",
                "rank_ends.many_ends",
                n=candidates.cut,
            )
        trained, model = self._model()
        few = preselected(candidates, graph, seeds, best_first=model.keeps_best)
        scores = model.score(features_of(query.text, seeds, few, graph, None if model.keeps_best else trained))
        fact(ends=len(candidates.entity), ranked=len(few.entity))
        margin = model.margin_of_many if asks_for_many(query.text) else model.margin
        listed = self._listed(candidates, few, scores, margin)
        others = tuple(item for item in evidence.items if not isinstance(item, Path))
        return replace(evidence, items=(*listed, *others), scale="")

    def _model(self) -> tuple[PatternModel | None, EndModel]:
        if self.model is None:
            return None, DEFAULT
        from graphbrick.patterns.model.folder import load

        trained = load(self.model)
        return trained, trained.ends or DEFAULT

    def _listed(self, candidates: Candidates, few: Candidates, scores: Floats, margin: float) -> list[Path]:
        """Return the answers, then the best other ends."""
        order = np.argsort(-scores, kind="stable")
        logs = scores - np.logaddexp.reduce(scores)
        best, top = few.best_walk(), int(order[0])
        pairs = candidates.ends_of(int(best[top]))
        at_end = dict(zip(candidates.entity[candidates.who[pairs]].tolist(), pairs.tolist(), strict=True))
        answers: list[Path] = []
        others: list[Path] = []
        source = repr(self)
        for row in order.tolist():
            pair = at_end.pop(int(few.entity[row]), None)
            if pair is None and len(others) < self.n:
                pair = int(np.flatnonzero((few.who == row) & (few.walk == best[row]))[0])
                others.append(_path(few, pair, float(logs[row]), source))
            elif pair is not None and scores[top] - scores[row] <= margin:
                answers.append(_path(candidates, pair, float(logs[row]), source))
        if scores[top] - scores[order[-1]] <= margin:  # ends without a score are no worse than the last
            answers += [_path(candidates, pair, float(logs[order[-1]]), source) for pair in at_end.values()]
        return answers + others


def _path(candidates: Candidates, pair: int, score: float, source: str) -> Path:
    """Return the path of a pair of an end and a walk."""
    followed = candidates.walks[int(candidates.walk[pair])].followed
    return followed.path(int(candidates.at[pair]), source).with_score(score)
