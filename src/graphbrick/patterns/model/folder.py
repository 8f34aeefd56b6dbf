"""Trained patterns on disk: a folder with the weights and their description."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from types import NoneType
from typing import Any

import numpy as np

from graphbrick.core.errors import ModelError, PipelineError
from graphbrick.core.files import folders
from graphbrick.core.files.claims import recover
from graphbrick.core.files.digests import is_intact, sealed
from graphbrick.core.files.folders import check_writable, new_folder
from graphbrick.core.session import current_session
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.patterns.alignment.alignment import Alignment, Transitions, n_token_features
from graphbrick.patterns.alignment.alignment_table import N_FEATURES
from graphbrick.patterns.alignment.near_words import NearWords
from graphbrick.patterns.model.confidence import Calibration
from graphbrick.patterns.model.end_model import EndModel
from graphbrick.patterns.model.model import PatternModel
from graphbrick.patterns.model.question_features import WORDS as HASHED_WORDS
from graphbrick.patterns.text import with_marks
from graphbrick.patterns.words_file import WORDS

FORMAT, VERSION = "graphbrick-patterns", 7
# Version 2 has no alignment, 3 no calibration, 4 and 5 one of other figures; up to 6 steps back have other marks.
_READ = (2, 3, 4, 5, 6, 7)
DESCRIPTION, WEIGHTS = "model.json", "weights.npz"
LEARNED_WORDS = "words.learned.toml"
"""The words that were learned with, where the user changed `WORDS` meanwhile."""
_ARRAYS = ("scale", "narrow", "maps", "lengths", "relation_weights", "pattern_weights")
_ALIGNED = ("alignment_emission", "alignment_weights")
_OWN = (
    "format",
    "version",
    "embedder",
    "identity",
    "max_hops",
    "relations",
    "patterns",
    "alignment",
    "calibration",
    "ends",
    "symmetric",
    "near_words",
    "sha256",
    "checksum",
)


def save(
    model: PatternModel, path: Path, *, words: str | None = None, read: bytes = b"", overwrite: bool = False
) -> bool:
    """Write a model as a folder, whole or not at all.

    Other files in a folder that is replaced, such as those of an editor, are carried over.

    Args:
        model: The model.
        path: The folder.
        words: The text of `WORDS`, for patterns that were learned from the graph itself.
        read: What `WORDS` held when it was read; if it holds something else now, it stays as it is, and ``words`` are
            written to `LEARNED_WORDS`.
        overwrite: Replace trained patterns that are there.

    Returns:
        Whether somebody changed `WORDS` meanwhile.

    Raises:
        ModelError: There is something at the place already that is no such model, or ``overwrite`` is not set, or it
            cannot be written.
    """
    check_place(path, overwrite=overwrite)
    with new_folder(path, lambda: check_place(path, overwrite=overwrite), ModelError) as work:
        arrays = {name: getattr(model, name) for name in _ARRAYS}
        aligned = model.alignment
        if aligned is not None:
            arrays |= dict(zip(_ALIGNED, (aligned.emission, aligned.weights), strict=True))
        np.savez(work / WEIGHTS, **arrays)
        described = {
            "format": FORMAT,
            "version": VERSION,
            **model.about,
            "embedder": repr(model.embedder),
            "identity": model.embedder.identity,
            "max_hops": model.max_hops,
            "relations": list(model.relations),
            "patterns": [[[label, forward] for label, forward in steps] for steps in model.patterns],
            "alignment": None if aligned is None else _described_alignment(aligned),
            "calibration": None if model.calibration is None else model.calibration.to_dict(),
            "ends": None if model.ends is None else model.ends.to_dict(),
            "symmetric": sorted(model.symmetric),
            "near_words": dict(model.near_words.nouns),
            "sha256": sha256((work / WEIGHTS).read_bytes()).hexdigest(),
        }
        text = json.dumps(sealed(json.loads(json.dumps(described))), indent=1, ensure_ascii=False) + "\n"
        (work / DESCRIPTION).write_text(text, encoding="utf-8")
        made, edited = {DESCRIPTION, WEIGHTS, LEARNED_WORDS}, False
        if words is not None:
            present = words_in(path)
            edited = bool(present) and present != read
            (work / WORDS).write_bytes(present if edited else words.encode("utf-8"))
            if edited:
                (work / LEARNED_WORDS).write_text(words, encoding="utf-8")
            made.add(WORDS)
        for file in path.iterdir() if path.exists() else ():
            if file.name not in made:
                shutil.copy2(file, work / file.name, follow_symlinks=False)
    return edited


def words_in(path: Path) -> bytes:
    """Return the contents of the file `WORDS` of a folder; empty if it is not there."""
    try:
        return (path / WORDS).read_bytes()
    except FileNotFoundError:
        return b""


def check_place(path: Path, *, overwrite: bool) -> None:
    """Raise ModelError unless a model can be written there: before the work is done, not after it.

    A folder that a killed process left aside is put back first.
    """
    try:
        recover(path)
        check_writable(path)
    except OSError as error:
        raise ModelError(
            f"{path} cannot be written ({error.strerror or error}); choose another place", code="patterns.not_writable"
        ) from error
    folders.check_place(path, "trained patterns", _foreign_folders, overwrite=overwrite, error=ModelError)


def _foreign_folders(path: Path) -> list[str] | None:
    """Return the folders inside trained patterns, as only files are carried over; None if it is something else."""
    try:
        if _described(path).get("format") != FORMAT:
            return None
    except ModelError:
        return None
    return sorted(file.name for file in path.iterdir() if file.is_dir() and not file.is_symlink())


def load(path: str) -> PatternModel:
    """Return the model in a folder; a session reads it once, and again when its files have changed.

    Raises:
        ModelError: There is no such folder, it is damaged or foreign, or its embedder is another one now.
    """
    # Not pathlib, which would take a tenth of the time of a question.
    folder = os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111
    try:
        stamps = _stamps(folder)
    except (OSError, ValueError):
        try:
            recover(Path(folder))  # a killed process may have left it aside
            stamps = _stamps(folder)
        except (FileNotFoundError, NotADirectoryError) as error:
            name = os.path.basename(error.filename)  # noqa: PTH119
            raise ModelError(
                f"{path} holds no trained patterns: {name} is not there; make them with graphbrick learn, or "
                "graphbrick train patterns",
                code="patterns.not_there",
                name=name,
            ) from error
        except (OSError, ValueError) as error:  # too long for a name, not allowed, or with a null character
            raise ModelError(
                f"{path[:200]!r} cannot be read ({getattr(error, 'strerror', None) or error}); name the folder that "
                "graphbrick learn or graphbrick train patterns made",
                code="patterns.not_readable",
            ) from error
    return current_session().get(("pattern model", folder, *stamps), lambda: _load(Path(folder)), at_most=8)


def _stamps(folder: str) -> list[tuple[int, int, int]]:
    """Return marks of the description and of the weights that change when a file is replaced."""
    read = (os.stat(f"{folder}/{name}") for name in (DESCRIPTION, WEIGHTS))  # noqa: PTH116
    return [(status.st_mtime_ns, status.st_size, status.st_ino) for status in read]


def _check_version(folder: Path, described: Mapping[str, Any], advice: str) -> None:
    if described.get("format") != FORMAT:
        raise ModelError(
            f"{folder} holds something other than trained patterns; graphbrick train patterns makes them",
            code="patterns.not_patterns",
        )
    if described.get("version") not in _READ:
        raise ModelError(
            f"{folder} has version {described.get('version')!r}, this graphbrick reads {_READ}; {advice}",
            code="patterns.other_version",
        )


def _load(folder: Path) -> PatternModel:
    from graphbrick.pipeline.parsing import parse_brick

    described, advice = _described(folder), "train the patterns again"
    _check_version(folder, described, advice)
    try:
        _check_form(described)
        weights = (folder / WEIGHTS).read_bytes()
        if sha256(weights).hexdigest() != described["sha256"]:
            raise ModelError(
                f"{folder / WEIGHTS} is damaged: it is not what was written; {advice}", code="patterns.damaged_weights"
            )
        with np.load(folder / WEIGHTS, allow_pickle=False) as arrays:
            values = {name: arrays[name] for name in _ARRAYS}
            aligned = [arrays[name] for name in _ALIGNED if name in arrays]
        embedder = parse_brick(described["embedder"])
        if not isinstance(embedder, Embedder):
            raise TypeError(f"{embedder!r} is not an embedder")
        marked = tuple if described["version"] > 6 else with_marks
        relations = marked(list(map(str, described["relations"])))
        patterns = tuple(
            tuple(zip(marked([str(label) for label, _ in steps]), [bool(way) for _, way in steps], strict=True))
            for steps in described["patterns"]
        )
        about = {key: value for key, value in described.items() if key not in _OWN}
        symmetric = frozenset(map(str, described.get("symmetric", ())))
        alignment = _read_alignment(embedder, described.get("alignment"), aligned, symmetric, len(values["lengths"]))
        width = n_token_features(values["lengths"].shape[1] - 1 - HASHED_WORDS)
        if alignment is not None and alignment.emission.shape[1] != width:
            raise ModelError(
                f"{folder} was learned by a version that read words in another way; run graphbrick learn again",
                code="patterns.other_words",
            )
        calibration = described.get("calibration") if described["version"] >= 6 else None
        ends = described.get("ends")
        model = PatternModel(
            embedder,
            alignment=alignment,
            calibration=None if calibration is None else Calibration.from_dict(calibration),
            ends=None if ends is None else EndModel.from_dict(ends),
            relations=relations,
            patterns=patterns,
            about=about,
            symmetric=symmetric,
            near_words=NearWords({str(word): str(noun) for word, noun in described.get("near_words", {}).items()}),
            **values,
        )
    except (OSError, ValueError, LookupError, TypeError, RuntimeError, PipelineError, zipfile.BadZipFile) as error:
        raise ModelError(f"{folder} is damaged ({error}); {advice}", code="patterns.damaged") from error
    if embedder.identity != described.get("identity"):
        raise ModelError(
            f"{folder} was trained over {embedder!r} ({described.get('identity')}), which is {embedder.identity} here; "
            f"install that one, or {advice}",
            code="patterns.other_embedder",
        )
    if not is_intact(described):
        raise ModelError(
            f"{folder / DESCRIPTION} is damaged: it is not what was written; {advice}",
            code="patterns.damaged_description",
        )
    return model


def _described_alignment(model: Alignment) -> dict[str, Any]:
    """Return the description of an alignment; its arrays are with the weights."""
    counts = sorted(model.transitions.counts.items(), key=repr)
    return {
        "relations": list(model.relations),
        "phrases": list(model.names),
        "transitions": [[*key[:3], None if key[3] is None else list(key[3]), *times] for key, times in counts],
    }


def _read_alignment(
    embedder: Embedder, described: Any, arrays: list[Any], symmetric: frozenset[str], max_hops: int
) -> Alignment | None:
    if described is None:
        return None
    emission, weights = arrays
    counts = {
        (bool(left), bool(first), int(way), None if words is None else tuple(words)): (int(new), int(times))
        for left, first, way, words, new, times in described["transitions"]
    }
    relations, names = tuple(described["relations"]), tuple(described["phrases"])
    fits = emission.ndim == 2 and len(emission) == 2 * len(relations) + 1 and weights.shape == (N_FEATURES + max_hops,)
    if not fits:
        raise ValueError(
            f"an alignment of {len(relations)} relations and {max_hops} hops has arrays of {emission.shape}, "
            f"{weights.shape}"
        )
    if not (np.isfinite(emission).all() and np.isfinite(weights).all()):
        raise ValueError("the alignment has a weight that is not finite")
    return Alignment(embedder, relations, emission, Transitions(counts), weights, names, symmetric)


_FORM: Mapping[str, type | tuple[type, ...]] = {
    "embedder": str,
    "sha256": str,
    "relations": list,
    "patterns": list,
    "symmetric": list,
    "near_words": dict,
    "alignment": (dict, NoneType),
    "alignment relations": list,
    "alignment phrases": list,
    "alignment transitions": list,
    "calibration": (dict, NoneType),
    "calibration weights": dict,
    "calibration words": dict,
    "ends": (dict, NoneType),
    "ends weights": dict,
}
"""The JSON types of what a description holds, by its name; parts have the name of the whole before their own."""


def _check_form(described: Mapping[str, Any]) -> None:
    """Raise TypeError if a part of a description has another JSON type than it should."""
    for path, kinds in _FORM.items():
        value: Any = described
        for name in path.split(" "):
            value = value.get(name, ...) if isinstance(value, dict) else ...
        if value is not ... and not isinstance(value, kinds):
            raise TypeError(f"{path} is {type(value).__name__}")


def _described(folder: Path) -> dict[str, Any]:
    file = folder / DESCRIPTION
    try:
        read = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(
            f"{file} cannot be read ({error}); train the patterns again", code="patterns.bad_json"
        ) from error
    if not isinstance(read, dict):
        raise ModelError(
            f"{file} is damaged: it is not a JSON object; train the patterns again", code="patterns.not_an_object"
        )
    return read
