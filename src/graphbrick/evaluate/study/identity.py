"""The identity of a pipeline in a study: what changes its results, with checksums of the files it names."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphbrick.evaluate.study.encoding import plain
from graphbrick.pipeline import Pipeline

if TYPE_CHECKING:
    from graphbrick.evaluate.study.records import StudyRun


@dataclass(frozen=True, slots=True)
class Identity:
    """What makes the results of a pipeline different from those of another one.

    Attributes:
        text: The recipe text without the parameters that change no result, such as ``timeout``.
        files: The checksum of each file or folder that the pipeline names, by its path.
    """

    text: str
    files: Mapping[str, str] = field(default_factory=dict, hash=False)

    def to_json(self) -> str:
        """Return the identity as JSON; equal identities give equal texts."""
        return plain(json.dumps({"text": self.text, "files": dict(sorted(self.files.items()))}))

    @classmethod
    def from_json(cls, text: str) -> Identity:
        """Return the identity that `to_json` wrote."""
        return cls(**json.loads(text))


def identity_of(pipeline: Pipeline) -> Identity:
    """Return the identity of a pipeline."""
    return Identity(repr(pipeline))


def changed_files(runs: Iterable[StudyRun]) -> dict[int, tuple[str, tuple[str, ...]]]:
    """Find runs of the same pipeline before and after a file changed.

    Returns:
        For the number of each run whose pipeline ran before with other files: the name of the last such run, and the
        paths of the files that are different.
    """
    last: dict[tuple[str, str, bool], StudyRun] = {}
    changed = {}
    for run in runs:
        if run.identity is None:
            continue
        key = run.identity.text, run.graph_hash, run.linked
        before = last.get(key)
        if before is not None and before.identity is not None:
            old, new = before.identity.files, run.identity.files
            paths = tuple(path for path in sorted({*old, *new}) if old.get(path) != new.get(path))
            changed[run.id] = before.name, paths
        last[key] = run
    return changed
