"""The judge that reads question and text together: a tuned encoder for each label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from graphbrick.judge.judges.baselines import texts_for
from graphbrick.judge.judges.folder import TrainedJudge, scales_of
from graphbrick.judge.verdicts import Case, Label, Verdict
from graphbrick.judge.words import content_words, coverage
from graphbrick.models.scorers.cross_encoder import CrossEncoder
from graphbrick.models.scorers.scorer import Scorer

KIND = "encoder"
"""Kind of these judges."""
MOST_PARTS = 6
"""Parts of a long text that are read: those that share most words with the other text."""


class EncoderJudge(TrainedJudge):
    """A judge by encoders: the probability is that of the best part of the evidence.

    Args:
        scorers: The encoder of each label.
        scales: For each label, what its output is multiplied by and what is added, to give log odds.
        identity: What tells it from other judges.
    """

    def __init__(
        self, scorers: Mapping[Label, Scorer], scales: Mapping[Label, tuple[float, float]], identity: str
    ) -> None:
        super().__init__(scales, identity)
        self._scorers = scorers

    def rate(self, label: Label, cases: Sequence[Case]) -> list[Verdict]:
        """Return one verdict a case; a case without evidence, or without an answer where one is judged, has 0."""
        probability, verdicts = self.probability(label), []
        for case in cases:
            text, parts = closest_parts(label, case)
            if not text or not parts:
                verdicts.append(Verdict(0.0, "there is nothing to read"))
                continue
            verdicts.append(Verdict(probability(float(self._scorers[label].rate(text, parts).max()))))
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
    scales = scales_of(about, folder)
    scorers = {label: CrossEncoder(str((folder / label).absolute())) for label in scales}
    return EncoderJudge(scorers, scales, f"{KIND} {checksum}")
