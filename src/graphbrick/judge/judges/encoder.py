"""The judge that reads question and text together: a tuned encoder for each label, run by onnxruntime without torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphbrick.core.errors import InputError
from graphbrick.judge.judges.baselines import texts_for
from graphbrick.judge.judges.folder import FILE
from graphbrick.judge.verdicts import Case, Judge, Label, Verdict
from graphbrick.judge.words import content_words, coverage
from graphbrick.models.scorers.cross_encoder import CrossEncoder
from graphbrick.models.scorers.scorer import Scorer

KIND = "encoder"
"""Kind of these judges."""
MOST_PARTS = 6
"""Parts of a long text that are read: those that share most words with the other text."""


class EncoderJudge(Judge):
    """A judge by encoders: the probability is that of the best part of the evidence.

    Args:
        scorers: The encoder of each label.
        scales: For each label, what its output is multiplied by and what is added, to give log odds.
        identity: What tells it from other judges.
    """

    def __init__(
        self, scorers: Mapping[Label, Scorer], scales: Mapping[Label, tuple[float, float]], identity: str
    ) -> None:
        self._scorers, self._scales, self._identity = scorers, scales, identity

    @property
    def identity(self) -> str:
        """Its kind and a checksum of its files."""
        return self._identity

    @property
    def labels(self) -> frozenset[Label]:
        """The labels that it learned."""
        return frozenset(self._scorers)

    def rate(self, label: Label, cases: Sequence[Case]) -> list[Verdict]:
        """Return one verdict a case; a case without evidence, or without an answer where one is judged, has 0."""
        if label not in self._scorers:
            learned = ", ".join(sorted(self._scorers))
            raise ValueError(f"this judge learned {learned}, not {label}; train it on data with that label")
        slope, shift = self._scales[label]
        verdicts = []
        for case in cases:
            text, parts = closest_parts(label, case)
            if not text or not parts:
                verdicts.append(Verdict(0.0, "there is nothing to read"))
                continue
            score = float(self._scorers[label].rate(text, parts).max())
            verdicts.append(Verdict(float(0.5 * (1 + np.tanh(0.5 * (slope * score + shift))))))
        return verdicts


def closest_parts(label: Label, case: Case, most: int = MOST_PARTS) -> tuple[str, list[str]]:
    """Return the two texts of a case that a label is about, of the second the parts that share most words."""
    text, parts = texts_for(label)(case)
    words = content_words(text)
    shared = [coverage(words, content_words(part)) for part in parts]
    order = sorted(range(len(parts)), key=lambda i: (-shared[i], i))[:most]
    return text, [parts[i] for i in order]


def open_encoder(folder: Path, about: Mapping[str, Any], checksum: str) -> EncoderJudge:
    """Open a judge of this kind.

    Args:
        folder: The folder, with one for each label in it.
        about: What its ``judge.json`` holds.
        checksum: Of its files.

    Raises:
        InputError: The file is damaged.
    """
    try:
        scales = {Label(name): (float(one["slope"]), float(one["shift"])) for name, one in about["labels"].items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{FILE} is damaged ({error!r}); train the judge again", folder) from error
    scorers = {label: CrossEncoder(str((folder / label).absolute())) for label in scales}
    return EncoderJudge(scorers, scales, f"{KIND} {checksum}")
