"""Labels and predictions of one label for every case of a study, as arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from graphbrick.judge.cases import StudyCase
from graphbrick.judge.labels.files import Key
from graphbrick.judge.verdicts import Label
from graphbrick.study.statistics.prediction_powered import Sample

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

NEUTRAL = 0.5


@dataclass(frozen=True, eq=False)
class Population:
    """The cases of one label.

    Cases that lack what the label is about hold by no look at them: their label and prediction are 0, and neither a
    person nor the judge is asked. A case without a readable verdict gets the mean of the readable ones of its system as
    its prediction, which favours neither side: any prediction that does not depend on the label keeps the corrected
    estimates right.

    Attributes:
        label: The label.
        cases: All cases, in the order of the arrays.
        labels: Labels by people, float64 [cases]; NaN for a case without one.
        said: Probabilities of the judge, float64 [cases]; NaN for a case without a readable verdict.
        lacking: Whether a case lacks what the label is about, bool [cases].
    """

    label: Label
    cases: tuple[StudyCase, ...]
    labels: Array
    said: Array
    lacking: Mask

    @cached_property
    def systems(self) -> dict[str, Mask]:
        """The cases of each system, in the order of runs."""
        order = sorted({(case.run, case.system) for case in self.cases})
        return {system: np.array([case.system == system for case in self.cases]) for _, system in order}

    @cached_property
    def groups(self) -> dict[str, Mask]:
        """The cases of each kind of question."""
        names = sorted({case.group for case in self.cases}, key=lambda name: (name != "simple", name))
        return {name: np.array([case.group == name for case in self.cases]) for name in names}

    @cached_property
    def predictions(self) -> Array:
        """Probabilities without gaps: the mean of the readable ones of the system where a verdict is missing."""
        filled = self.said.copy()
        for system in self.systems.values():
            readable = system & ~np.isnan(self.said) & ~self.lacking
            gap = system & np.isnan(self.said)
            filled[gap] = self.said[readable].mean() if readable.any() else NEUTRAL
        filled[self.lacking] = 0.0
        return filled

    @property
    def rated(self) -> Mask:
        """Cases that the judge is asked about."""
        return ~self.lacking

    @property
    def labelled(self) -> Mask:
        """Cases with a label by a person."""
        return ~np.isnan(self.labels) & ~self.lacking

    def sample(self, chosen: Mask) -> Sample:
        """Return some cases as a sample; cases that lack what the label is about are left out."""
        with_label, without = chosen & self.labelled, chosen & ~self.labelled & ~self.lacking
        return Sample(self.labels[with_label], self.predictions[with_label], self.predictions[without])


def population_of(
    cases: Sequence[StudyCase], label: Label, labels: Mapping[Key, float], said: Mapping[Key, float | None]
) -> Population:
    """Return the cases of one label.

    Args:
        cases: The cases of the study that the label applies to (`StudyCase.applies`).
        label: The label.
        labels: Labels by people, by run and question.
        said: Probabilities of the judge, by run and question.
    """
    keys = [(case.run, case.question) for case in cases]
    values = np.array([labels.get(key, np.nan) for key in keys], dtype=np.float64)
    probabilities = [said.get(key) for key in keys]
    spoken = np.array([np.nan if one is None else one for one in probabilities], dtype=np.float64)
    return Population(label, tuple(cases), values, spoken, np.array([case.lacks(label) for case in cases]))


def strata_of(population: Population, chosen: Mask, key: Callable[[StudyCase], object]) -> tuple[list[Sample], int]:
    """Return some cases as strata, and the number of strata that had to join others.

    A stratum with fewer than two labels joins the one with the most.

    Args:
        population: The cases.
        chosen: Which of them.
        key: Gives the stratum of a case.
    """
    places: dict[object, list[int]] = {}
    for place in np.flatnonzero(chosen & ~population.lacking):
        places.setdefault(key(population.cases[place]), []).append(int(place))
    labelled = population.labelled
    sizes = {name: int(labelled[listed].sum()) for name, listed in places.items()}
    small = [name for name, n in sizes.items() if n < 2]
    if len(small) < len(places) and small:
        largest = max(sizes, key=lambda name: sizes[name])
        for name in small:
            places[largest] += places.pop(name)
    elif small:
        places = {"": sorted(place for listed in places.values() for place in listed)}
    strata = []
    for listed in places.values():
        mask = np.zeros(len(population.cases), dtype=np.bool_)
        mask[listed] = True
        strata.append(population.sample(mask))
    return strata, len(small)
