from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from faults import fails
from hub import Hub
from stored_models import BODY, DATA, HEAD, ONE, TWO, fetch_events, file, left

from graphbrick.core.errors import ModelError
from graphbrick.models import fetching, store
from graphbrick.models.store import Model, fetch, fetched, known, remove, resolve

pytestmark = pytest.mark.usefixtures("folder")

# From the hub


def test_a_file_comes_from_the_hub(hub: Hub, folder: Path) -> None:
    seen: list[tuple[str, float, float | None]] = []
    assert fetched(ONE.name) is None
    assert fetch(ONE.name, lambda *given: seen.append(given)) == folder / "tiny.gguf"
    assert (folder / "tiny.gguf").read_bytes() == DATA
    assert left(folder) == ["tiny.gguf"]
    assert hub.asked == [("/o/tiny/main/tiny.gguf", "")]
    assert {(name, total) for name, _, total in seen} == {("tiny.gguf", len(DATA))}
    done = [done for _, done, _ in seen]
    assert done == sorted(done)
    assert done[-1] == len(DATA)


def test_what_is_there_is_not_fetched_again(hub: Hub) -> None:
    assert fetch_events() == fetch_events() == []
    assert len(hub.asked) == 1


def test_a_damaged_file_is_fetched_again(hub: Hub, folder: Path) -> None:
    fetch_events()
    (folder / "tiny.gguf").write_bytes(b"x" * len(DATA))
    fetch_events()
    assert len(hub.asked) == 2


def test_a_file_of_another_size_does_not_count_as_fetched(hub: Hub, folder: Path) -> None:
    fetch_events()
    (folder / "tiny.gguf").write_bytes(DATA[:-1])
    assert fetched(ONE.name) is None


def test_huggingface_s_own_variable_names_a_mirror_too(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRAPHBRICK_HUB")
    assert fetching.hub() == "https://huggingface.co"
    monkeypatch.setenv("HF_ENDPOINT", f"{hub.address}/")
    assert fetch_events() == []


def test_a_connection_that_breaks_is_gone_on_with(hub: Hub) -> None:
    hub.breaks = [400_000, 1, 300_000]
    assert fetch_events() == []
    assert [wanted for _, wanted in hub.asked] == ["", "bytes=400000-", "bytes=400001-", "bytes=700001-"]
    assert hub.sent == len(DATA)


def test_a_fetch_that_was_ended_is_gone_on_with(hub: Hub, folder: Path) -> None:
    folder.mkdir()
    (folder / ".tiny.gguf.part").write_bytes(DATA[:654_321])
    fetch_events()
    assert hub.asked == [("/o/tiny/main/tiny.gguf", "bytes=654321-")]


@pytest.mark.parametrize("length", [len(DATA), len(DATA) + 1])
def test_a_part_that_is_whole_is_only_checked(hub: Hub, folder: Path, length: int) -> None:
    folder.mkdir()
    (folder / ".tiny.gguf.part").write_bytes((DATA + b"x")[:length])
    fetch_events()
    assert len(hub.asked) == (length > len(DATA))


def test_a_server_without_ranges_sends_all_again(hub: Hub, folder: Path) -> None:
    hub.ranges, hub.breaks = False, [400_000]
    assert fetch_events() == []
    assert hub.sent == 400_000 + len(DATA)


def test_a_file_of_unknown_length_is_read_to_its_end(hub: Hub) -> None:
    hub.lengths = False
    assert fetch_events() == []


def test_wrong_bytes_are_not_kept(hub: Hub, folder: Path) -> None:
    hub.files[ONE.files[0].hub] = DATA[:-1] + b"x"
    with fails("models.wrong_checksum", file="tiny.gguf"):
        fetch(ONE.name)
    assert left(folder) == []
    assert fetched(ONE.name) is None
    hub.files[ONE.files[0].hub] = DATA
    fetch_events()


def test_a_wrong_beginning_is_not_kept(hub: Hub, folder: Path) -> None:
    folder.mkdir()
    (folder / ".tiny.gguf.part").write_bytes(b"x" * 1000)
    with fails("models.wrong_checksum"):
        fetch(ONE.name)
    fetch_events()


# The folder


def test_a_full_disk_is_said_before_anything_is_fetched(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store.shutil, "disk_usage", lambda _: SimpleNamespace(free=store._SPARE + 400_000))
    with pytest.raises(ModelError, match=r"tiny\.gguf needs 1 MB more, and the disk has 0 MB\); set GRAPHBRICK_MODELS"):
        fetch(ONE.name)
    assert hub.asked == []


@pytest.mark.posix
def test_a_disk_that_fills_meanwhile_is_an_error_too(hub: Hub, folder: Path) -> None:
    folder.mkdir()
    (folder / ".tiny.gguf.part").symlink_to("/dev/full")
    with fails("models.not_writable", reason="No space left on device"):
        fetch(ONE.name)


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hub: Hub) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GRAPHBRICK_MODELS", str(tmp_path / "file" / "models"))
    with fails("models.not_writable", name="tiny-lm", reason="Not a directory"):
        fetch(ONE.name)
    assert remove(ONE.name) == 0


def test_removing_frees_what_is_there(hub: Hub, packages: Path, folder: Path) -> None:
    fetch_events()
    fetch_events(TWO)
    (folder / ".tiny.gguf.part").write_bytes(b"123")
    assert remove(ONE.name) == len(DATA) + 3
    assert remove(ONE.name) == 0
    assert remove(TWO.name) == len(HEAD) + len(BODY)
    assert list(folder.iterdir()) == []
    with pytest.raises(ModelError, match=r"tiny-lm is not in .*; run: graphbrick models fetch tiny-lm \(1 MB\)"):
        resolve(ONE.name)


def test_what_somebody_else_put_there_is_left(packages: Path, folder: Path) -> None:
    fetch_events(TWO)
    (folder / "pair" / "notes.txt").write_text("mine")
    remove(TWO.name)
    assert left(folder) == ["pair", "pair/notes.txt"]


@pytest.mark.posix
def test_a_model_that_is_being_fetched_is_not_removed(hub: Hub, folder: Path) -> None:
    import fcntl

    fetch_events()
    with (folder / ".tiny-lm.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with fails("models.in_use", name="tiny-lm"):
            remove(ONE.name)
    assert fetched(ONE.name) is not None


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


@pytest.mark.parametrize("call", [fetch, fetched, remove])
def test_only_known_models_are_fetched(call) -> None:
    with pytest.raises(ModelError, match="there is no model 'tiny' to fetch; did you mean tiny-lm or tiny-reranker"):
        call("tiny")


@pytest.mark.parametrize("address", ["huggingface.co", "file:///etc", "http://", "http://a:x", "http://[", "ftp://a"])
def test_an_address_that_is_none_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHBRICK_HUB", address)
    with fails("hub.bad_address", variable="GRAPHBRICK_HUB"):
        fetch(ONE.name)


def test_a_password_in_the_address_is_refused_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "https://me:secret@example.org")
    monkeypatch.delenv("GRAPHBRICK_HUB")
    with fails("hub.password", variable="HF_ENDPOINT") as caught:
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
        "en-core-web-sm": 1,
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
