"""The judge that a folder holds: logistic models by label, and the models that it reads texts with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphbrick.core.errors import InputError
from graphbrick.judge.judges.baselines import known_reranker
from graphbrick.judge.judges.classifier.features import Features, names_of
from graphbrick.judge.judges.classifier.logistic import Logistic
from graphbrick.judge.judges.folder import FILE
from graphbrick.judge.judges.parts import Reader
from graphbrick.judge.verdicts import Case, Judge, Label, Verdict
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.pipeline.parsing import parse_brick

KIND = "classifier"
"""Kind of these judges."""
RERANKER = "reranker"
"""Stands for the re-ranker that `graphbrick models` knows, wherever it is."""
_TOP = 2  # numbers that a reason names


class LearnedJudge(Judge):
    """A judge that learned from examples: a logistic model for each label.

    Args:
        models: The logistic models.
        rarity: Inverse document frequencies of words in the texts that it learned from.
        reader: Compares texts.
        identity: What tells it from other judges.
    """

    def __init__(
        self, models: Mapping[Label, Logistic], rarity: Mapping[str, float], reader: Reader, identity: str
    ) -> None:
        self._models, self._features, self._identity = models, Features(reader, rarity), identity

    @property
    def identity(self) -> str:
        """Its kind and a checksum of its file."""
        return self._identity

    @property
    def labels(self) -> frozenset[Label]:
        """The labels that it learned."""
        return frozenset(self._models)

    def rate(self, label: Label, cases: Sequence[Case]) -> list[Verdict]:
        """Return one verdict a case; the reason names the numbers that count most for or against it."""
        if label not in self._models:
            learned = ", ".join(sorted(self._models))
            raise ValueError(f"this judge learned {learned}, not {label}; train it on data with that label")
        model, names = self._models[label], names_of(label)
        rows = self._features.of(label, cases)
        pushes = (rows - model.mean) / model.scale * model.weights
        verdicts = []
        for probability, push in zip(model.probabilities(rows).tolist(), pushes, strict=True):
            sign = 1 if probability >= 0.5 else -1
            order = [i for i in np.argsort(-sign * push, kind="stable")[:_TOP] if sign * push[i] > 0]
            side = "for" if sign > 0 else "against"
            reason = f"{side} it: {', '.join(names[i] for i in order)}" if order else ""
            verdicts.append(Verdict(float(probability), reason))
        return verdicts


def description(
    models: Mapping[Label, Logistic], rarity: Mapping[str, float], readers: tuple[str, str], report: Any
) -> dict[str, Any]:
    """Return what ``judge.json`` holds.

    Args:
        models: The logistic models.
        rarity: See `LearnedJudge`.
        readers: Recipe text of the embedder, and of the re-ranker (`RERANKER`, or empty for none).
        report: How it was trained and how well it did.
    """
    labels = {
        label: {
            "names": list(names_of(label)),
            **{part: getattr(model, part).tolist() for part in ("mean", "scale", "weights")},
            **{part: getattr(model, part) for part in ("bias", "slope", "shift")},
        }
        for label, model in models.items()
    }
    about = {"kind": KIND, "embedder": readers[0], "reranker": readers[1]}
    return {**about, "report": report, "labels": labels, "rarity": dict(rarity)}


def open_classifier(folder: Path, about: Mapping[str, Any], checksum: str) -> LearnedJudge:
    """Open a judge of this kind.

    Args:
        folder: The folder, for errors.
        about: What its ``judge.json`` holds.
        checksum: Of its files.

    Raises:
        InputError: The file is damaged, or of a version with other numbers.
        ModelError: A model that it reads texts with is missing.
    """
    try:
        models = {}
        for name, values in about["labels"].items():
            if tuple(values["names"]) != names_of(Label(name)):
                advice = "was trained by another version, which looks at other numbers; train it again"
                raise InputError(advice, folder, code="classifier.other_features")
            mean, scale, weights = (np.array(values[part], dtype=np.float64) for part in ("mean", "scale", "weights"))
            bias, slope, shift = (float(values[part]) for part in ("bias", "slope", "shift"))
            figures = np.stack([mean, scale, weights])  # a ValueError unless they are equally many
            if (
                figures.shape[1:] != (len(values["names"]),)
                or not np.isfinite([*figures.flat, bias, slope, shift]).all()
            ):
                raise ValueError(f"{name} needs {len(values['names'])} finite numbers of each kind")
            models[Label(name)] = Logistic(mean, scale, weights, bias, slope, shift)
        rarity = {str(word): float(value) for word, value in about["rarity"].items()}
        readers = str(about["embedder"]), str(about["reranker"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        reason = f"{FILE} is damaged ({error!r}); train the judge again"
        raise InputError(reason, folder, code="classifier.damaged") from error
    return LearnedJudge(models, rarity, reader_of(*readers), f"{KIND} {checksum}")


def reader_of(embedder: str, reranker: str) -> Reader:
    """Return what reads texts, by recipe texts.

    Raises:
        InputError: One of them is not an embedder or scorer.
        ModelError: The re-ranker is missing.
    """
    first = parse_brick(embedder)
    second = None if not reranker else known_reranker() if reranker == RERANKER else parse_brick(reranker)
    if not isinstance(first, Embedder):
        raise InputError(
            f"a judge compares texts by an embedder such as MiniLM(), got {embedder}",
            code="classifier.not_an_embedder",
            embedder=embedder,
        )
    if second is not None and not isinstance(second, Scorer):
        raise InputError(
            f"a judge ranks texts by a scorer such as CrossEncoder(...), got {reranker}",
            code="classifier.not_a_scorer",
            reranker=reranker,
        )
    return Reader(first, second)
