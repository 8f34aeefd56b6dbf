"""Judges that learn without torch: the logistic model, what it looks at, its folder, and the baselines."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from faults import fails

from graphbrick.core.errors import InputError
from graphbrick.judge.judges.baselines import CosineJudge, LengthJudge, RerankerJudge, WordsJudge
from graphbrick.judge.judges.classifier.features import Features, names_of, rarity
from graphbrick.judge.judges.classifier.learned import description
from graphbrick.judge.judges.classifier.logistic import Logistic, calibrated, fit
from graphbrick.judge.judges.classifier.training import folds, train_classifier
from graphbrick.judge.judges.encoder import MOST_PARTS, EncoderJudge, closest_parts
from graphbrick.judge.judges.folder import FILE, new_judge
from graphbrick.judge.judges.parts import Reader, parts_of
from graphbrick.judge.judges.trained import open_judge
from graphbrick.judge.synthetic.making import REFUSALS
from graphbrick.judge.synthetic.rows import OWN, Row
from graphbrick.judge.verdicts import Case, Label
from graphbrick.models.embedders.minilm import MiniLM
from graphbrick.models.logistic import sigmoid
from graphbrick.models.scorers.scorer import Scorer

RELEVANCE = Label.CONTEXT_RELEVANCE


@dataclass(frozen=True, repr=False)
class Overlap(Scorer):
    """Shared words, in place of a re-ranker."""

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        words = set(query.lower().split())
        return np.array([len(words & set(text.lower().split())) for text in texts], dtype=np.float64)


def test_newton_finds_the_minimum_of_the_balanced_loss_with_a_penalty() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(200, 4)) * [1, 5, 0.1, 2] + 3
    y = ((x - 3) @ [1, 0.3, 4, -1] + rng.normal(size=200) > 1).astype(float)
    model = fit(x, y, penalty=0.02)
    standard = (x - x.mean(0)) / x.std(0)

    def loss(weights: npt.NDArray[np.float64], bias: float) -> float:
        logits = standard @ weights + bias
        each = np.logaddexp(0, logits) - y * logits
        both = (each[y == 1].mean() + each[y == 0].mean()) / 2
        return float(both + 0.01 * weights @ weights)

    least = loss(model.weights, model.bias)
    for i in range(4):
        for step in (1e-3, -1e-3):
            moved = model.weights.copy()
            moved[i] += step
            assert loss(moved, model.bias) > least
    assert min(loss(model.weights, model.bias + step) for step in (1e-3, -1e-3)) > least


def test_numbers_that_would_count_the_wrong_way_are_left_out() -> None:
    rng = np.random.default_rng(6)
    y = (rng.random(300) < 0.5).astype(float)
    good = y + rng.normal(size=300) * 0.7
    x = np.column_stack([good, good + rng.normal(size=300) * 0.1 - 0.3 * y, -y + rng.normal(size=300)])
    free, signed = fit(x, y), fit(x, y, signs=np.array([1.0, 1.0, -1.0]))
    assert free.weights[1] < 0
    assert signed.weights[1] == 0
    assert signed.weights[0] > 0 > signed.weights[2]
    alone = fit(x[:, [0, 2]], y)
    np.testing.assert_allclose(signed.weights[[0, 2]], alone.weights)
    assert not fit(x, 1 - y, signs=np.ones(3)).weights[:2].any()


def test_calibration_undoes_a_stretch_and_keeps_the_order() -> None:
    rng = np.random.default_rng(4)
    logits = rng.normal(size=4000) * 2
    y = (rng.random(4000) < sigmoid(logits)).astype(float)
    sure = Logistic(np.zeros(1), np.ones(1), np.array([5.0]), 1.0)  # far too sure of itself
    better = calibrated(sure, logits[:, None], y)
    assert better.slope == pytest.approx(0.2, abs=0.03)
    assert np.abs(better.probabilities(logits[:, None]) - sigmoid(logits)).max() < 0.05
    backwards = Logistic(np.zeros(1), np.ones(1), np.array([-1.0]), 0.0)
    assert calibrated(backwards, logits[:, None], y).slope == 0.01


def test_perfectly_told_classes_give_finite_weights() -> None:
    model = fit(np.array([[0.0], [0.1], [5.0], [5.1]]), np.array([0.0, 0, 1, 1]))
    assert np.isfinite(model.weights).all()
    assert model.probabilities(np.array([[5.0], [0.0]])).tolist() == pytest.approx([1, 0], abs=0.05)


def test_parts_are_whole_sentences_of_a_size_and_lose_no_word() -> None:
    text = "One two three. Four five. " + " ".join(f"W{i}" for i in range(25)) + ". End."
    parts = parts_of([text], words=10)
    assert all(len(part.split()) <= 10 for part in parts)
    assert " ".join(parts).split() == text.split()
    assert parts[0] == "One two three. Four five."
    assert parts_of([]) == ()


def test_what_a_judge_looks_at_has_a_name_and_does_not_grow_with_length() -> None:
    texts = ["Nairobi is the capital of Kenya.", "Kampala lies in Uganda."]
    features = Features(Reader(MiniLM(), Overlap()), rarity(texts))
    question = "What is the capital of Kenya?"
    cases = [
        Case(question, (texts[0],)),
        Case(question, (texts[1],)),
        Case(question, (texts[0], "It rained all day. " * 40)),
        Case(question, ()),
    ]
    rows = features.of(RELEVANCE, cases)
    at = {name: i for i, name in enumerate(names_of(RELEVANCE))}
    assert rows.shape == (4, len(at))
    assert not any("length" in name for name in at)
    assert (rows[0] >= rows[1]).all()
    for name in ("words", "words in one part", "rare words", "pairs of words", "cosine"):
        assert rows[2, at[name]] == pytest.approx(rows[0, at[name]], abs=0.01)
    assert not rows[3].any()


@pytest.mark.parametrize(
    ("answer", "is_none"),
    [
        ("The capital is Nairobi.", False),
        ("I don't know.", True),
        ("The passage does not mention the capital.", True),
        ("It cannot be determined, as no information is given.", True),
        ("Nothing else happened; no war broke out.", False),
        ("There is no state tax there.", False),
        ("", True),
        *((refusal, True) for refusal in REFUSALS),
    ],
)
def test_answers_that_say_nothing_are_known(answer: str, is_none: bool) -> None:
    features = Features(Reader(MiniLM()), {})
    case = Case("What is the capital?", ("Nairobi is the capital.",), answer)
    for label in (Label.ANSWER_FAITHFULNESS, Label.ANSWER_RELEVANCE):
        row = features.of(label, [case])[0]
        assert row[names_of(label).index("no answer")] == is_none


def rows_about(n: int, seed: int) -> list[Row]:
    """Return questions about lakes: the right passage has the depth, wrong ones another lake or no depth."""
    rng = random.Random(seed)
    made = []
    for i in range(n):
        lake, other = (f"Lake{chr(65 + rng.randrange(26))}{i}{end}" for end in ("a", "b"))
        question = f"How deep is the lake {lake}?"
        for kind, text in (
            (OWN, f"The lake {lake} is {rng.randrange(10, 90)} metres deep."),
            ("same entities", f"The lake {lake} is far away from here."),
            ("random", f"The lake {other} is {rng.randrange(10, 90)} metres deep."),
        ):
            made.append(Row(RELEVANCE, int(kind == OWN), kind, Case(question, (text,)), question))
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    trained = train_classifier(rows_about(25, 1), Reader(MiniLM()))
    place = tmp_path_factory.mktemp("judges") / "judge"
    with new_judge(place, description(trained.models, trained.rarity, ("MiniLM()", ""), trained.report())):
        pass
    return place


@pytest.mark.whole
def test_a_judge_tells_rows_it_has_not_seen_and_says_why(folder: Path) -> None:
    judge = open_judge(folder)
    rows = rows_about(6, 2)
    verdicts = judge.rate(RELEVANCE, [row.case for row in rows])
    right = [verdict.probability for verdict, row in zip(verdicts, rows, strict=True) if row.value]
    wrong = [verdict.probability for verdict, row in zip(verdicts, rows, strict=True) if not row.value]
    assert min(right) > max(wrong)
    assert all(verdict.reason.startswith(("for it: ", "against it: ")) for verdict in verdicts)
    assert judge.labels == {RELEVANCE}
    with pytest.raises(ValueError, match="learned context_relevance, not correctness"):
        judge.rate(Label.CORRECTNESS, [])


@pytest.mark.whole
def test_a_judge_is_plain_text_with_its_figures_and_is_never_replaced(folder: Path) -> None:
    about = json.loads((folder / FILE).read_text())
    report = about["report"]["labels"]["context_relevance"]
    assert report["questions"] == 25
    assert report["auc"] > 0.9
    assert set(report["by_kind"]) == {"same entities", "random"}
    assert open_judge(folder).identity == open_judge(folder).identity
    assert open_judge(folder).identity.startswith("classifier ")
    with fails("judge_folder.exists", InputError, file=folder), new_judge(folder, about):
        pass


def test_a_damaged_judge_or_one_that_looks_at_other_numbers_is_an_error(folder: Path, tmp_path: Path) -> None:
    about = json.loads((folder / FILE).read_text())
    faults = {
        "classifier.other_features": {**about, "labels": {"context_relevance": {"names": ["cosine"]}}},
        "classifier.damaged": {**about, "labels": {"colour": {}}},
        "judge_folder.other_version": {**about, "version": 99},
        "judge_folder.not_a_judge": {"format": "other"},
    }
    for code, content in faults.items():
        (tmp_path / FILE).write_text(json.dumps(content))
        with fails(code, InputError, file=tmp_path):
            open_judge(tmp_path)
    with fails("judge_folder.unreadable", InputError, file=tmp_path / "none"):
        open_judge(tmp_path / "none")


@pytest.mark.parametrize(("part", "value"), [("weights", [1.0]), ("scale", None), ("bias", float("nan"))])
def test_a_judge_whose_figures_do_not_fit_is_damaged(folder: Path, tmp_path: Path, part: str, value: object) -> None:
    about = json.loads((folder / FILE).read_text())
    model = about["labels"]["context_relevance"]
    model[part] = [float("inf")] * len(model["names"]) if value is None else value
    (tmp_path / FILE).write_text(json.dumps(about))
    with fails("classifier.damaged", InputError, file=tmp_path):
        open_judge(tmp_path)


def test_rows_of_a_question_are_in_one_fold_and_few_questions_are_not_learned() -> None:
    groups = [f"g{i % 11}" for i in range(50)]
    fold = folds(groups, 0)
    assert all(len(set(fold[[i for i in range(50) if groups[i] == one]])) == 1 for one in groups)
    assert set(fold) == {0, 1, 2, 3, 4}
    with fails("classifier.no_label", InputError) as caught:
        train_classifier(rows_about(5, 1), Reader(MiniLM()))
    assert str(caught.value.values["left_out"][RELEVANCE]).startswith("5 questions")  # type: ignore[index]


def test_an_encoder_judges_by_the_best_of_the_parts_that_share_most_words() -> None:
    text = (
        " ".join(f"It rained on hill {i} all day." for i in range(60))
        + " The capital of Kenya is Nairobi. It rains. " * 30
    )
    case = Case("capital of Kenya", (text, "Kenya has hills."))
    judge = EncoderJudge({RELEVANCE: Overlap()}, {RELEVANCE: (2.0, -5.0)}, "encoder 1")
    assert "Nairobi" in closest_parts(RELEVANCE, case)[1][0]
    assert len(closest_parts(RELEVANCE, case)[1]) == MOST_PARTS
    verdict, empty = judge.rate(RELEVANCE, [case, Case("capital")])
    assert verdict.probability == pytest.approx(1 / (1 + np.exp(5 - 2 * 3)))
    assert empty.probability == 0


def test_baselines_compare_the_texts_that_a_label_is_about() -> None:
    near = Case("capital of Kenya", ("the capital of Kenya is Nairobi",), "It is Nairobi")
    far = Case("capital of Kenya", ("it rains in the mountains of Rwanda " * 9,), "no idea about rain " * 9)
    for judge in (LengthJudge(), WordsJudge(), CosineJudge(), RerankerJudge(Overlap())):
        for label in judge.labels:
            first, second = judge.rate(label, [near, far])
            assert 0 <= second.probability <= first.probability <= 1
        assert judge.rate(RELEVANCE, [Case("capital")])[0].probability == 0
        with pytest.raises(ValueError, match="does not judge"):
            judge.rate(Label.CORRECTNESS, [near])
    assert WordsJudge().rate(RELEVANCE, [near])[0].probability == 1
    assert LengthJudge().rate(Label.ANSWER_RELEVANCE, [near])[0].probability == pytest.approx(1 / 1.03)
