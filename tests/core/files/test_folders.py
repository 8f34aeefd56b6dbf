"""Folders that are there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from faults import fails

from graphbrick.core.errors import GraphbrickError, InputError, ModelError
from graphbrick.core.files import claims, folders
from graphbrick.core.files.claims import recover
from graphbrick.core.files.digests import digest
from graphbrick.core.files.folders import NewFolder, check_writable, new_folder, put_in_place


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def write(path: Path, text: str) -> None:
    with new_folder(path, lambda: None) as work:
        (work / "file").write_text(text)


def test_a_folder_takes_its_place_at_the_end(tmp_path: Path) -> None:
    write(tmp_path / "f", "one")
    with new_folder(tmp_path / "f", lambda: None) as work:
        (work / "file").write_text("two")
        assert (tmp_path / "f" / "file").read_text() == "one"
    assert (tmp_path / "f" / "file").read_text() == "two"
    assert names(tmp_path) == ["f"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failure_leaves_what_was_there(tmp_path: Path, error: type[BaseException]) -> None:
    write(tmp_path / "f", "one")

    def fail() -> None:
        with new_folder(tmp_path / "f", lambda: None) as work:
            (work / "file").write_text("two")
            raise error

    with pytest.raises(error):
        fail()
    assert (tmp_path / "f" / "file").read_text() == "one"
    assert names(tmp_path) == ["f"]


def test_the_place_is_checked_again_before_the_end(tmp_path: Path) -> None:
    def check() -> None:
        if (tmp_path / "f").exists():
            raise GraphbrickError("taken")

    with pytest.raises(GraphbrickError, match="taken"), new_folder(tmp_path / "f", check):
        (tmp_path / "f").mkdir()
    assert names(tmp_path) == ["f"]


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    place = tmp_path / "file" / "f"
    with fails("folder.not_writable", ModelError, path=place), new_folder(place, lambda: None, ModelError):
        pass


def test_the_root_is_no_place_for_a_folder() -> None:
    with fails("folder.not_writable", ModelError), new_folder(Path("/"), lambda: None, ModelError):
        pass


def test_what_a_killed_process_moved_aside_comes_back(tmp_path: Path) -> None:
    write(tmp_path / "f", "one")
    assert not recover(tmp_path / "f")
    (tmp_path / "f").rename(tmp_path / ".f.replaced-1-0")
    assert recover(tmp_path / "f")
    assert (tmp_path / "f" / "file").read_text() == "one"
    assert names(tmp_path) == ["f"]


def test_what_another_process_is_replacing_is_left_alone(tmp_path: Path) -> None:
    aside = tmp_path / ".f.replaced-1-0"
    aside.mkdir()
    claim = claims.claim_folder(aside)
    assert claim is not None
    assert recover(tmp_path / "f")  # worth another try
    assert names(tmp_path) == [".f.replaced-1-0"]
    folders.os.close(claim)


def test_what_a_killed_process_left_is_removed_or_continued(tmp_path: Path) -> None:
    left = tmp_path / ".f.building-1-0"
    left.mkdir()
    (left / "half").write_text("")
    with NewFolder(tmp_path / "f", lambda: None, can_resume=lambda folder: (folder / "half").exists()) as work:
        assert work == left
    (left).mkdir()
    with NewFolder(tmp_path / "f", lambda: None) as work:
        assert names(tmp_path) == [work.name] != [left.name]


def test_without_locks_on_folders_old_ones_count_as_left_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (claims, folders):
        monkeypatch.setattr(module, "claim_folder", lambda folder: None)  # as on Windows
    left = tmp_path / ".f.building-1-0"
    left.mkdir()
    write(tmp_path / "f", "one")
    assert names(tmp_path) == [left.name, "f"]
    folders.os.utime(left, (0, 0))
    write(tmp_path / "f", "two")
    assert names(tmp_path) == ["f"]


def test_a_failing_rename_puts_the_old_folder_back(tmp_path: Path) -> None:
    write(tmp_path / "f", "one")
    with pytest.raises(FileNotFoundError):
        put_in_place(tmp_path / "nothing", tmp_path / "f")
    assert (tmp_path / "f" / "file").read_text() == "one"


def test_a_digest_does_not_pass_over_a_folder_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "weights").write_text("1")
    scan = os.scandir

    def refusing(path: str) -> object:
        if Path(path).name == "inner":
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr("os.scandir", refusing)
    with fails("digest.unreadable", InputError) as caught:
        digest(tmp_path)
    assert str(caught.value.file).endswith("inner")


def test_a_folder_is_claimed_by_one_at_a_time(tmp_path: Path) -> None:
    claimed = claims.claim_folder(tmp_path)
    assert claimed is not None
    with pytest.raises(BlockingIOError):
        claims.claim_folder(tmp_path)
    assert claims.is_claimed(tmp_path)
    os.close(claimed)
    assert not claims.is_claimed(tmp_path)
    assert not claims.is_claimed(tmp_path / "nothing")


def test_without_locks_a_folder_is_claimed_for_a_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (claims, folders):
        monkeypatch.setattr(module, "claim_folder", lambda folder: None)
    os.utime(tmp_path, (1_000_000, 1_000_000))
    for now, is_claimed in ((1_086_399, True), (1_086_400, False), (1_086_401, False)):
        monkeypatch.setattr("time.time", lambda now=now: now)
        assert claims.is_claimed(tmp_path) == is_claimed


def test_only_hidden_folders_with_a_number_are_of_a_process(tmp_path: Path) -> None:
    for name in (".f.building-1-0", ".f.building-x", ".g.building-1-0", "f.building-1-0"):
        (tmp_path / name).mkdir()
    (tmp_path / ".f.building-2-0").write_text("a file")
    write(tmp_path / "f", "one")
    assert names(tmp_path) == [".f.building-2-0", ".f.building-x", ".g.building-1-0", "f", "f.building-1-0"]


def test_only_one_folder_of_a_killed_process_is_continued(tmp_path: Path) -> None:
    left = [tmp_path / f".f.building-{number}-0" for number in (1, 2)]
    for folder in left:
        folder.mkdir()
    writing = NewFolder(tmp_path / "f", lambda: None, can_resume=lambda folder: True)
    with writing as work:
        assert work in left
        assert names(tmp_path) == [work.name]
        assert claims.is_claimed(work)
        (work / "inner").mkdir()
        (work / "inner" / "file").write_text("whole")
        writing.commit()
    assert folders.files_in(tmp_path) == ["f/inner/file"]


def test_a_place_is_writable_if_a_folder_can_be_made_there(tmp_path: Path) -> None:
    check_writable(tmp_path / "f")
    check_writable(tmp_path / "not" / "there" / "f")
    assert names(tmp_path) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError):
        check_writable(tmp_path / "file" / "f")
    with pytest.raises(IsADirectoryError):
        check_writable(Path("/"))


def test_a_folder_that_is_there_is_not_taken_for_one_aside(tmp_path: Path) -> None:
    write(tmp_path / "f", "new")
    (tmp_path / ".f.replaced-1-0").mkdir()
    assert recover(tmp_path / "f")
    assert (tmp_path / "f" / "file").read_text() == "new"
    write(tmp_path / "f", "newer")
    assert names(tmp_path) == ["f"]
