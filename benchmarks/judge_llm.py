"""A small language model as a judge of context relevance, as it is and tuned, on the 200 human labels of ARES.

    python benchmarks/judge_llm.py DATA OUT [--base qwen2.5-coder-1.5b] [--questions 100] [--epochs 2] [--device cuda]

What is measured: the probability of yes to `RubricJudge`'s prompt (one word, up to 3,000 tokens of the document), the
likelihood of the question given the document less that without it (per token), and the first after tuning (LoRA,
`graphbrick judge train --method llm`). It learns from questions of HotpotQA, MuSiQue and MedQuAD with single passages
and with long documents (gold_passages.py), never from ARES. For each of the two kinds of data set, a model that
learned from the other one says what carries over; settings are to be chosen by that. ARES is read once, at the end, by
the models that learned from all three and by the untrained one.

OUT is a folder: OUT/scores.json holds every score, and a run that was interrupted goes on from it. With --keep it also
gets the tuned judge, which graphbrick opens.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ares import ares_rows
from gold_passages import gold_rows, long_rows
from graphbrick import LLM
from graphbrick.judge.judges.tuned_model import rubric_of
from graphbrick.judge.synthetic.rows import Row
from graphbrick.judge.training.judge_llm import JudgeSettings, encoded, probabilities, train_judge_llm
from graphbrick.judge.verdicts import Label
from graphbrick.learn.train.llms.llm_examples import Lesson
from graphbrick.learn.train.llms.llm_fit import Base, Tokens, adapt, encode, fit, open_base, reply_losses
from graphbrick.learn.train.torch_tools import seeded
from graphbrick.study.statistics.agreement import auc
from graphbrick.study.statistics.auc_gain import auc_gain

_WORDS, _PART = 2000, 150  # of a document and of its parts, for the likelihood of the question


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--base", default="qwen2.5-coder-1.5b")
    arguments.add_argument("--questions", type=int, default=100, help="of each data set")
    arguments.add_argument("--epochs", type=int, default=2)
    arguments.add_argument("--rate", type=float, default=1e-4, help="learning rate")
    arguments.add_argument("--limit", type=int, default=200, help="rows of ARES")
    arguments.add_argument("--device", default=None)
    arguments.add_argument("--keep", action="store_true", help="write the tuned judge, too")
    given = arguments.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    how = JudgeSettings(epochs=given.epochs, learning_rate=given.rate, batch_size=16)
    short = gold_rows(given.data, questions=given.questions)
    rows = short + long_rows(given.data, questions=given.questions)
    people = ares_rows(given.data, given.out)[Label.CONTEXT_RELEVANCE][: given.limit]
    started = time.perf_counter()
    base = open_base(given.base, given.device)
    scores = Scores(given.out / "scores.json", set(map(id, short)), started)
    scores.add("as it is", rows, lambda of: asked(base, base.model, of, how))
    scores.add("likelihood", rows, lambda of: likelihood(base, of))
    scores.add("likelihood, best part", rows, lambda of: likelihood_of_parts(base, of))
    medquad = [row for row in rows if row.source == "medquad"]
    paragraphs = [row for row in rows if row.source != "medquad"]
    scores.add("tuned without medquad", medquad, lambda of: tuned(base, paragraphs, of, how))
    scores.add("tuned without paragraphs", paragraphs, lambda of: tuned(base, medquad, of, how))
    scores.add("ARES as it is", people, lambda of: asked(base, base.model, of, how))
    scores.add("ARES likelihood", people, lambda of: likelihood(base, of))
    scores.add("ARES likelihood, best part", people, lambda of: likelihood_of_parts(base, of))
    if given.keep:
        train_judge_llm(rows, given.out / "judge", base=given.base, settings=how, device=given.device)
    scores.add("ARES tuned on all", people, lambda of: tuned(base, rows, of, how))
    scores.add("ARES tuned on short", people, lambda of: tuned(base, short, of, how))


class Scores:
    """Scores of rows by several judges: printed as areas under the ROC curve, and kept in a file."""

    def __init__(self, file: Path, short: set[int], started: float) -> None:
        self._file, self._short, self._started = file, short, started
        self._kept: dict[str, dict[str, list[float]]] = (
            json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        )

    def add(self, name: str, rows: Sequence[Row], judge: Callable[[Sequence[Row]], np.ndarray]) -> None:
        """Print and keep what a judge makes of some rows, unless an earlier run kept it."""
        given = [row.value for row in rows]
        if name in self._kept and self._kept[name]["values"] != given:
            raise SystemExit(f"{self._file} holds scores of other rows; give another folder")
        scores = np.array(self._kept[name]["scores"]) if name in self._kept else judge(rows)
        parts: dict[str, list[int]] = {}
        for i, row in enumerate(rows):
            kind = "passages" if id(row) in self._short else "documents"
            parts.setdefault(f"{row.source} {kind}" if row.source else "all", []).append(i)
        for part, places in parts.items():
            values = np.array([rows[i].value for i in places], dtype=np.float64)
            length = np.array([-float(len(rows[i].case.evidence[0])) for i in places])
            ours, gain = auc(values, scores[places]), auc_gain(values, scores[places], length)
            if ours is None or gain is None:
                continue
            area = f"{ours.value:.3f} [{ours.low:.3f}, {ours.high:.3f}]"
            above = f"{gain.value:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}]"
            seconds = time.perf_counter() - self._started
            print(f"{name} | {part} | {len(places)} | {area} | {above} | {seconds:.0f} s", flush=True)
        self._kept[name] = {"values": given, "scores": [round(float(score), 6) for score in scores]}
        self._file.write_text(json.dumps(self._kept))


def asked(base: Base, model: object, rows: Sequence[Row], how: JudgeSettings) -> np.ndarray:
    """Return the probability of yes of each row; 0.5 where the prompt does not fit."""
    fitting, tokens = encoded(base, rubric_of(LLM("tuned", context=how.context), how.tokens), rows, how)
    found = dict(zip(map(id, fitting), probabilities(base, model, tokens), strict=True))
    return np.array([found.get(id(row), 0.5) for row in rows])


def tuned(base: Base, learned: Sequence[Row], rows: Sequence[Row], how: JudgeSettings) -> np.ndarray:
    """Return the probability of yes of each row, by the model tuned on all of others; the base stays as it was."""
    _, tokens = encoded(base, rubric_of(LLM("tuned", context=how.context), how.tokens), learned, how)
    with seeded(how.seed, base.device):
        model = adapt(base, how)
        fitted = fit(model, tokens, [], how, lambda step, done, total: None)
    print(f"{len(tokens):,} rows, losses {', '.join(f'{loss:.3f}' for loss in fitted.losses)}", flush=True)
    scores = asked(base, model, rows, how)
    base.model = model.unload()
    return scores


def likelihood(base: Base, rows: Sequence[Row]) -> np.ndarray:
    """Return the mean log probability of a question's tokens given the document, less that without a document."""
    texts = [" ".join(row.case.evidence[0].split()[:_WORDS]) for row in rows]
    return gains(base, [row.case.question for row in rows], texts)


def likelihood_of_parts(base: Base, rows: Sequence[Row]) -> np.ndarray:
    """Return the highest `likelihood` of the parts of a document, which overlap by half."""
    parts = [
        (i, " ".join(words[start : start + _PART]))
        for i, words in enumerate(row.case.evidence[0].split()[:_WORDS] for row in rows)
        for start in range(0, max(1, len(words) - _PART // 2), _PART // 2)
    ]
    each = gains(base, [rows[i].case.question for i, _ in parts], [text for _, text in parts])
    best = np.full(len(rows), -np.inf)
    np.maximum.at(best, [i for i, _ in parts], each)
    return best


def gains(base: Base, questions: Sequence[str], texts: Sequence[str]) -> np.ndarray:
    """Return how much likelier each question is given a text than without it, nats per token."""
    given, without = (lessons_of(base, questions, read) for read in (texts, [""] * len(texts)))
    sizes = np.array([len(one.ids) - one.prompt for one in given])
    alone: dict[tuple[int, ...], int] = {one.ids: i for i, one in enumerate(without)}
    first = reply_losses(base.model, [without[i] for i in alone.values()])
    before = dict(zip(alone, first, strict=True))
    return (np.array([before[one.ids] for one in without]) - reply_losses(base.model, given)) / sizes


def lessons_of(base: Base, questions: Sequence[str], texts: Sequence[str]) -> list[Tokens]:
    """Return prompts that ask for a question about a text, with the questions as replies."""
    made = [
        Lesson("", ({"role": "user", "content": f"{text}\n\nWrite a question that this text answers."},), question)
        for text, question in zip(texts, (one.strip() or "?" for one in questions), strict=True)
    ]
    return [tokens for tokens in encode(base, made, context=10**6, longest=10**6)[0] if tokens is not None]


if __name__ == "__main__":
    main()
