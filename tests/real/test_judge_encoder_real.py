"""A judge by an encoder with LoRA: it learns, its ONNX form gives what torch gives, and it runs without torch."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from graphbrick.core.errors import InputError
from graphbrick.judge.judges.trained import open_judge
from graphbrick.judge.synthetic.rows import OWN, Row
from graphbrick.judge.verdicts import Case, Label
from graphbrick.models.store import fetched

pytestmark = [
    pytest.mark.models,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]
RELEVANCE = Label.CONTEXT_RELEVANCE


@pytest.fixture(autouse=True)
def packages() -> None:
    for name in ("torch", "peft", "sentence_transformers", "onnxscript", "optuna"):
        pytest.importorskip(name)
    if fetched("all-minilm-l6-v2") is None:
        pytest.skip("run graphbrick models fetch all-minilm-l6-v2")


def rows_about(n: int, seed: int) -> list[Row]:
    """Return questions about colours of things, with a passage that says the colour and one that says the size."""
    rng, made = random.Random(seed), []
    for i in range(n):
        thing, colour = rng.choice(("house", "boat", "car", "dog")), rng.choice(("red", "green", "blue", "white"))
        question = f"What colour is the {thing} of Person{i}?"
        size = rng.choice(("big", "small", "old"))
        right, wrong = f"Its colour: the {thing} of Person{i} is {colour}.", f"The {thing} of Person{i} is {size}."
        for kind, text in ((OWN, right), ("retrieved", wrong)):
            made.append(Row(RELEVANCE, int(kind == OWN), kind, Case(question, (text,)), question))
    return made


def test_it_learns_and_runs_without_torch(tmp_path: Path) -> None:
    from graphbrick.judge.training.judge_encoder import EncoderParameters, train_judge_encoder

    how = EncoderParameters(epochs=4, batch_size=8, learning_rate=3e-3, rank=4)
    report = train_judge_encoder(rows_about(40, 1), tmp_path / "judge", parameters=how)[RELEVANCE]
    assert report.auc > 0.9
    judge = open_judge(tmp_path / "judge")
    rows = rows_about(10, 2)
    said = [verdict.probability for verdict in judge.rate(RELEVANCE, [row.case for row in rows])]
    right = [value for value, row in zip(said, rows, strict=True) if row.value]
    wrong = [value for value, row in zip(said, rows, strict=True) if not row.value]
    assert sum(right) / len(right) > sum(wrong) / len(wrong) + 0.3
    assert judge.identity.startswith("encoder ")
    about = json.loads((tmp_path / "judge/judge.json").read_text())
    assert about["report"]["labels"]["context_relevance"]["parameters"]["rank"] == 4
    with pytest.raises(InputError, match="exists already"):
        train_judge_encoder(rows_about(40, 1), tmp_path / "judge")


def test_optuna_tries_settings_and_the_best_is_kept(tmp_path: Path) -> None:
    from graphbrick.judge.training.judge_encoder import EncoderParameters, train_judge_encoder

    how = EncoderParameters(epochs=1, batch_size=8)
    report = train_judge_encoder(rows_about(20, 1), tmp_path / "judge", parameters=how, trials=2)[RELEVANCE]
    best = max(report.trials, key=lambda one: one["auc"])
    assert len(report.trials) == 2
    assert report.parameters["rank"] == best["rank"]
    assert report.auc == pytest.approx(best["auc"])
