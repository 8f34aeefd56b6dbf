"""Opening the folder of a trained judge, of whatever kind."""

from __future__ import annotations

from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.judge.judges import encoder, tuned_model
from graphbrick.judge.judges.classifier import learned
from graphbrick.judge.judges.folder import read_judge
from graphbrick.judge.verdicts import Judge


def open_judge(folder: Path) -> Judge:
    """Return the judge that a folder holds.

    Raises:
        InputError: The folder holds no judge, or one that is damaged or of a later version.
        ModelError: A model that it needs is missing.
    """
    about, checksum = read_judge(folder)
    kind = about.get("kind")
    if kind == learned.KIND:
        return learned.open_classifier(folder, about, checksum)
    if kind == encoder.KIND:
        return encoder.open_encoder(folder, about, checksum)
    if kind == tuned_model.KIND:
        return tuned_model.open_tuned(folder, about, checksum)
    raise InputError(
        f"holds a judge of kind {kind!r}; this graphbrick knows {learned.KIND}, {encoder.KIND} and {tuned_model.KIND}",
        folder,
        code="trained_judge.unknown_kind",
    )
