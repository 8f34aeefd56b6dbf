"""Small learned models over an embedder, each one file of arrays with a description."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import ModelError, PipelineError
from graphbrick.core.session import current_session
from graphbrick.models.embedders.embedder import Embedder

_VERSION = 1
Arrays = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True, eq=False)
class LearnedFile:
    """A learned model as it is kept.

    Attributes:
        kind: What it is, such as "towers".
        embedder: Makes the vectors it was trained on.
        about: Other facts in plain JSON types.
        arrays: The weights.
    """

    kind: str
    embedder: Embedder
    about: Mapping[str, Any]
    arrays: Arrays


def save_learned(model: LearnedFile, path: Path, *, overwrite: bool = False) -> None:
    """Write a model as a file, whole or not at all.

    Raises:
        ModelError: There is a file already and ``overwrite`` is not set, or it cannot be written.
    """
    check_free(path, overwrite=overwrite)
    about = {
        "kind": model.kind,
        "version": _VERSION,
        "embedder": repr(model.embedder),
        "identity": model.embedder.identity,
        "about": dict(model.about),
    }
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file:
            np.savez(file, allow_pickle=False, description=np.array(json.dumps(about)), **model.arrays)
        part.replace(path)
    except OSError as error:
        raise ModelError(
            f"{path} cannot be written ({error.strerror}); choose another folder", code="learned_file.not_writable"
        ) from error
    finally:
        part.unlink(missing_ok=True)


def check_free(path: Path, *, overwrite: bool) -> None:
    """Raise `ModelError` if a file exists that may not be replaced; called before the training starts."""
    if path.exists() and not overwrite:
        raise ModelError(
            f"{path} exists already; choose another name, or replace it with --overwrite", code="learned_file.exists"
        )


def load_learned(path: str, kind: str) -> LearnedFile:
    """Return a model, read once a session.

    Raises:
        ModelError: The file is missing, damaged or of another kind, or its embedder is not installed or has changed.
    """
    try:
        file = Path(path).expanduser()
        changed = file.stat().st_mtime_ns
    except (OSError, ValueError, RuntimeError) as error:  # also a null character, or the home of an unknown user
        reason = getattr(error, "strerror", None) or error
        raise ModelError(
            f"{path} cannot be read ({reason}); make it with graphbrick train {kind}", code="learned_file.not_readable"
        ) from error
    return current_session().get((kind, path, changed), lambda: _read(file, kind), at_most=8)


def _read(path: Path, kind: str) -> LearnedFile:
    from graphbrick.pipeline.parsing import parse_brick

    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as loaded:
            arrays = {name: loaded[name] for name in loaded.files}
        about = json.loads(str(arrays.pop("description")))
        if (about["kind"], about["version"]) != (kind, _VERSION) or not all(
            np.isfinite(array).all() for array in arrays.values()
        ):
            raise ValueError("kind")
        embedder, identity, others = parse_brick(about["embedder"]), about["identity"], about["about"]
    except (
        OSError,
        EOFError,
        ValueError,
        KeyError,
        TypeError,
        RuntimeError,
        zipfile.BadZipFile,
        PipelineError,
    ) as error:
        raise ModelError(
            f"{path} is not a file of graphbrick train {kind}, or it is damaged; make it anew",
            code="learned_file.damaged",
            model=kind,
        ) from error
    if not isinstance(embedder, Embedder) or embedder.identity != identity:
        raise ModelError(
            f"{path} was trained on vectors of {about['embedder']}, which is another model now",
            code="learned_file.other_embedder",
        )
    return LearnedFile(kind, embedder, others, arrays)
