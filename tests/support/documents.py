"""Folders of documents for tests of text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def write_documents(folder: Path, texts: Mapping[str, str]) -> Path:
    """Make a folder with a file for each text, by name, and return it."""
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder
