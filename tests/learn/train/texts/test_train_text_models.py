"""Training text models, as far as it goes without torch: parameters, the place, the base, rows, the commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from faults import fails

from graphbrick.cli.app import main
from graphbrick.core.compute import Progress
from graphbrick.core.errors import InputError, ModelError
from graphbrick.graphs.graph import Graph
from graphbrick.learn.train import frame
from graphbrick.learn.train.folder import DESCRIPTION, check_place, writing
from graphbrick.learn.train.path_examples import PathRules, by_text, collect
from graphbrick.learn.train.texts.embedder import EmbedderTrainee, train_embedder
from graphbrick.learn.train.texts.reranker import train_reranker
from graphbrick.learn.train.texts.text_models import Row, TextParameters, base_of, prepare, ranked, rows_of
from graphbrick.models import store
from graphbrick.questions.grounding import ground
from graphbrick.questions.question import Question
from graphbrick.testing import tiny_graph

ASKED = [
    Question("1", "Which currency is used around Nairobi?", ("Nairobi",), ("Kenyan shilling",)),
    Question("2", "Which countries are near Kampala?", ("Kampala",), ("Kenya", "Rwanda")),
]
Train = Callable[..., Any]
TRAININGS = pytest.mark.parametrize("train", [train_embedder, train_reranker], ids=["embedder", "reranker"])


@pytest.fixture(scope="module")
def graph() -> Graph:
    return tiny_graph()


@pytest.fixture
def no_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame, "find_spec", lambda name: None)


def fitting(**options: Any) -> TextParameters:
    given: dict[str, Any] = {
        "caller": "train_embedder", "loss": "margin", "losses": ("margin",), "margin": 0.2, "by": "both",
        "max_hops": 2, "negative_hops": None, "k": 100, "positives": 4, "pool": 8, "least": 0.5, "negatives": 4,
        "hard": 2, "refresh": 1, "epochs": 1, "batch_size": 4, "learning_rate": 1e-4, "warm_up": 0.1, "patience": 1,
        "seed": 0,
    }  # fmt: skip
    return TextParameters(**given | options)


@pytest.mark.usefixtures("no_packages")
@TRAININGS
@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"loss": "triplet"}, "train_texts.bad_loss"),
        ({"by": "text"}, "train.bad_parameter"),
        ({"max_hops": 0}, "train.bad_parameter"),
        ({"max_hops": True}, "train.bad_parameter"),
        ({"negative_hops": 4}, "train_texts.too_large"),
        ({"negatives": 40}, "train_texts.too_large"),
        ({"hard": 9}, "train_texts.too_large"),
        ({"epochs": 1.5}, "train.bad_parameter"),
        ({"batch_size": 0}, "train.bad_parameter"),
        ({"seed": -1}, "train.bad_parameter"),
        ({"learning_rate": 0}, "train.bad_parameter"),
        ({"learning_rate": float("nan")}, "train.bad_parameter"),
        ({"warm_up": 1.1}, "train.bad_parameter"),
        ({"margin": -1}, "train.bad_parameter"),
        ({"least": "half"}, "train.bad_parameter"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_parameters_are_checked_before_anything_else(
    train: Train, wrong: dict[str, Any], code: str, graph: Graph, tmp_path: Path
) -> None:
    values = {} if code == "train_texts.bad_loss" else {"name": next(iter(wrong))}
    with fails(code, InputError, **values):
        train(graph, ASKED, tmp_path / "out", **wrong)
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("no_packages")
@TRAININGS
def test_a_missing_package_is_named(train: Train, graph: Graph, tmp_path: Path) -> None:
    with fails("train.no_package", ModelError, package="torch"):
        train(graph, ASKED, tmp_path / "out")
    assert not list(tmp_path.iterdir())


@TRAININGS
def test_an_unknown_option_is_a_type_error(train: Train, graph: Graph, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'epoch'"):
        train(graph, ASKED, tmp_path / "out", epoch=3)


@pytest.mark.usefixtures("no_packages")
def test_a_prefix_is_a_text(graph: Graph, tmp_path: Path) -> None:
    with fails("train_embedder.bad_prefix", InputError, name="query_prefix"):
        train_embedder(graph, ASKED, tmp_path / "out", query_prefix=None)  # type: ignore[arg-type]


# The place


def half_written(place: Path, fault: type[BaseException] | Exception) -> None:
    with writing(place, "embedder", {"seed": 2}, overwrite=True) as folder:
        (folder / "half").write_text("2", encoding="utf-8")
        raise fault


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    place = tmp_path / "deep" / "model"
    with writing(place, "embedder", {"seed": 1}, overwrite=False) as folder:
        (folder / "onnx").mkdir()
        (folder / "onnx" / "model.onnx").write_text("1", encoding="utf-8")
        assert not place.exists()
    said = json.loads((place / DESCRIPTION).read_text(encoding="utf-8"))
    assert (said["kind"], said["seed"], said["files"]) == ("embedder", 1, ["onnx/model.onnx"])
    for fault in (KeyboardInterrupt, OSError("disk full"), ModelError("off")):
        expected = KeyboardInterrupt if fault is KeyboardInterrupt else ModelError
        with pytest.raises(expected):
            half_written(place, fault)
        assert json.loads((place / DESCRIPTION).read_text(encoding="utf-8"))["seed"] == 1
        assert [file.name for file in place.parent.iterdir()] == ["model"]
    with writing(place, "embedder", {"seed": 3}, overwrite=True) as folder:
        (folder / "other").write_text("3", encoding="utf-8")
    assert sorted(file.name for file in place.iterdir()) == ["other", DESCRIPTION]
    assert [file.name for file in place.parent.iterdir()] == ["model"]


def test_only_what_was_trained_here_is_replaced(tmp_path: Path) -> None:
    place = tmp_path / "model"
    with writing(place, "embedder", {}, overwrite=False) as folder:
        (folder / "weights").write_text("1", encoding="utf-8")
    with fails("place.taken", ModelError, what="a trained embedder"):
        check_place(place, "embedder", overwrite=False)
    check_place(place, "embedder", overwrite=True)
    with fails("place.other_contents", ModelError, what="a trained re-ranker"):
        check_place(place, "re-ranker", overwrite=True)
    (place / "letter.txt").write_text("dear", encoding="utf-8")
    with fails("place.other_files", ModelError):
        check_place(place, "embedder", overwrite=True)
    (place / DESCRIPTION).write_text("[", encoding="utf-8")
    with fails("place.other_contents", ModelError, what="a trained embedder"):
        check_place(place, "embedder", overwrite=True)
    (tmp_path / "file").write_text("", encoding="utf-8")
    with fails("train.not_writable", ModelError):
        check_place(tmp_path / "file" / "model", "embedder", overwrite=True)
    with fails("place.other_contents", ModelError, what="a trained embedder"):
        check_place(Path("/"), "embedder", overwrite=True)
    (tmp_path / "empty").mkdir()
    check_place(tmp_path / "empty", "embedder", overwrite=False)


# The base


def test_a_base_is_found_or_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHBRICK_MODELS", str(tmp_path / "models"))
    assert base_of("BAAI/bge-small-en-v1.5") == "BAAI/bge-small-en-v1.5"
    with pytest.raises(ModelError, match="run: graphbrick models fetch all-minilm-l6-v2"):
        base_of("all-minilm-l6-v2")
    for file in store.known()["all-minilm-l6-v2"].files:
        file.path.parent.mkdir(parents=True, exist_ok=True)
        with file.path.open("wb") as out:
            out.truncate(file.bytes)
    assert base_of("all-minilm-l6-v2") == str(tmp_path / "models" / "all-minilm-l6-v2")
    (tmp_path / "onnx").mkdir()
    (tmp_path / "onnx" / "model.onnx").write_text("", encoding="utf-8")
    for wrong, code in (
        (str(tmp_path / "onnx"), "train_texts.no_weights"),
        (str(tmp_path / "nowhere"), "train_texts.no_folder"),
        (str(tmp_path / "onnx" / "model.onnx"), "train_texts.base_is_file"),
        ("", "train_texts.bad_base"),
    ):
        with fails(code, ModelError):
            base_of(wrong)


# Rows


def nothing(what: str, done: int, total: int) -> None:
    pass


def test_rows_hold_the_texts_of_the_bricks_with_their_keys(graph: Graph) -> None:
    (example,) = collect(graph, ground(graph, ASKED[:1]).questions, PathRules(2)).all
    rows = rows_of(example, ("path", "pattern"))
    for row, by in zip(rows, ("path", "pattern"), strict=True):
        right, wrong = by_text(example.positives, by), by_text(example.negatives, by)
        assert (row.positives, set(row.negatives)) == (tuple(right), set(wrong) - set(right))
        assert len(row.keys) == len(row.positives) + len(row.negatives)
        assert set(row.keys[: len(row.positives)]) <= row.right
        assert not set(row.keys[len(row.positives) :]) & row.right


def test_a_question_around_which_all_is_right_is_of_use_only_among_others(graph: Graph) -> None:
    asked = [Question("1", "What is around Kigali?", ("Kigali",), ("Rwanda",))]
    told: list[tuple[str, float, float | None]] = []
    progress: Progress = lambda what, done, total: told.append((what, done, total))  # noqa: E731
    with fails("train_texts.no_path", InputError, n=1):
        prepare(graph, asked, fitting(max_hops=1), progress, alone=False)
    assert told == [("questions searched", 1, 1)]
    given = prepare(graph, asked, fitting(max_hops=1, by="path"), nothing, alone=True)
    assert [(row.positives, row.negatives) for row in given.learned] == [(("Kigali <- capital <- Rwanda",), ())]
    assert given.questions == (1, 0, 0)
    capital = Question("2", "What is the capital of Kenya?", ("Kenya",), ("Nairobi",))
    assert prepare(graph, [*asked, capital], fitting(max_hops=1), nothing, alone=False).questions == (1, 0, 1)


def test_ranks_are_those_of_the_best_positive_behind_ties() -> None:
    row = Row("?", ("a", "b"), ("c", "d", "e"), (), frozenset())
    scores = [[1, 5, 2, 3, 4], [1, 2, 3, 4, 0], [1, 2, 2, 0, 0]]
    found = ranked([row] * 3, [np.array(some, dtype=np.float32) for some in scores])
    assert (found.questions, found.hits_at_1) == (3, pytest.approx(1 / 3))
    assert found.mrr == pytest.approx((1 + 1 / 3 + 1 / 2) / 3)


# The commands


@pytest.mark.usefixtures("no_packages")
@pytest.mark.parametrize("command", ["embedder", "reranker"])
def test_the_command_says_what_is_wrong(
    command: str, graph: Graph, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "questions.jsonl"
    line = {"question": ASKED[0].text, "seeds": list(ASKED[0].seeds), "answers": list(ASKED[0].answers)}
    file.write_text(json.dumps(line) + "\n", encoding="utf-8")
    given = ["train", command, str(graph.path), str(file), "--out", str(tmp_path / "out")]
    for more, says in (
        (["--loss", "triplet"], "loss must be one of"),
        (["--learning-rate", "2"], "learning_rate must be a number above 0"),
        ([], "pip install 'graphbrick[train]'"),
    ):
        with pytest.raises(SystemExit) as stopped:
            main([*given, *more])
        assert stopped.value.code == 1
        said = capsys.readouterr()
        assert says in said.err
        assert said.err.count("\n") == 1
        assert not said.out
    assert not (tmp_path / "out").exists()


def test_an_embedder_rates_questions_around_which_every_path_is_right() -> None:
    vectors = {"q": np.array([1.0, 0.0]), "a": np.array([0.5, 0.5])}
    trainee = SimpleNamespace(
        prefixes={"query_prefix": "", "text_prefix": ""},
        infer=lambda texts: np.stack([vectors[text] for text in texts]),
    )
    scores = EmbedderTrainee.rate(trainee, [("q", ["a"]), ("q", [])])  # type: ignore[arg-type]
    assert [row.tolist() for row in scores] == [[0.5], []]
    scores = EmbedderTrainee.rate(trainee, [("q", []), ("q", [])])  # type: ignore[arg-type]
    assert [row.tolist() for row in scores] == [[], []]
