"""Folders that exchange their names, so that a reader finds one at any moment."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from graphbrick.core.files import folders
from graphbrick.core.files.exchanging import exchange
from graphbrick.core.files.folders import new_folder


def written(folder: Path, text: str) -> Path:
    folder.mkdir()
    (folder / "file").write_text(text)
    return folder


@pytest.mark.skipif(sys.platform not in ("linux", "darwin"), reason="other systems cannot exchange folders")
def test_two_folders_exchange_their_names(tmp_path: Path) -> None:
    one, other = written(tmp_path / "one", "1"), written(tmp_path / "ÿ two", "2")
    assert exchange(one, other)
    assert ((one / "file").read_text(), (other / "file").read_text()) == ("2", "1")


def test_nothing_changes_if_one_of_them_is_missing(tmp_path: Path) -> None:
    one = written(tmp_path / "one", "1")
    assert not exchange(one, tmp_path / "two")
    assert not exchange(tmp_path / "two", one)
    assert [path.name for path in tmp_path.iterdir()] == ["one"]


@pytest.mark.whole
@pytest.mark.skipif(sys.platform not in ("linux", "darwin"), reason="other systems cannot exchange folders")
def test_a_folder_that_is_replaced_is_never_missing(tmp_path: Path) -> None:
    place, missing, ended = written(tmp_path / "place", "0"), [], threading.Event()

    def watch() -> None:
        while not ended.is_set():
            if not place.is_dir():
                missing.append(True)

    watcher = threading.Thread(target=watch)
    watcher.start()
    for number in range(200):
        with new_folder(place, lambda: None) as work:
            (work / "file").write_text(f"{number}")
    ended.set()
    watcher.join()
    assert not missing
    assert (place / "file").read_text() == "199"
    assert [path.name for path in tmp_path.iterdir()] == ["place"]


def test_where_folders_cannot_exchange_they_are_renamed_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "exchange", lambda one, other: False)
    place = written(tmp_path / "place", "old")
    with new_folder(place, lambda: None) as work:
        (work / "file").write_text("new")
    assert (place / "file").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["place"]
