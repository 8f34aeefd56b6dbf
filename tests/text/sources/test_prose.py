"""Texts without a suffix: which files of a folder are read as text."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from graphbrick.text.sources import SourceOptions, documents_in, files_of

PROSE = "The port of Galway is as old as the town, and it has been open to the ships of all nations since 1921.\n"


@pytest.mark.parametrize(
    "name",
    ["README", "FAQ", "NEWS.gz", "README.Debian", "LICENSE-MIT", "copyright", "changelog.Debian.gz", "QuickStart",
     "KNOWN_BUGS", "Notes of May"],
)  # fmt: skip
def test_texts_without_a_suffix_are_read(tmp_path: Path, name: str) -> None:
    data = PROSE.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    (file,), others = files_of(tmp_path)
    assert others == []
    (document,) = documents_in(file, SourceOptions())
    assert document.text == PROSE
    assert document.title == name.removesuffix(".gz").replace("_", " ").replace("-", " ")
    assert files_of(file) == ([file], [])


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("README.png", b"\x89PNG\0"),
        ("NEWS", b"\0\1\2"),
        ("install", b"#!/bin/sh\necho the port of the town\n"),
        ("intro.1", b".TH intro 1\nThe port of the town.\n"),
        ("Makefile", PROSE.encode()),
        ("news.py", PROSE.encode()),
        ("port", PROSE.encode()),  # lower case is for programs and settings
        ("Ships", b"Nordlys\nLofoten\n" * 20),  # a list has no function words
        ("README.gz", b"not packed"),
        ("FAQ", b""),
    ],
)
def test_programs_lists_and_damaged_files_are_of_other_kinds(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    documents, others = files_of(tmp_path)
    assert documents == []
    assert [file.name for file in others] == [name]
