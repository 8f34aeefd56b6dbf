"""Text files that replace an earlier one when they are complete."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from graphbrick.core.files.replacing import replacing


def mode(file: Path) -> int:
    return file.stat().st_mode & 0o777


@pytest.fixture
def umask():
    """Sets the umask, and sets it back after the test."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


@pytest.mark.posix
@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize(("mask", "expected"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_gets_what_the_umask_allows(tmp_path, umask, monkeypatch, mask, expected):
    umask(mask)
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("the umask is that of all threads"))
    with replacing(tmp_path / "new.txt") as out:
        out.write("Kenya")
    assert mode(tmp_path / "new.txt") == expected


@pytest.mark.posix
@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("permissions", [0o640, 0o400, 0o666])
def test_an_earlier_file_keeps_its_permissions_and_is_private_until_it_is_complete(tmp_path, permissions):
    file = tmp_path / "old.txt"
    file.write_text("before")
    file.chmod(permissions)
    with replacing(file) as out:
        out.write("after")
        assert [mode(other) for other in tmp_path.iterdir() if other != file] == [0o600]
        assert file.read_text() == "before"
    assert (file.read_text(), mode(file)) == ("after", permissions)


def test_a_failure_leaves_the_earlier_file(tmp_path):
    file = tmp_path / "old.txt"
    file.write_text("before")
    with pytest.raises(ZeroDivisionError), replacing(file) as out:
        out.write(str(1 / 0))
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("old.txt", "before")]


def test_a_name_as_long_as_the_system_allows(tmp_path):
    file = tmp_path / ("\u00fc" * 120)
    with replacing(file) as out:
        out.write("\ud800\n")
    assert file.read_bytes() == b"\\ud800\n"
