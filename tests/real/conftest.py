"""Real models for the nightly suite: a small language model behind a server of its own, and a re-ranker.

The server is this file run as a process: it ends with the tests, also when they are killed. Set ``OPENAI_BASE_URL`` to
test against another server, with ``GRAPHBRICK_TEST_MODEL`` for the model's name there; without a server of one's own,
``GRAPHBRICK_TEST_MODEL=qwen-1.5b`` takes the larger of the models that ``fetch.py`` knows.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import fetch
import pytest

from graphbrick import LLM, CrossEncoder, Graph, build

_CONTEXT = 8192  # 128 numbered paths and the reply
_THREADS = 2
_START = 120.0  # seconds until the server answers
_TIMEOUT = 600.0  # seconds for one reply


def _fetched(name: str) -> Path:
    if name not in fetch.MODELS:
        pytest.fail(f"GRAPHBRICK_TEST_MODEL is {name!r}; without OPENAI_BASE_URL it must be qwen-0.5b or qwen-1.5b")
    path = fetch.kept(name)
    if path is None:
        pytest.skip(f"{name} is not in {fetch.folder()}; run python tests/real/fetch.py {name}")
    return path


@pytest.fixture(scope="session")
def llm() -> Iterator[LLM]:
    """The language model; its server runs as long as the tests."""
    if os.environ.get("OPENAI_BASE_URL"):
        model = os.environ.get("GRAPHBRICK_TEST_MODEL") or LLM().model
        yield LLM(model, base_url=os.environ["OPENAI_BASE_URL"], timeout=_TIMEOUT, max_tokens=256)
        return
    name = os.environ.get("GRAPHBRICK_TEST_MODEL") or "qwen-0.5b"
    command = [sys.executable, __file__, str(_fetched(name))]
    # OpenMP threads that wait must not hold a core that others need.
    environment = os.environ | {"OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": str(_THREADS)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as server:
        assert server.stdin is not None
        try:
            address = _first_line(server)
            _wait(f"{address}/health")
            yield LLM(name, base_url=f"{address}/v1", timeout=_TIMEOUT, max_tokens=256, retries=0)
        finally:
            server.stdin.close()
            try:
                server.wait(timeout=10)
            except subprocess.TimeoutExpired:
                server.kill()


@pytest.fixture(scope="session")
def reranker() -> CrossEncoder:
    """A small re-ranker that reads question and text as one text."""
    return CrossEncoder(str(_fetched("reranker")), template="Query: {query}\nSentence: {text}")


@pytest.fixture(scope="session")
def metaqa(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Graph:
    """The graph of MetaQA."""
    source = data_dir / "metaqa" / "kb.txt.gz"
    if not source.is_file():
        pytest.skip(f"no MetaQA at {source}; set GRAPHBRICK_DATA to the folder that holds metaqa/")
    return build(source, tmp_path_factory.mktemp("metaqa") / "metaqa.graph")


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    """The graph of the demo, in a folder of its own, so that vectors are computed by these tests and then kept."""
    from graphbrick.demo.run import world_graph

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRAPHBRICK_CACHE", str(tmp_path_factory.mktemp("world")))
        yield world_graph()


def _first_line(server: subprocess.Popen[bytes]) -> str:
    """The address that the server prints when the model is loaded."""
    assert server.stdout is not None
    too_late = threading.Timer(_START, server.kill)
    too_late.start()
    try:
        line = server.stdout.readline().decode().strip()
    finally:
        too_late.cancel()
    if not line.startswith("http"):
        pytest.fail(f"the model server did not start within {_START:.0f} s or ended; is xllamacpp installed? {line}")
    return line


def _wait(url: str) -> None:
    """Wait until the server says that it is well."""
    last, said = time.monotonic() + _START, "nothing"
    while time.monotonic() < last:
        try:
            with urllib.request.urlopen(url, timeout=5) as reply:
                said = reply.read().decode(errors="replace")
                if '"ok"' in said:
                    return
        except OSError as error:
            said = str(error)
        time.sleep(0.2)
    pytest.fail(f"the model server is not well; {url} said {said:.200}")


def _serve(model: str) -> None:
    """Serve a GGUF file on a free port until the standard input is closed."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_ctx, params.n_parallel, params.verbosity, params.warmup = _CONTEXT, 1, 0, False
    # What is kept of an earlier prompt changes the last digits, and with them the reply where two words are close.
    params.cache_prompt, params.cache_ram_mib = False, 0
    for cpu in (params.cpuparams, params.cpuparams_batch):
        cpu.n_threads = min(_THREADS, os.cpu_count() or 1)
        cpu.poll = 0  # as OMP_WAIT_POLICY, for threads of llama.cpp's own
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.buffer.read()
    os._exit(0)  # whatever it is writing


if __name__ == "__main__":
    _serve(sys.argv[1])
