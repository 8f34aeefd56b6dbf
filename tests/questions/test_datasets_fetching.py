"""Fetching published data sets from a server on loopback, and naming them in place of a file."""

from __future__ import annotations

import hashlib
import io
import json
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path

import hub as hubs
import pytest
from faults import fails
from hub import Hub

from graphbrick.cli.app import main
from graphbrick.core.errors import InputError
from graphbrick.core.files import downloading
from graphbrick.core.files.locks import claim
from graphbrick.questions import archives, fetching
from graphbrick.questions.fetching import fetch_dataset, fetched_splits, load_all, named_files, split_files
from graphbrick.questions.table import Dataset, PublishedFile

TEST = json.dumps({"question": "What is the capital of Kenya?", "seeds": ["Kenya"], "answers": ["Nairobi"]}).encode()
TRAIN = json.dumps({"question": "What is the capital of Uganda?", "seeds": ["Uganda"], "answers": ["Kampala"]}).encode()
MEMBERS = {"top/data/x.train.jsonl": TRAIN, "top/data/x.test.jsonl": TEST, "top/README": b"read me"}


def zipped(members: dict[str | zipfile.ZipInfo, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


ARCHIVE = zipped(MEMBERS)
SPLITS = (("train", "top/data/x.train.jsonl"), ("test", "top/data/x.test.jsonl"))


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    """A server with three data sets: an archive without a checksum, two files with one, and one for browsers."""
    monkeypatch.setattr(downloading, "WAIT", 0.001)
    monkeypatch.setenv("GRAPHBRICK_DATASETS", str(tmp_path / "datasets"))
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with hubs.serving({"a.zip": ARCHIVE, "train.jsonl": TRAIN, "test.jsonl": TEST}) as running:
        about = ("plain", "none", "https://example.org/page", "CC0", "A paper")
        url = running.address
        known = [
            Dataset("packed", "Packed", *about, (PublishedFile(f"{url}/a.zip", "a.zip", None, None, SPLITS),), ""),
            Dataset(
                "two", "Two", *about,
                tuple(PublishedFile(f"{url}/{of}.jsonl", f"{of}.jsonl", sha(data), len(data), ((of, f"{of}.jsonl"),))
                      for of, data in (("train", TRAIN), ("test", TEST))),
                "",
            ),
            Dataset("hands", "Hands", *about, (), "Open it in a browser.", (("test", "deep/test.jsonl"),)),
            Dataset("none", "None", *about, (), "There is none."),
        ]  # fmt: skip
        table = {one.name: one for one in known}
        for module in ("", ".table", ".fetching"):
            monkeypatch.setattr(f"graphbrick.questions{module}.known", lambda: table)
        yield running


def left(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_the_questions_are_taken_out_of_an_archive(hub: Hub, tmp_path: Path) -> None:
    fetched = fetch_dataset("packed")
    place = tmp_path / "datasets" / "packed"
    assert [(file.split, file.path.read_bytes()) for file in fetched.files] == [("train", TRAIN), ("test", TEST)]
    assert left(place) == ["fetched.json", "x.test.jsonl", "x.train.jsonl"]
    assert {(file.sha256, file.checked) for file in fetched.files} == {(sha(ARCHIVE), False)}
    assert split_files("packed", "test") == (place / "x.test.jsonl",)
    assert fetched_splits(fetched.dataset) == ["train", "test"]


def test_what_is_there_is_not_fetched_again_and_a_file_that_is_gone_is(hub: Hub, tmp_path: Path) -> None:
    assert fetch_dataset("packed") == fetch_dataset("packed")
    assert len(hub.asked) == 1
    (tmp_path / "datasets" / "packed" / "x.test.jsonl").unlink()
    fetch_dataset("packed")
    assert len(hub.asked) == 2
    (tmp_path / "datasets" / "packed" / "x.test.jsonl").write_text("mine")
    with fails("datasets.changed_file", InputError):
        fetch_dataset("packed")


def test_a_checksum_that_is_known_is_checked(hub: Hub, tmp_path: Path) -> None:
    fetched = fetch_dataset("two", tmp_path / "mine", split="test")
    (file,) = fetched.files
    assert (file.path, file.checked, file.sha256) == (tmp_path / "mine" / "test.jsonl", True, sha(TEST))
    assert [path for path, _ in hub.asked] == ["/test.jsonl"]
    hub.files["train.jsonl"] = TRAIN[:-1] + b"x"
    with fails("datasets.other_checksum", InputError):
        fetch_dataset("two", tmp_path / "mine")
    assert left(tmp_path / "mine") == ["fetched.json", "test.jsonl"]


def test_a_download_that_breaks_is_gone_on_with_where_the_checksum_is_known(hub: Hub, tmp_path: Path) -> None:
    hub.breaks = [30] + [0] * 9
    with fails("datasets.not_fetchable", InputError):
        fetch_dataset("two", split="test")
    hub.breaks, hub.asked = [], []
    fetch_dataset("two", split="test")
    assert hub.asked == [("/test.jsonl", "bytes=30-")]


def test_without_a_checksum_it_is_gone_on_with_only_while_it_is_the_same_file(hub: Hub, tmp_path: Path) -> None:
    for tag, wanted in (('"one"', ["bytes=30-"]), ('"two"', ["bytes=30-"]), ("", [""])):
        hub.etag, hub.breaks = '"one"' if tag else "", [30] + [0] * 9
        with fails("datasets.not_fetchable", InputError):
            fetch_dataset("packed", tmp_path / f"of {tag[1:-1]}")
        hub.breaks, hub.asked, hub.etag = [], [], tag
        fetched = fetch_dataset("packed", tmp_path / f"of {tag[1:-1]}")
        assert [said for _, said in hub.asked] == wanted
        assert fetched.files[0].sha256 == sha(ARCHIVE)
        assert not [name for name in left(fetched.folder) if ".part" in name]


def test_a_file_fetched_otherwise_is_taken(hub: Hub, tmp_path: Path) -> None:
    hub.status = 404
    place = tmp_path / "datasets" / "packed"
    with pytest.raises(InputError, match=rf"status 404 Not Found\. Check .* put it at {place / 'a.zip'}, and run"):
        fetch_dataset("packed")
    (place / "a.zip").write_bytes(ARCHIVE)
    assert fetch_dataset("packed").files[1].path.read_bytes() == TEST
    assert (place / "a.zip").exists()


def test_another_file_in_its_place_is_refused_and_stays(hub: Hub, tmp_path: Path) -> None:
    place = tmp_path / "datasets" / "two"
    place.mkdir(parents=True)
    (place / "test.jsonl").write_text("mine")
    with fails("datasets.other_file", InputError):
        fetch_dataset("two", split="test")
    assert (place / "test.jsonl").read_text() == "mine"


def test_a_web_page_is_no_file(hub: Hub, tmp_path: Path) -> None:
    hub.kind = "text/html; charset=utf-8"
    with fails("datasets.not_fetchable", InputError):
        fetch_dataset("packed")


LINK = zipfile.ZipInfo("top/data/x.train.jsonl")
LINK.external_attr = (stat.S_IFLNK | 0o777) << 16
ENCRYPTED = bytearray(ARCHIVE)
for _mark, _at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
    ENCRYPTED[ENCRYPTED.find(_mark) + _at] |= 1
_BODY = 30 + len("top/data/x.train.jsonl")
SPOILED = ARCHIVE[:_BODY] + b"\xff" * 20 + ARCHIVE[_BODY + 20 :]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"<p>Not found</p>", "archive.not_readable"),
        (ARCHIVE[:-30], "archive.not_readable"),
        (zipped({"../../x.train.jsonl": TRAIN}), "archive.no_member"),
        (zipped({LINK: b"/etc/passwd"}), "archive.link"),
        (bytes(ENCRYPTED), "archive.encrypted"),
        (zipped({"top/data/x.train.jsonl": b"x" * 5000}), "archive.member_too_large"),
        (zipped({"top/data/x.train.jsonl": TRAIN}), "archive.no_member"),
        (SPOILED, "archive.not_readable"),
    ],
    ids=["page", "cut", "escape", "link", "encrypted", "large", "half", "spoiled"],
)
def test_archives_that_are_refused_leave_nothing(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, problem: str
) -> None:
    monkeypatch.setattr(archives, "LARGEST", 2000)
    hub.files["a.zip"] = data
    with fails("datasets.bad_file", InputError, problem=problem) as refused:
        fetch_dataset("packed")
    assert str(refused.value).startswith(f"{hub.address}/a.zip gave something else than was expected")
    assert left(tmp_path) == []


@pytest.mark.parametrize("record", ["{", "[1]", '{"a.zip": 3}'], ids=["cut", "list", "number"])
def test_a_damaged_record_is_said_in_a_line(hub: Hub, tmp_path: Path, record: str) -> None:
    place = tmp_path / "datasets" / "packed"
    place.mkdir(parents=True)
    (place / "fetched.json").write_text(record)
    with fails("datasets.damaged_record", InputError):
        fetch_dataset("packed")


def test_an_archive_that_lies_about_a_size_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "LARGEST", 2000)
    data = bytearray(zipped({"a": b"x" * 5000}))
    at = data.find(b"PK\x01\x02") + 24
    data[at : at + 4] = (1500).to_bytes(4, "little")
    (tmp_path / "a.zip").write_bytes(data)
    with pytest.raises(InputError, match=r"not a zip archive|has more than 2,000 bytes"):
        archives.take_out(tmp_path / "a.zip", "a", tmp_path / "out")
    assert (tmp_path / "out").stat().st_size <= 2000


def test_one_process_fetches_at_a_time(hub: Hub, tmp_path: Path) -> None:
    place = tmp_path / "datasets" / "packed"
    place.mkdir(parents=True)
    held = claim(place / ".lock")
    with fails("datasets.locked", InputError):
        fetch_dataset("packed")
    held.release()
    assert len(fetch_dataset("packed").files) == 2


def test_what_must_be_fetched_by_hand(hub: Hub, tmp_path: Path) -> None:
    place = tmp_path / "datasets" / "hands" / "deep" / "test.jsonl"
    for attempt in (lambda: fetch_dataset("hands"), lambda: split_files("hands", "test")):
        with fails("datasets.by_hand", InputError, dataset="hands", place=place):
            attempt()
    place.parent.mkdir(parents=True)
    place.write_bytes(TEST)
    assert fetch_dataset("hands").files[0].path == place
    assert split_files("hands", "test") == (place,)
    with fails("datasets.no_name", InputError, dataset="none"):
        fetch_dataset("none")


def test_names_in_place_of_files(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with fails("datasets.not_fetched", InputError, dataset="two", split="test"):
        named_files("two:test")
    fetch_dataset("two", split="test")
    assert named_files("two:test") == named_files("Two:test") == (tmp_path / "datasets" / "two" / "test.jsonl",)
    assert fetched_splits(fetching.published("two")) == ["test"]
    for text, code in (
        ("two", "datasets.no_split_named"),
        ("two:dev", "datasets.no_split"),
        ("tow:test", "datasets.unknown"),
        ("two:train", "datasets.not_fetched"),
    ):
        with fails(code, InputError):
            named_files(text)
    assert named_files("mine.jsonl") is named_files("C:mine") is None
    (tmp_path / "mine.jsonl").write_bytes(TRAIN)
    assert [question.answers for question in load_all(["mine.jsonl", "two:test"])] == [("Kampala",), ("Nairobi",)]
    (tmp_path / "two").write_text("a file goes before")
    assert named_files("two") is None


def test_the_commands(hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stopped:
            main(["datasets", *arguments])
        printed = capsys.readouterr()
        return int(stopped.value.code or 0), printed.out, printed.err

    assert run("path", "packed:test")[0] == run("path", "packed")[0] == 1
    code, out, err = run("fetch", "packed")
    place = tmp_path / "datasets" / "packed"
    assert (code, err) == (0, "")
    assert f"test: {place / 'x.test.jsonl'}" in out
    assert f"sha256 {sha(ARCHIVE)} (nothing could be checked: the table of data sets has no sha256)" in out
    assert "licence: CC0; see https://example.org/page" in out
    assert "graphbrick evaluate GRAPH packed:test takes it by its name" in out
    assert "(as expected)" in run("fetch", "two", "--to", str(tmp_path / "mine"))[1]
    assert run("path", "packed:test") == (0, f"{place / 'x.test.jsonl'}\n", "")
    assert run("path", "packed")[1].split() == [str(place / f"x.{split}.jsonl") for split in ("train", "test")]
    listed = {row["name"]: row for row in json.loads(run("list", "--json")[1])}
    assert listed["packed"]["fetched"] == ["train", "test"]
    assert listed["two"]["fetched"] == []  # another folder is not looked into
    assert "deep/test.jsonl" in run("show", "hands")[1]
    facts = json.loads(run("fetch", "packed", "--json")[1])
    assert (facts["licence"], [file["checked"] for file in facts["files"]]) == ("CC0", [False, False])
    code, out, err = run("fetch", "hands")
    assert (code, out, err.count("\n")) == (1, "", 1)
