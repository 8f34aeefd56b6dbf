"""Trained judges and their folders: ``judge.json`` with how they were made, and their files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from graphbrick.core.errors import InputError
from graphbrick.core.files.folders import files_in, new_folder
from graphbrick.judge.synthetic.rows import require_new
from graphbrick.judge.verdicts import Judge, Label

FORMAT, VERSION = "graphbrick-judge", 1
FILE = "judge.json"


@contextmanager
def new_judge(folder: Path, about: Mapping[str, Any]) -> Iterator[Path]:
    """Context manager for the folder of a new judge, which is there at the end of the block.

    Args:
        folder: The folder to make.
        about: What ``judge.json`` says beside format and version: the kind of judge, and what that kind needs.

    Raises:
        InputError: It exists, or cannot be written.
    """
    with new_folder(folder, lambda: require_new(folder), InputError) as work:
        yield work
        text = json.dumps({"format": FORMAT, "version": VERSION, **about}, indent=1, ensure_ascii=False)
        (work / FILE).write_text(text + "\n", encoding="utf-8")


def read_judge(folder: Path) -> tuple[dict[str, Any], str]:
    """Return what ``judge.json`` says, and a checksum of all files of the judge, 16 hexadecimal digits.

    Raises:
        InputError: The folder holds no judge, or one of a later version.
    """
    try:
        about = json.loads((folder / FILE).read_bytes())
        digest = hashlib.sha256()
        for name in files_in(folder):
            digest.update(f"{name}\n".encode())
            with (folder / name).open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(
            f"holds no judge ({FILE} cannot be read); train one with graphbrick judge train",
            folder,
            code="judge_folder.unreadable",
        ) from error
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise InputError(f"holds no judge: {FILE} is something else", folder, code="judge_folder.not_a_judge")
    if about.get("version") != VERSION:
        version = about.get("version")
        reason = f"holds a judge of version {version}, which this graphbrick cannot open"
        raise InputError(reason, folder, code="judge_folder.other_version", version=version)
    return about, digest.hexdigest()[:16]


class TrainedJudge(Judge):
    """A judge that learned some labels, each with a scale from its output to log odds.

    Args:
        scales: For each label, what the output is multiplied by and what is added.
        identity: What tells it from other judges.
    """

    def __init__(self, scales: Mapping[Label, tuple[float, float]], identity: str) -> None:
        self._scales, self._identity = scales, identity

    @property
    def identity(self) -> str:
        """Its kind and a checksum of its files."""
        return self._identity

    @property
    def labels(self) -> frozenset[Label]:
        """The labels that it learned."""
        return frozenset(self._scales)

    def probability(self, label: Label) -> Callable[[float], float]:
        """Return the function that makes a probability of an output.

        Raises:
            ValueError: The judge did not learn the label.
        """
        if label not in self._scales:
            learned = ", ".join(sorted(self._scales))
            raise ValueError(f"this judge learned {learned}, not {label}; train it on data with that label")
        slope, shift = self._scales[label]
        return lambda output: float(0.5 * (1 + np.tanh(0.5 * (slope * output + shift))))


def scales_of(about: Mapping[str, Any], folder: Path) -> dict[Label, tuple[float, float]]:
    """Return the scales of a `TrainedJudge` that ``judge.json`` holds.

    Raises:
        InputError: It is damaged.
    """
    try:
        return {Label(name): (float(one["slope"]), float(one["shift"])) for name, one in about["labels"].items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        reason = f"{FILE} is damaged ({error!r}); train the judge again"
        raise InputError(reason, folder, code="judge_folder.bad_scales") from error
