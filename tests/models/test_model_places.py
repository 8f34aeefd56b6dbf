"""Names of listed models in the bricks that read them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from faults import fails
from onnx_models import write_cross_encoder, write_embedder
from stored_models import ONE

from graphbrick import CrossEncoder, EmbeddingModel, LocalLLM, SpacyPhrases, parse
from graphbrick.core.errors import ModelError
from graphbrick.core.session import Session
from graphbrick.models import store
from graphbrick.models.store import File, Model
from graphbrick.testing import tiny_graph

ROWS = {"kenya": [1.0], "uganda": [3.0], "query": [0.5], "text": [0.25]}
VECTORS = {"kenya": [1.0, 0.0], "uganda": [0.0, 1.0]}


def listed(name: str, brick: str, folder: Path, template: str = "") -> Model:
    """A listed model whose files are those of a folder."""
    files = tuple(
        File(f"{folder.name}/{path.name}", path.stat().st_size, "", "", "", 0) for path in sorted(folder.iterdir())
    )
    return Model(name, "", "", "", files, folder.name, brick, template)


@pytest.fixture
def models(folder: Path, fresh_session: Session, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of models with two small ones, of which the re-ranker reads one text."""
    write_cross_encoder(folder / "ranks", ROWS, specials=False)
    write_embedder(folder / "embeds", VECTORS)
    known = {
        "ranker": listed("ranker", "CrossEncoder", folder / "ranks", "query {query} text {text}"),
        "embedder": listed("embedder", "EmbeddingModel", folder / "embeds"),
        ONE.name: ONE,
    }
    monkeypatch.setattr(store, "known", lambda: known)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return folder


def test_a_listed_re_ranker_is_run_by_its_name_with_its_template(models: Path) -> None:
    by_name = CrossEncoder("ranker").score("kenya", ["uganda", "kenya"])
    by_path = CrossEncoder(str(models / "ranks"), "query {query} text {text}").score("kenya", ["uganda", "kenya"])
    assert by_name.tolist() == by_path.tolist()
    # One text: 0.5 for "query", 0.25 for "text", 1 for "kenya", 3 for "uganda"; of a pair the second counts elevenfold.
    assert by_name.tolist() == [4.75, 2.75]
    pairs = CrossEncoder(str(models / "ranks")).score("kenya", ["uganda", "kenya"])
    assert pairs.tolist() != by_name.tolist()


def test_a_template_of_one_s_own_is_used_instead(models: Path) -> None:
    assert CrossEncoder("ranker", "{query} {text}").score("kenya", ["uganda"]).tolist() == [4.0]


def test_a_listed_embedder_is_run_by_its_name(models: Path) -> None:
    by_name, by_path = EmbeddingModel("embedder"), EmbeddingModel(str(models / "embeds"))
    assert np.array_equal(by_name.encode(["kenya", "uganda"]), np.eye(2))
    assert by_name.identity == by_path.identity
    assert EmbeddingModel("embedder", query_model="embedder").encode_query("uganda").tolist() == [0.0, 1.0]


def test_a_recipe_names_a_listed_model(models: Path) -> None:
    pipeline = parse("ShortestPaths() >> Rerank(CrossEncoder('ranker'), n=1) >> PathAnswer()")
    run = pipeline.run(tiny_graph(), "Which country borders Kenya?", seeds=["Kenya"])
    assert run.evidence is not None
    assert "Uganda" in run.evidence.items[0].text


@pytest.mark.parametrize(
    ("use", "brick"),
    [
        (lambda: CrossEncoder("embedder").score("a", ["b"]), "EmbeddingModel"),
        (lambda: EmbeddingModel("ranker").encode(["a"]), "CrossEncoder"),
        (lambda: LocalLLM("ranker").connection(), "CrossEncoder"),
        (lambda: SpacyPhrases("embedder").extract(["a"]), "EmbeddingModel"),
    ],
)
@pytest.mark.usefixtures("models")
def test_a_model_of_another_brick_is_refused(use: Callable[[], object], brick: str) -> None:
    with fails("models.other_brick", brick=brick):
        use()


def test_a_model_that_was_not_fetched_says_how(models: Path) -> None:
    (models / "ranks" / "model.onnx").unlink()
    with pytest.raises(ModelError, match=r"ranker is not in .*; run: graphbrick models fetch ranker "):
        CrossEncoder("ranker").score("a", ["b"])


def test_a_folder_here_with_a_listed_name_is_not_guessed(models: Path) -> None:
    write_cross_encoder(Path("ranker"), {"kenya": [7.0], "uganda": [0.0]}, specials=False)
    with fails("models.two_meanings", name="ranker"):
        CrossEncoder("ranker").score("kenya", ["uganda"])
    assert CrossEncoder("./ranker", "{query} {text}").score("kenya", ["uganda"]).tolist() == [7.0]


@pytest.mark.usefixtures("models")
def test_an_unknown_name_is_an_error_with_the_nearest_listed_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    says = r"'rankr' is no folder and no listed model \(did you mean ranker\?\); as a hub's name it needs the package"
    with pytest.raises(ModelError, match=says):
        CrossEncoder("rankr").score("a", ["b"])
    with pytest.raises(ModelError, match=r"did you mean embedder\?"):
        EmbeddingModel("embeder").encode(["a"])
    with pytest.raises(ModelError, match=r"did you mean tiny-lm\?"):
        LocalLLM("tinylm").connection()
    with pytest.raises(ModelError, match=r"^org/model needs the package"):
        EmbeddingModel("org/model").encode(["a"])


def test_every_listed_model_names_the_brick_that_reads_it() -> None:
    bricks = {name: model.brick for name, model in store.known().items()}
    assert bricks["reranker"] == "CrossEncoder"
    assert set(bricks.values()) <= {"LocalLLM", "CrossEncoder", "EmbeddingModel", "USE", "SpacyPhrases"}
    assert "{query}" in store.known()["reranker"].template
