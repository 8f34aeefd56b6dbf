"""A small sequence model that writes the next relation from question, place and last relation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.patterns.learned_file import LearnedFile, load_learned

KIND = "writer"
STOP = 0
"""The symbol that ends a sequence; relations are symbols from 1."""
Floats = npt.NDArray[np.float32]
Relation = tuple[str, bool]
"""A relation by its label, and whether it is followed from head to tail."""


@dataclass(frozen=True, eq=False)
class RelationModel:
    """A log-linear model of sequences of relations.

    The probability of the next symbol is a softmax over a matrix of its place in the sequence, times the vector of the
    question, plus a weight for the symbol before.

    Attributes:
        relations: The relations that it can write; symbol i is ``relations[i - 1]``.
        weights: float32 [places, dimensions, symbols].
        after: float32 [symbols, symbols], the weight of each symbol after another; at the first place, after `STOP`.
    """

    relations: tuple[Relation, ...]
    weights: Floats
    after: Floats

    @property
    def max_hops(self) -> int:
        """The longest sequence."""
        return len(self.weights) - 1

    def log_probabilities(self, vector: Floats, place: int, before: int) -> npt.NDArray[np.float64]:
        """Return the log probability of each symbol at a place, float64; -inf for `STOP` at the first."""
        logits = (vector @ self.weights[place] + self.after[before]).astype(np.float64)
        if place == 0:
            logits[STOP] = -np.inf  # a path has a step
        logits -= logits.max()
        return np.asarray(logits - np.log(np.exp(logits).sum()))

    def written(self, vector: Floats, beams: int) -> list[tuple[float, tuple[Relation, ...]]]:
        """Return the likeliest sequences with their probabilities, best first, by beam search.

        Args:
            vector: float32 [dimensions], the question.
            beams: Sequences that go on at a place, and sequences returned at most.
        """
        open_: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
        done: list[tuple[float, tuple[int, ...]]] = []
        for place in range(self.max_hops + 1):
            longer: list[tuple[float, tuple[int, ...]]] = []
            for total, symbols in open_:
                chances = self.log_probabilities(vector, place, symbols[-1] if symbols else STOP)
                if symbols:  # it may stop here, even if more relations than that are likelier to follow
                    done.append((total + float(chances[STOP]), symbols))
                if place == self.max_hops:
                    continue
                for symbol in np.argsort(-chances, kind="stable")[: beams + 1].tolist():
                    if symbol != STOP:
                        longer.append((total + float(chances[symbol]), (*symbols, symbol)))
            open_ = sorted(longer, key=lambda entry: (-entry[0], entry[1]))[:beams]
        done.sort(key=lambda entry: (-entry[0], entry[1]))
        return [(float(np.exp(p)), tuple(self.relations[s - 1] for s in symbols)) for p, symbols in done[:beams]]


def load_writer(path: str) -> tuple[LearnedFile, RelationModel]:
    """Return a model that ``graphbrick train writer`` wrote, and its file.

    Raises:
        ModelError: As for `load_learned`.
    """
    learned = load_learned(path, KIND)
    return learned, RelationModel(_relations(learned.about), learned.arrays["weights"], learned.arrays["after"])


def _relations(about: Mapping[str, Sequence[Sequence[object]]]) -> tuple[Relation, ...]:
    return tuple((str(label), bool(forward)) for label, forward in about["relations"])
