"""The experiment files that come with the package."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path


def shipped() -> dict[str, Path]:
    """Return the files that come with the package, by their names: ``smoke.toml``."""
    with as_file(files(__name__)) as folder:
        return {file.name: file for file in sorted(folder.glob("*.toml"))}


def shipped_or(file: Path) -> Path:
    """Return a file; the one that comes with the package if there is none of this name."""
    return file if file.exists() else shipped().get(str(file), file)
