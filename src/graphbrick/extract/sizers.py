"""How many entities a question needs around its seeds: by rule, or as learned from questions with known answers."""

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
from graphbrick.core.trace import fact
from graphbrick.graphs.text import fold
from graphbrick.pipeline.brick import Brick
from graphbrick.session import current_session

FORMAT = "graphbrick-sizes"
VERSION = 1
FEATURES = ("one", "share", "log size", "words", "links", "seeds", "log degree", "links x share", "log degree x share")
# Words that lead from one thing to the next: «the films *of* the director *who* ...».
_LINKS = frozenset("of by whose who whom that which where with in from also and shared same other".split())
_SIZES = 48  # sizes that are looked at, evenly spaced on a logarithmic scale
_DENSE, _SPARSE = 50, 5  # triples at a seed


class Around(NamedTuple):
    """What is known of a question before its subgraph is cut.

    Attributes:
        question: Its text.
        degrees: The number of triples at each seed.
        shares: float64 [entities], for each size from 1 the share of the scores that so many entities have together, of
            all that were ranked; ascending to 1. Seeds are not among them.
    """

    question: str
    degrees: tuple[int, ...]
    shares: npt.NDArray[np.float64]


class Sizer(Brick):
    """Says how many of the ranked entities to keep."""

    @abstractmethod
    def size(self, around: Around) -> int:
        """A number from 0 to the number of ranked entities."""


@dataclass(frozen=True, repr=False)
class ShareSizer(Sizer):
    """As many entities as have a share of the PageRank scores together, by rules about the question and its seeds.

    The share that is kept estimates the recall: where scores fall off at once, few entities hold what can be reached;
    where they lie flat, many do. The rules raise the share within the bounds for questions of several hops (two linking
    words or more, such as «of» or «whose») and for seeds with less than 5 triples, and lower it for questions without
    such words and for seeds with more than 50.

    Args:
        least: The share for simple questions in dense surroundings, in (0, 1).
        most: The share for questions of several hops in sparse surroundings, in (0, 1), at least ``least``.
    """

    paper = "Cao et al., LEGO-GraphRAG, technical report (B.5: the threshold of subgraph recall, 0.50 to 0.75)"

    least: float = parameter(0.5, above=0, below=1, search=(0.3, 0.5, 0.7))
    most: float = parameter(0.75, above=0, below=1, search=(0.75, 0.9))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.least > self.most:
            self.refuse("most", f"at least {self.least}, which is least", max(self.least, 0.75))

    def size(self, around: Around) -> int:
        """The smallest number of entities with the share."""
        degree = max(around.degrees, default=0)
        links = n_links(around.question)
        raised = (links >= 2) - (links == 0) + (degree < _SPARSE) - (degree > _DENSE)
        share = self.least + (self.most - self.least) * (raised + 2) / 4
        fact(share_wanted=share)
        return int(np.searchsorted(around.shares, share)) + 1 if len(around.shares) else 0


@dataclass(frozen=True, repr=False)
class LearnedSizer(Sizer):
    """The smallest number of entities that is expected to hold the answers, as learned from questions with answers.

    ``graphbrick train sizes`` makes the file: a logistic regression of the share of answers among the best entities on
    the share of scores they have, their number, the words of the question and the degree of its seeds.

    Args:
        path: What ``graphbrick train sizes`` wrote.
        recall: The recall that is aimed at, over questions like those learned from, in (0, 1).

    Raises:
        ModelError: There is no such file, or it is something else.
    """

    paper = "Cao et al., LEGO-GraphRAG, technical report (B.5: learned from logged queries)"

    path: str = parameter(path=True, example="sizes.json")
    recall: float = parameter(0.9, above=0, below=1, search=(0.8, 0.9, 0.95))

    def size(self, around: Around) -> int:
        """The smallest number whose expected recall is the one aimed at; all entities where none has it."""
        learned = learned_sizes(self.path)
        sizes = sizes_of(len(around.shares))
        if not len(sizes):
            return 0
        expected = np.maximum.accumulate(sigmoid(features(around, sizes) @ learned.weights))
        # What an expectation was worth is known from questions that were held back.
        needed = float(np.interp(self.recall, learned.reached, learned.cuts))
        at = int(np.searchsorted(expected, needed))
        fact(recall_expected=float(expected[min(at, len(sizes) - 1)]))
        return int(sizes[min(at, len(sizes) - 1)])


class Learned(NamedTuple):
    """What was learned.

    Attributes:
        weights: float64 [features].
        cuts: float64, expectations, ascending.
        reached: float64, the recall that questions held back had where the size was cut at each; ascending.
    """

    weights: npt.NDArray[np.float64]
    cuts: npt.NDArray[np.float64]
    reached: npt.NDArray[np.float64]


def n_links(question: str) -> int:
    """How many words of a question lead from one thing to the next.

    >>> n_links("Which currency is used in the country whose capital is Nairobi?")
    3
    """
    return sum(word in _LINKS for word in fold(question).split())


def sizes_of(n: int) -> npt.NDArray[np.int64]:
    """The sizes up to n that are looked at, ascending, n itself last.

    >>> sizes_of(3).tolist()
    [1, 2, 3]
    """
    return np.unique(np.geomspace(1, n, _SIZES).round().astype(np.int64)) if n else np.empty(0, dtype=np.int64)


def features(around: Around, sizes: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """float64 [sizes, features], in the order of `FEATURES`."""
    share = around.shares[sizes - 1]
    words, links = len(re.findall(r"\w+", around.question)) / 10, min(n_links(around.question), 6) / 3
    degree = np.log1p(max(around.degrees, default=0)) / 5
    same = np.ones(len(sizes))
    columns = (
        same, share, np.log(sizes) / 5, words * same, links * same, min(len(around.degrees), 5) / 2 * same,
        degree * same, links * share, degree * share,
    )  # fmt: skip
    return np.stack(columns, axis=1)


def sigmoid(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The logistic function."""
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -30, 30))))


def learned_sizes(path: str) -> Learned:
    """Return the content of a file of ``graphbrick train sizes``.

    Raises:
        ModelError: There is no such file, or it is something else.
    """
    try:
        changed = Path(path).stat().st_mtime_ns
        return current_session().get(("learned sizes", path, changed), lambda: _read(path), at_most=8)
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror}); make it with graphbrick train sizes") from error


def _read(path: str) -> Learned:
    try:
        found = json.loads(Path(path).read_text("utf-8"))
        if (found["format"], found["version"], tuple(found["features"])) != (FORMAT, VERSION, FEATURES):
            raise KeyError("format")
        learned = Learned(*(np.array(found[name], dtype=np.float64) for name in ("weights", "cuts", "reached")))
        fits = learned.weights.shape == (len(FEATURES),) and learned.cuts.shape == learned.reached.shape
        if not fits or not len(learned.cuts) or not all(np.isfinite(array).all() for array in learned):
            raise ValueError("shape")
    except (ValueError, TypeError, KeyError) as error:
        raise ModelError(f"{path} is no file of graphbrick train sizes, or it is damaged; make it anew") from error
    return learned
