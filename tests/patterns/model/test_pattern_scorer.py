from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults import fails, told
from onnx_models import write_embedder

from graphbrick import BeamSearch, EmbeddingModel, Patterns, Query, Rerank, ShortestPaths, Subgraph, build
from graphbrick.core import PathPattern, Step
from graphbrick.core.errors import ModelError, PipelineError
from graphbrick.core.trace import Trace, record
from graphbrick.learn.learned import is_learned
from graphbrick.patterns.alignment.alignment import Alignment, Transitions, n_token_features
from graphbrick.patterns.model.folder import DESCRIPTION, LEARNED_WORDS, WEIGHTS, check_place, load, save, words_in
from graphbrick.patterns.model.model import NO_PATTERN, PatternModel, kinds_of
from graphbrick.patterns.model.question_features import WORDS as HASHED
from graphbrick.patterns.model.question_features import hashed_words
from graphbrick.patterns.model.scorer import PatternScorer
from graphbrick.patterns.planned.path_towers import PathTowers
from graphbrick.patterns.text import Steps, masked, readable, split_start, steps_of
from graphbrick.patterns.words_file import WORDS as WORDS_FILE
from graphbrick.testing import check_brick, tiny_graph

WORDS = "x which currency capital borders is used in country whose largest city money of the has kenya nairobi".split()
HOPS, RANK = 2, 3
RELATIONS = ("borders", "capital")
PATTERNS: tuple[Steps, ...] = ((("capital", False), ("currency", True)), (("borders", True),))
TEXTS = [
    "Nairobi <- capital <- Kenya",
    "Nairobi <- capital <- Kenya -> currency -> Kenyan shilling",
    "Kenya -> borders -> Uganda",
    "Kenya -> largest city -> Nairobi",
    "Kenya -> borders -> Uganda <- borders <- Rwanda",
]
QUESTION = "which currency is used in the country whose capital is Nairobi"


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> EmbeddingModel:
    folder = tmp_path_factory.mktemp("embedder") / "tiny"
    rows = np.random.default_rng(0).normal(size=(len(WORDS), 6))
    write_embedder(folder, dict(zip(WORDS, rows.tolist(), strict=True)), output="sentence_embedding")
    return EmbeddingModel(str(folder), query_prefix="which ")


@pytest.fixture(scope="module")
def model(embedder: EmbeddingModel) -> PatternModel:
    rng, d, k, f = np.random.default_rng(1), 6, kinds_of(HOPS), 6 + HASHED
    shapes = {
        "scale": (k,),
        "narrow": (RANK, f),
        "maps": (k, d, RANK),
        "lengths": (HOPS, f + 1),
        "relation_weights": (len(RELATIONS), k, f + 1),
        "pattern_weights": (len(PATTERNS), f + 1),
    }
    arrays: dict[str, Any] = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    return PatternModel(embedder=embedder, relations=RELATIONS, patterns=PATTERNS, about={"seed": 1}, **arrays)


@pytest.fixture(scope="module")
def folder(model: PatternModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scorer") / "made.patterns"
    save(model, path)
    return path


def by_hand(model: PatternModel, question: str, text: str) -> float:
    """The score as it is defined, one term after the other."""
    start, walked = split_start(text)
    steps = steps_of(walked)
    asked = masked(question, start)
    embedding = model.embedder.encode_query(asked).astype(np.float64)
    q = np.append(embedding, hashed_words(asked) / 2)
    extended = np.append(q, 1)
    roles = [(2 * hop + forward, label) for hop, (label, forward) in enumerate(steps)]
    roles.append((2 * HOPS + steps[-1][1], steps[-1][0]))
    total = model.lengths[len(steps) - 1] @ extended
    for kind, label in roles:
        words = model.embedder.embed([readable(label)])[0].astype(np.float64)
        total += words @ (model.scale[kind] * embedding + model.maps[kind] @ (model.narrow @ q))
        if label in RELATIONS:
            total += model.relation_weights[RELATIONS.index(label), kind] @ extended
    if steps in PATTERNS:
        total += model.pattern_weights[PATTERNS.index(steps)] @ extended
    return float(total)


def test_scores_are_as_defined(model: PatternModel, folder: Path) -> None:
    scores = PatternScorer(str(folder)).score(QUESTION, TEXTS)
    assert np.allclose(scores, [by_hand(model, QUESTION, text) for text in TEXTS], atol=1e-4)


def test_a_score_depends_on_nothing_but_question_relations_and_start(folder: Path) -> None:
    scorer = PatternScorer(str(folder))
    together = scorer.score(QUESTION, TEXTS)
    alone = [scorer.score(QUESTION, [text])[0] for text in TEXTS]
    assert np.allclose(together, alone, atol=1e-5)
    renamed = scorer.score(QUESTION, ["Nairobi <- capital <- Uganda", "Nairobi <- capital <-"])
    assert renamed[0] == renamed[1] == pytest.approx(together[0], abs=1e-5)


def test_the_name_of_the_start_does_not_count(folder: Path) -> None:
    scorer = PatternScorer(str(folder))
    here = scorer.score("which currency has kenya", ["Kenya -> currency ->"])
    there = scorer.score("which currency has nairobi", ["Nairobi -> currency ->"])
    assert here == pytest.approx(there)
    assert here != pytest.approx(scorer.score("which currency has kenya", ["Nairobi -> currency ->"]))


def test_what_was_saved_is_loaded(model: PatternModel, folder: Path) -> None:
    again = load(str(folder))
    assert again.embedder == model.embedder
    assert (again.relations, again.patterns, again.about) == (RELATIONS, PATTERNS, {"seed": 1})
    for name in ("scale", "narrow", "maps", "lengths", "relation_weights", "pattern_weights"):
        assert np.array_equal(getattr(again, name), getattr(model, name))
    assert load(str(folder)) is again  # read once


def test_a_folder_of_an_older_version_scores_as_it_did(model: PatternModel, tmp_path: Path) -> None:
    back = replace(model, relations=("borders", "capital\0X"), patterns=((("capital\0X", True),), PATTERNS[1]))
    save(back, tmp_path / "now")
    old = {
        "relations": ["borders", "capital X"],
        "patterns": [[["capital X", True]], [["borders", True]]],
        "version": 6,
    }
    loaded = load(changed(tmp_path / "now", tmp_path / "old", **old))
    assert (loaded.relations, loaded.patterns) == (back.relations, back.patterns)
    asked = [(Step("capital", True, back=True),), (Step("capital", True),), (Step("capital X", True),)]
    scores = [one.score(one.ask("X"), asked) for one in (back, loaded)]
    assert scores[0].tolist() == scores[1].tolist()
    assert scores[0][0] != scores[0][2]


def test_what_is_no_path_or_too_long_comes_last_and_is_told(folder: Path) -> None:
    trace = Trace()
    texts = ["a report", "", "A -> borders -> B -> borders -> C -> borders -> D", TEXTS[0]]
    with record(trace, "rerank", "rerank"):
        scores = PatternScorer(str(folder)).score(QUESTION, texts)
    assert scores[:3].tolist() == [NO_PATTERN] * 3
    assert scores[3] > NO_PATTERN
    assert told(trace.events) == [
        ("pattern_scorer.not_paths", {"n": 2, "total": 4}),
        ("pattern_scorer.too_long", {"n": 1, "max_hops": 2}),
    ]


def test_a_graph_of_which_nothing_was_trained_is_told(folder: Path) -> None:
    trace = Trace()
    with record(trace, "rerank", "rerank"):
        PatternScorer(str(folder)).score(QUESTION, ["A -> money -> B"])
    assert trace.event_codes == ["pattern_scorer.unlearned_relations"]


def test_patterns_are_scored_by_their_steps_alone(folder: Path) -> None:
    scorer, starts = PatternScorer(str(folder)), ["Nairobi", "Kenya", "Nairobi"]
    steps = [(Step("capital", False),), (Step("borders", True),), (Step("capital", False), Step("borders", True))]
    patterns = [PathPattern(start, walk, lambda: "not read") for start, walk in zip(starts, steps, strict=True)]
    found = scorer.rate_steps(QUESTION, starts, steps)
    assert found.tolist() == scorer.rate_items(QUESTION, patterns).tolist()
    assert len(set(found.tolist())) == 3


def test_a_stage_finds_the_same_whether_a_scorer_reads_steps_or_patterns(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = tiny_graph()
    query = Query("Which currency has the country with the capital Nairobi?", (graph.entity("Nairobi"),))
    stage = Patterns(PatternScorer(str(folder)), max_hops=2)
    by_steps = [(path.text, path.score) for path in stage.retrieve(query, Subgraph(graph)).items]
    rated = PatternScorer.rate_items

    def rate_steps(self: PatternScorer, question: str, starts: Sequence[str], patterns: Sequence[Any]) -> Any:
        walks = [PathPattern(start, steps, str) for start, steps in zip(starts, patterns, strict=True)]
        return rated(self, question, walks)

    monkeypatch.setattr(PatternScorer, "rate_steps", rate_steps)
    assert [(path.text, path.score) for path in stage.retrieve(query, Subgraph(graph)).items] == by_steps
    assert len(by_steps) > 2


def test_it_ranks_paths(folder: Path) -> None:
    graph = tiny_graph()
    query = Query(QUESTION, seeds=(graph.entity("Nairobi"),))
    paths = ShortestPaths(max_hops=2).retrieve(query, Subgraph(graph))
    for by in ("path", "pattern"):
        ranked = Rerank(PatternScorer(str(folder)), by=by).rerank(query, paths).paths
        scores = [path.score for path in ranked]
        assert scores == sorted(scores, reverse=True)
        by_pattern: dict[object, set[float]] = {}
        for path in ranked:
            by_pattern.setdefault(path.pattern, set()).add(path.score)
        assert all(len(some) == 1 for some in by_pattern.values())


def test_the_contract(folder: Path) -> None:
    check_brick(PatternScorer(str(folder)), installed=False)


# What is wrong with a folder


def changed(folder: Path, to: Path, **changes: object) -> str:
    shutil.copytree(folder, to)
    described = json.loads((to / DESCRIPTION).read_text(encoding="utf-8"))
    described.pop("checksum", None)  # as an earlier version writes it
    (to / DESCRIPTION).write_text(json.dumps(described | changes), encoding="utf-8")
    return str(to)


def test_no_folder(tmp_path: Path) -> None:
    with fails("patterns.not_there", ModelError):
        PatternScorer(str(tmp_path / "none")).score("?", ["A -> b -> C"])
    with fails("patterns.not_there", ModelError):  # also where there is nothing to score
        PatternScorer(str(tmp_path / "none")).score("?", [])


@pytest.mark.parametrize(
    ("changes", "code", "part"),
    [
        ({"format": "graphbrick-graph"}, "patterns.not_patterns", ""),
        ({"version": 99}, "patterns.other_version", ""),
        ({"sha256": "0"}, "patterns.damaged_weights", ""),
        ({"embedder": "BM25()"}, "patterns.damaged", "is not an embedder"),
        ({"embedder": "Nothing()"}, "patterns.damaged", ""),
        ({"embedder": "import os"}, "patterns.damaged", ""),
        ({"identity": "another"}, "patterns.other_embedder", ""),
        ({"checksum": "another"}, "patterns.damaged_description", ""),
        ({"relations": ["borders"]}, "patterns.damaged", "relation_weights must be"),
        ({"patterns": "no"}, "patterns.damaged", ""),
        ({"patterns": 5}, "patterns.damaged", ""),
        ({"embedder": 5}, "patterns.damaged", ""),
        ({"near_words": []}, "patterns.damaged", "near_words is list"),
        ({"near_words": None}, "patterns.damaged", ""),
        ({"symmetric": {}}, "patterns.damaged", ""),
        ({"alignment": 5}, "patterns.damaged", ""),
        ({"alignment": {"relations": [], "phrases": [], "transitions": {}}}, "patterns.damaged", ""),
        (
            {"calibration": {"weights": {}, "bias": 0, "min_confidence": 0, "words": []}},
            "patterns.damaged",
            "calibration words is list",
        ),
        (
            {"ends": {"weights": [], "margin": 1, "margin_of_many": 1, "learned": 1}},
            "patterns.damaged",
            "ends weights is list",
        ),
    ],
)
def test_a_foreign_or_changed_description(
    folder: Path, tmp_path: Path, changes: dict[str, object], code: str, part: str
) -> None:
    with fails(code, ModelError) as caught:
        load(changed(folder, tmp_path / "made", **changes))
    assert part in str(caught.value)


@pytest.mark.parametrize("weights", [np.zeros(5 + HOPS + 1), np.full(5 + HOPS, np.nan)])
def test_weights_of_an_alignment_that_do_not_fit(
    model: PatternModel, embedder: EmbeddingModel, tmp_path: Path, weights: np.ndarray[Any, np.dtype[np.float64]]
) -> None:
    emission = np.zeros((2 * len(RELATIONS) + 1, n_token_features(6)), dtype=np.float32)
    fitting = Alignment(embedder, RELATIONS, emission, Transitions(), np.zeros(5 + HOPS), ())
    save(replace(model, alignment=fitting), tmp_path / "made")
    assert load(str(tmp_path / "made")).alignment is not None
    save(replace(model, alignment=replace(fitting, weights=weights)), tmp_path / "made", overwrite=True)
    with fails("patterns.damaged", ModelError):
        load(str(tmp_path / "made"))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000])
def test_a_description_that_cannot_be_read(folder: Path, tmp_path: Path, content: bytes) -> None:
    shutil.copytree(folder, tmp_path / "made")
    (tmp_path / "made" / DESCRIPTION).write_bytes(content)
    with pytest.raises(ModelError) as caught:
        load(str(tmp_path / "made"))
    assert caught.value.code in ("patterns.bad_json", "patterns.not_an_object")


def test_weights_that_were_cut_short_or_are_missing(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "made")
    file = tmp_path / "made" / WEIGHTS
    file.write_bytes(file.read_bytes()[:-9])
    with fails("patterns.damaged_weights", ModelError):
        load(str(tmp_path / "made"))
    file.unlink()
    with fails("patterns.not_there", ModelError, name=WEIGHTS):
        load(str(tmp_path / "made"))


def test_weights_that_are_no_numbers(model: PatternModel, folder: Path) -> None:
    broken = model.scale.copy()
    broken[0] = np.nan
    with pytest.raises(ValueError, match="scale must be finite"):
        replace(model, scale=broken)


def test_a_place_with_something_else_is_never_replaced(model: PatternModel, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("dear", encoding="utf-8")
    with fails("place.other_contents", ModelError):
        save(model, tmp_path / "file", overwrite=True)
    assert (tmp_path / "file").read_text(encoding="utf-8") == "dear"
    save(model, tmp_path / "made")
    with fails("place.taken", ModelError):
        check_place(tmp_path / "made", overwrite=False)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["file", "made"]


@pytest.mark.posix
def test_files_of_editors_are_carried_over(model: PatternModel, tmp_path: Path) -> None:
    save(model, tmp_path / "made", words="# one")
    for name in (".words.toml.swp", "words.toml~", ".DS_Store"):
        (tmp_path / "made" / name).write_text("mine", encoding="utf-8")
    (tmp_path / "made" / "link").symlink_to("nowhere")
    check_place(tmp_path / "made", overwrite=True)
    assert not save(model, tmp_path / "made", words="# two", read=b"# one", overwrite=True)
    assert words_in(tmp_path / "made") == b"# two"
    names = [".DS_Store", ".words.toml.swp", "link", DESCRIPTION, WEIGHTS, WORDS_FILE, "words.toml~"]
    assert sorted(file.name for file in (tmp_path / "made").iterdir()) == sorted(names)
    (tmp_path / "made" / "folder").mkdir()
    with fails("place.other_files", ModelError):
        check_place(tmp_path / "made", overwrite=True)


def test_words_that_were_changed_meanwhile_stay(model: PatternModel, tmp_path: Path) -> None:
    save(model, tmp_path / "made", words="# one")
    (tmp_path / "made" / WORDS_FILE).write_text("# mine", encoding="utf-8")
    assert save(model, tmp_path / "made", words="# two", read=b"# one", overwrite=True)
    assert words_in(tmp_path / "made") == b"# mine"
    assert (tmp_path / "made" / LEARNED_WORDS).read_text(encoding="utf-8") == "# two"
    assert not save(model, tmp_path / "made", words="# mine", read=b"# mine", overwrite=True)
    assert not (tmp_path / "made" / LEARNED_WORDS).exists()
    save(model, tmp_path / "made", overwrite=True)  # by train patterns
    assert words_in(tmp_path / "made") == b"# mine"


@pytest.mark.posix
@pytest.mark.parametrize("place", ["file/x", "file/x/y", "/proc/nope/x", "long" * 64])
def test_a_place_that_cannot_be_written_is_known_before_the_work(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("dear", encoding="utf-8")
    with fails("patterns.not_writable", ModelError):
        check_place(tmp_path / place, overwrite=True)
    check_place(tmp_path / "new" / "folder", overwrite=True)
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_a_folder_that_a_killed_process_left_aside_is_put_back(model: PatternModel, tmp_path: Path) -> None:
    made, aside = tmp_path / "tiny.graph.patterns", tmp_path / ".tiny.graph.patterns.replaced-1-0"
    for opened in (lambda: load(str(made)), lambda: check_place(made, overwrite=True), lambda: is_learned(made)):
        save(model, made, words="# one", overwrite=True)
        made.rename(aside)  # killed between two renames
        opened()
        assert words_in(made) == b"# one"
        assert not aside.exists()


def test_no_model_name_is_refused() -> None:
    with fails("parameter.not_allowed", PipelineError, name="model"):
        PatternScorer("")


def test_an_arrow_in_a_name_loses_no_step(folder: Path, tmp_path: Path) -> None:
    names = [("Ann", "currency", "C -> C++"), ("Ann", "currency", "plain"), ("Bob", "capital", "C -> C++")]
    graph = build(names, tmp_path / "arrows.graph")
    query = Query("which currency has Ann", (graph.entity("Ann"),))
    evidence = ShortestPaths(max_hops=2).retrieve(query, Subgraph(graph))
    trace = Trace()
    with record(trace, "rerank", "rerank"):
        ranked = Rerank(PatternScorer(str(folder))).rerank(query, evidence)
    scores = {path.text: path.score for path in ranked.paths}
    assert scores["Ann -> currency -> C -> C++"] == scores["Ann -> currency -> plain"] > NO_PATTERN
    assert scores["Ann -> currency -> C -> C++ <- capital <- Bob"] > NO_PATTERN
    found = BeamSearch(PatternScorer(str(folder)), max_hops=2).retrieve(query, Subgraph(graph))
    assert {path.text: path.score for path in found.paths} == pytest.approx(scores)
    assert "pattern_scorer.not_paths" not in trace.event_codes


@pytest.mark.parametrize("path", ["a" * 5000, "a\0b"])
def test_a_text_that_can_name_no_folder(path: str) -> None:
    with fails("patterns.not_readable", ModelError):
        PatternScorer(path).score(QUESTION, TEXTS)


@pytest.mark.parametrize("path", ["a" * 5000, "a\0b", "~nobody-of-this-name/films.towers"])
def test_a_text_that_can_name_no_learned_file(path: str) -> None:
    with fails("learned_file.not_readable", ModelError):
        PathTowers(path).score(QUESTION, TEXTS)
