"""Sizers: choose how many entities to keep for a question, by rule or learned from answered questions."""

from __future__ import annotations

import json
import re
from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import ModelError
from graphbrick.core.parameters import parameter
from graphbrick.core.session import current_session
from graphbrick.core.trace import fact
from graphbrick.language.folding import fold
from graphbrick.models.logistic import sigmoid
from graphbrick.pipeline.brick import Brick

FORMAT = "graphbrick-sizes"
VERSION = 2
FEATURES = (
    *("one", "share", "log size", "words", "links", "seeds", "log degree", "links x share", "log degree x share"),
    *("clustering", "clustering x share"),
)
_OF_VERSION = {1: FEATURES[:9], 2: FEATURES}  # features of files of each version
# Words that link one entity to the next in a question: «the films *of* the director *who* ...».
_LINKS = frozenset("of by whose who whom that which where with in from also and shared same other".split())
_SIZES = 48  # number of candidate sizes, evenly spaced on a logarithmic scale
_DENSE, _SPARSE = 50, 5  # number of triples at a seed
_CLUSTERED = 0.25  # share of joined pairs of neighbours from which on a neighbourhood is dense; not tuned


class Around(NamedTuple):
    """Features of a question and its ranked entities, before the subgraph is cut.

    Attributes:
        question: Its text.
        degrees: The number of triples at each seed.
        shares: float64 [entities], cumulative share of the scores: entry i is the sum of the i + 1 best scores divided
            by the sum of all. It ascends to 1. Seeds are excluded.
        clustering: Local clustering coefficient of each seed, from 0 to 1 (`local_clustering`).
    """

    question: str
    degrees: tuple[int, ...]
    shares: npt.NDArray[np.float64]
    clustering: tuple[float, ...] = ()

    @property
    def mean_clustering(self) -> float:
        """Mean local clustering coefficient of the seeds; 0 without seeds."""
        return sum(self.clustering) / len(self.clustering) if self.clustering else 0.0


class Sizer(Brick):
    """Base class of bricks that choose how many of the ranked entities to keep."""

    @abstractmethod
    def size(self, around: Around) -> int:
        """Return how many entities to keep, from 0 to the number of ranked entities."""


@dataclass(frozen=True, repr=False)
class ShareSizer(Sizer):
    """A sizer that keeps a given share of the total PageRank score, chosen by rules.

    The share estimates the recall. If scores fall off quickly, few entities reach the share; if scores are flat, many
    are needed. The rules move the share between ``least`` and ``most``. They raise it for multi-hop questions (at least
    two linking words, such as «of» or «whose») and for seeds with fewer than 5 triples. They lower it for questions
    without linking words and for dense neighbourhoods: a seed with more than 50 triples, or seeds of whose neighbours a
    quarter of all pairs and more are joined by a triple (mean local clustering coefficient). Most graphs of facts have
    few such triangles, so a low coefficient says nothing and raises nothing.

    Args:
        least: Share for simple questions around seeds with many triples, in (0, 1).
        most: Share for multi-hop questions around seeds with few triples, in (0, 1), at least ``least``.
    """

    paper = "Cao et al., LEGO-GraphRAG, technical report (B.5: the threshold of subgraph recall, 0.50 to 0.75)"

    least: float = parameter(0.5, above=0, below=1, search=(0.3, 0.5, 0.7))
    most: float = parameter(0.75, above=0, below=1, search=(0.75, 0.9))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.least > self.most:
            self.refuse("most", f"at least {self.least}, which is least", max(self.least, 0.75))

    def size(self, around: Around) -> int:
        """Return the smallest number of entities that reaches the share."""
        degree = max(around.degrees, default=0)
        links = n_links(around.question)
        is_dense = degree > _DENSE or around.mean_clustering >= _CLUSTERED
        raised = (links >= 2) - (links == 0) + (degree < _SPARSE) - is_dense
        share = self.least + (self.most - self.least) * (raised + 2) / 4
        fact(share_wanted=share, clustering=around.mean_clustering)
        return int(np.searchsorted(around.shares, share)) + 1 if len(around.shares) else 0


@dataclass(frozen=True, repr=False)
class LearnedSizer(Sizer):
    """A sizer that predicts the smallest size with the wanted recall, learned from answered questions.

    ``graphbrick train sizes`` writes the model file. The model is a logistic regression. It predicts the share of the
    answers that are among the best entities. Its features are the share of the scores that these entities have, their
    number, the words of the question, and the degrees and clustering coefficients of the seeds.

    Args:
        path: File written by ``graphbrick train sizes``.
        recall: Target recall over questions like those learned from, in (0, 1).

    Raises:
        ModelError: The file is missing or has another format.
    """

    paper = "Cao et al., LEGO-GraphRAG, technical report (B.5: learned from logged queries)"

    path: str = parameter(path=True, example="sizes.json")
    recall: float = parameter(0.9, above=0, below=1, search=(0.8, 0.9, 0.95))

    def size(self, around: Around) -> int:
        """Return the smallest size with the target expected recall; all entities if no size reaches it."""
        learned = learned_sizes(self.path)
        sizes = sizes_of(len(around.shares))
        if not len(sizes):
            return 0
        expected = np.maximum.accumulate(sigmoid(features(around, sizes)[:, : len(learned.weights)] @ learned.weights))
        # Calibrate: held-out questions say which predicted value gives the target recall.
        needed = float(np.interp(self.recall, learned.reached, learned.cuts))
        at = int(np.searchsorted(expected, needed))
        fact(recall_expected=float(expected[min(at, len(sizes) - 1)]))
        return int(sizes[min(at, len(sizes) - 1)])


class Learned(NamedTuple):
    """Weights and calibration of a learned sizer.

    Attributes:
        weights: float64 [features], those of `FEATURES`; files of version 1 have the first 9.
        cuts: float64, predicted values, ascending.
        reached: float64, recall on held-out questions when the size is cut at each predicted value; ascending.
    """

    weights: npt.NDArray[np.float64]
    cuts: npt.NDArray[np.float64]
    reached: npt.NDArray[np.float64]


def n_links(question: str) -> int:
    """Return the number of linking words in a question.

    >>> n_links("Which currency is used in the country whose capital is Nairobi?")
    3
    """
    return sum(word in _LINKS for word in fold(question).split())


def sizes_of(n: int) -> npt.NDArray[np.int64]:
    """Return the candidate sizes up to n, ascending; the last is n.

    >>> sizes_of(3).tolist()
    [1, 2, 3]
    """
    return np.unique(np.geomspace(1, n, _SIZES).round().astype(np.int64)) if n else np.empty(0, dtype=np.int64)


def features(around: Around, sizes: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the feature matrix, float64 [sizes, features], columns in the order of `FEATURES`."""
    share = around.shares[sizes - 1]
    words, links = len(re.findall(r"\w+", around.question)) / 10, min(n_links(around.question), 6) / 3
    degree = np.log1p(max(around.degrees, default=0)) / 5
    same, joined = np.ones(len(sizes)), around.mean_clustering
    columns = (
        same, share, np.log(sizes) / 5, words * same, links * same, min(len(around.degrees), 5) / 2 * same,
        degree * same, links * share, degree * share, joined * same, joined * share,
    )  # fmt: skip
    return np.stack(columns, axis=1)


def learned_sizes(path: str) -> Learned:
    """Return the model in a file written by ``graphbrick train sizes``.

    Raises:
        ModelError: The file is missing or has another format.
    """
    try:
        file = Path(path).expanduser()
        changed = file.stat().st_mtime_ns
        return current_session().get(("learned sizes", path, changed), lambda: _read(file), at_most=8)
    except (OSError, ValueError, RuntimeError) as error:  # also a null character, or the home of an unknown user
        reason = getattr(error, "strerror", None) or error
        raise ModelError(
            f"{path} cannot be read ({reason}); make it with graphbrick train sizes", code="sizes.not_readable"
        ) from error


def _read(path: Path) -> Learned:
    try:
        content = json.loads(path.read_text("utf-8"))
        names = _OF_VERSION.get(content["version"])
        if content["format"] != FORMAT or names is None or tuple(content["features"]) != names:
            raise KeyError("format")
        learned = Learned(*(np.array(content[name], dtype=np.float64) for name in ("weights", "cuts", "reached")))
        fits = learned.weights.shape == (len(names),) and learned.cuts.shape == learned.reached.shape
        if not fits or not len(learned.cuts) or not all(np.isfinite(array).all() for array in learned):
            raise ValueError("shape")
    except (ValueError, TypeError, KeyError) as error:
        raise ModelError(
            f"{path} is not a file of graphbrick train sizes, or it is damaged; make it anew", code="sizes.damaged"
        ) from error
    return learned
