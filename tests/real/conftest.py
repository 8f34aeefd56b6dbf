"""Real models for the nightly suite: a small language model behind a server of its own, and a re-ranker.

``graphbrick models fetch`` brings them. Set ``OPENAI_BASE_URL`` to test against another server, with
``GRAPHBRICK_TEST_MODEL`` for the model's name there; without a server of one's own,
``GRAPHBRICK_TEST_MODEL=qwen2.5-coder-1.5b`` takes the larger one. Training is tested where torch is, as in the
environment of ``make test-models``; ``make test`` has none.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from graphbrick import LLM, CrossEncoder, Graph, build
from graphbrick.core.errors import ModelError
from graphbrick.models.llm.serving.serving import Server, serve
from graphbrick.models.store import resolve

collect_ignore = [] if find_spec("torch") else ["test_train_real.py", "test_train_llm_real.py", "test_text_losses.py"]

_CONTEXT = 8192  # 128 numbered paths and the reply
_THREADS = 2
_TIMEOUT = 600.0  # seconds for one reply


def _name() -> str:
    return os.environ.get("GRAPHBRICK_TEST_MODEL") or "qwen2.5-coder-0.5b"


def _fetched(name: str) -> Path:
    try:
        return resolve(name)
    except ModelError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def local_server() -> Iterator[Server]:
    """The server of the language model; it runs as long as the tests."""
    pytest.importorskip("xllamacpp")
    with serve(_fetched(_name()), context=_CONTEXT, threads=_THREADS) as server:
        yield server


@pytest.fixture(scope="session")
def llm(request: pytest.FixtureRequest) -> LLM:
    """The language model."""
    if os.environ.get("OPENAI_BASE_URL"):
        model = os.environ.get("GRAPHBRICK_TEST_MODEL") or LLM().model
        return LLM(model, base_url=os.environ["OPENAI_BASE_URL"], timeout=_TIMEOUT, max_tokens=256)
    server: Server = request.getfixturevalue("local_server")
    return LLM(
        _name(), base_url=server.base_url, timeout=_TIMEOUT, max_tokens=256, retries=0, parallel=1, context=_CONTEXT
    )


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
    from graphbrick.demo.graph import world_graph

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRAPHBRICK_CACHE", str(tmp_path_factory.mktemp("world")))
        yield world_graph()
