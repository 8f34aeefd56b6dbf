"""The identity of a pipeline changes with what changes its results, and with nothing else."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from faults import fails

from graphbrick import (
    BM25,
    LLM,
    PPR,
    Generate,
    LearnedSizer,
    LLMEmbedder,
    LLMListwiseScorer,
    PathAnswer,
    PatternScorer,
    Rerank,
    ShortestPaths,
    SizedPPR,
    VectorNeighbors,
    parse,
)
from graphbrick.core.errors import InputError, PipelineError
from graphbrick.pipeline import RetrieveStage
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.catalog import built_in
from graphbrick.pipeline.identity import identity_of

PROMPT = "[user]\n{evidence}\n{question}\n"
BEGIN = PPR(k=5) >> ShortestPaths() >> Rerank(BM25())


@pytest.fixture
def prompt(tmp_path: Path) -> Path:
    path = tmp_path / "mine.txt"
    path.write_text(PROMPT)
    return path


def test_without_files_it_is_the_recipe_text() -> None:
    text = "(PPR(k=5) | PPR(k=7, restart=0.5)) >> ShortestPaths() >> Rerank(BM25(b=0.5), n=8) >> PathAnswer()"
    assert parse(text).identity() == text


def test_another_prompt_is_another_pipeline(prompt: Path) -> None:
    pipeline = BEGIN >> Generate(LLM(), prompt=str(prompt))
    before = pipeline.identity()
    assert pipeline.identity() == before
    prompt.write_text(PROMPT.replace("{evidence}", "Paths: {evidence}"), encoding="utf-8")
    assert pipeline.identity() != before
    assert repr(pipeline) == repr(BEGIN >> Generate(LLM(), prompt=str(prompt)))


def test_a_change_that_keeps_the_size_is_seen(prompt: Path) -> None:
    before = Generate(LLM(), prompt=str(prompt)).identity()
    prompt.write_text(PROMPT.swapcase(), encoding="utf-8")
    os.utime(prompt, ns=(1, 1))
    assert Generate(LLM(), prompt=str(prompt)).identity() != before


@pytest.mark.parametrize("changed", [{"timeout": 5.0}, {"retries": 0}, {"parallel": 1}])
def test_time_outs_tries_and_concurrency_change_nothing(changed: dict[str, float]) -> None:
    assert Generate(LLM(**changed)).identity() == Generate(LLM()).identity()  # type: ignore[arg-type]
    assert identity_of(LLMListwiseScorer(LLM(**changed))) == identity_of(LLMListwiseScorer(LLM()))  # type: ignore[arg-type]
    assert identity_of(LLMEmbedder(timeout=5.0, batch=1)) == identity_of(LLMEmbedder())


def test_every_other_parameter_changes_it() -> None:
    assert Generate(LLM(temperature=0.5)).identity() != Generate(LLM()).identity()
    assert PPR(k=5).identity() != PPR(k=6).identity()


def test_a_file_that_was_moved_is_the_same(prompt: Path, tmp_path: Path) -> None:
    before = Generate(LLM(), prompt=str(prompt)).identity()
    (tmp_path / "elsewhere").mkdir()
    moved = prompt.rename(tmp_path / "elsewhere" / "yours.txt")
    assert Generate(LLM(), prompt=str(moved)).identity() == before


def test_a_model_folder_is_known_by_its_contents(tmp_path: Path) -> None:
    model = tmp_path / "films.patterns"
    (model / "weights").mkdir(parents=True)
    (model / "about.json").write_text("{}")
    (model / "weights" / "maps.npy").write_bytes(b"123")
    pipeline = ShortestPaths() >> Rerank(PatternScorer(str(model)))
    before = pipeline.identity()
    moved = tmp_path / "moved"
    shutil.copytree(model, moved)
    assert (ShortestPaths() >> Rerank(PatternScorer(str(moved)))).identity() == before
    (model / "weights" / "maps.npy").write_bytes(b"1234")
    assert pipeline.identity() != before
    (moved / "about.json").rename(moved / "about2.json")  # names count too
    assert (ShortestPaths() >> Rerank(PatternScorer(str(moved)))).identity() != before


def test_parts_of_parts_are_looked_into(tmp_path: Path) -> None:
    sizes = tmp_path / "sizes.json"
    sizes.write_text("{}")
    pipeline = SizedPPR(LearnedSizer(str(sizes)))
    before = pipeline.identity()
    assert str(tmp_path) not in before
    sizes.write_text("[]")
    assert pipeline.identity() != before


def test_a_file_that_does_not_exist_is_known_by_its_name() -> None:
    assert identity_of(PatternScorer("no such folder")) == "PatternScorer('no such folder')"


@pytest.mark.posix
def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "nowhere")
    with fails("digest.unreadable", InputError) as caught:
        identity_of(PatternScorer(str(tmp_path)))
    assert str(caught.value.file).endswith("loop")


@pytest.mark.parametrize("prompt", ["You are an expert. " * 300, "~nobody-of-this-name/a.txt", "a\0b"])
def test_a_text_that_can_name_no_file_is_taken_as_it_is(prompt: str) -> None:
    assert identity_of(Generate(LLM(), prompt=prompt)) == f"Generate(LLM(), prompt={prompt!r})"


@dataclass(frozen=True, repr=False)
class OwnFiles(RetrieveStage):
    """Finds its file in a way of its own."""

    name: str = "a"

    def files(self) -> dict[str, Path]:
        return {"name": Path(__file__)}

    def retrieve(self, query, subgraph):
        raise NotImplementedError


def test_a_brick_may_say_where_its_files_are() -> None:
    assert OwnFiles().identity().startswith("OwnFiles(name=sha256:")


@pytest.mark.parametrize("name", [name for name, brick in built_in().items() if not brick.parameters()])
def test_bricks_without_parameters(name: str) -> None:
    assert identity_of(built_in()[name]()) == f"{name}()"


def test_what_has_no_identity() -> None:
    with fails("identity.not_a_brick", PipelineError):
        identity_of("PPR()")  # type: ignore[arg-type]


def test_default_embedder() -> None:
    brick: Brick = VectorNeighbors()
    assert identity_of(brick) == identity_of(replace(VectorNeighbors(), connect=False))
    assert PathAnswer().identity() == "PathAnswer()"
