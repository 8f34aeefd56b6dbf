"""Whether metrics by a language model tell right answers from wrong ones: four questions, a good and a bad answer each.

    python benchmarks/metrics_by_model.py FOLDER [--model qwen2.5-coder-1.5b] [--threads 2] [--only verdicts]

The cases are written for this: short evidence about invented things, so that a model cannot know the answers. The good
system finds the item that holds the answer first and answers rightly. The bad one finds it second and answers by what
the other item says (questions 1 and 2), or does not find it and answers by nothing at all (3 and 4). So every metric
has a value that it should have. Prints the mean of both beside it, on how many questions the good system scores better,
and what could not be read. Values are kept in FOLDER, so that the same command goes on after a kill.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path

from graphbrick import LocalLLM, MiniLM
from graphbrick.judge.asking import about, numbered_data
from graphbrick.judge.judges.rubric import RubricJudge
from graphbrick.judge.metrics.cases import SystemCase
from graphbrick.judge.metrics.criteria import CriteriaJudge
from graphbrick.judge.metrics.measuring import measure_cases
from graphbrick.judge.metrics.metric_judge import Metric, MetricJudge
from graphbrick.judge.metrics.scoring import score_cases
from graphbrick.judge.metrics.steps import VERDICTS, verdicts_schema
from graphbrick.judge.verdicts import Case, Label

# Question, the item with the answer, another item, the right answer, a wrong one, whether the bad system finds it.
QUESTIONS = (
    (
        "When was the Chapel Mill of Orrel rebuilt?",
        "The Chapel Mill of Orrel burnt down in 1771. It was rebuilt in 1784 by the carpenter Jon Tamm.",
        "A faded notice at the gate says that the Chapel Mill of Orrel was rebuilt in 1692.",
        "The mill was rebuilt in 1784.", "The mill was rebuilt in 1692.", True,
    ),
    (
        "Who leads the Varda Institute?",
        "The Varda Institute studies mosses. Since 2015 its director is Mina Okoro.",
        "The director of the Varda Institute is Peter Lind, wrote a newspaper in 2009.",
        "The institute is led by Mina Okoro.", "The institute is led by Peter Lind.", True,
    ),
    (
        "Which disease does the drug teravolin treat?",
        "Teravolin is a drug against river fever. It is taken twice a day.",
        "Belmatin is a drug in the form of drops. It is kept in a cool place.",
        "Teravolin treats river fever.", "Teravolin treats migraine.", False,
    ),
    (
        "Where does the river Brada rise?",
        "The Brada rises on Mount Karsa and flows north for 210 kilometres.",
        "The Oster is a river with many fish. Trout live in it.",
        "The Brada rises on Mount Karsa.", "The Brada rises in Lake Brenn.", False,
    ),
)  # fmt: skip
# What each metric should be for the good system and the bad one; None where it should have no fixed value.
EXPECTED = {
    Metric.FAITHFULNESS: (1.0, 0.5),
    Metric.ANSWER_RELEVANCY: (None, None),
    Metric.CONTEXT_PRECISION: (1.0, 0.25),
    Metric.CONTEXT_PRECISION_WITHOUT_REFERENCE: (1.0, None),
    Metric.CONTEXT_RECALL: (1.0, 0.5),
    Metric.CONTEXT_ENTITY_RECALL: (1.0, None),
    Metric.ANSWER_CORRECTNESS: (1.0, None),
    Metric.NOISE_SENSITIVITY: (0.0, 0.0),
    Metric.NOISE_SENSITIVITY_IRRELEVANT: (0.0, 0.5),
}
LOW_IS_GOOD = (Metric.NOISE_SENSITIVITY, Metric.NOISE_SENSITIVITY_IRRELEVANT)
PARTS = ("verdicts", "metrics", "rubric", "score")
CRITERIA = "Does the answer give what the question asks for, and does the evidence confirm it?"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", default="qwen2.5-coder-1.5b")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--metric", choices=list(EXPECTED), nargs="*", help="all if none is named")
    parser.add_argument("--only", choices=PARTS, nargs="*")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    llm = LocalLLM(options.model, threads=options.threads, context=4096, max_tokens=600)
    parts = options.only or PARTS
    if "verdicts" in parts:
        print_verdicts(llm)
    if "metrics" in parts:
        print_metrics(llm, [Metric(name) for name in options.metric or EXPECTED], options.folder / "metrics.jsonl")
    if "rubric" in parts:
        print_rubric(llm)
    if "score" in parts:
        print_scores(llm, options.folder / "scores.jsonl")


def cases() -> list[SystemCase]:
    """Return the case of both systems for each question."""
    made = []
    for number, (question, item, other, right, wrong, finds) in enumerate(QUESTIONS, 1):
        evidence = (other, item) if finds else (other,)
        made.append(SystemCase("good", str(number), Case(question, (item, other), right, (right,))))
        made.append(SystemCase("bad", str(number), Case(question, evidence, wrong, (right,))))
    return made


def print_verdicts(llm: LocalLLM) -> None:
    """Print single verdicts on statements and on evidence: what all metrics but one are counted from."""
    for question, item, other, right, wrong, _ in QUESTIONS:
        for source, statement, expected in (
            ([right], wrong, "no"), ([right], right, "yes"), ([other], right, "no"), ([item, other], right, "yes"),
        ):  # fmt: skip
            data = {"question": question, "source": numbered_data(source), "statements": numbered_data([statement])}
            ask(llm, "support", data, [expected])
        for evidence, said in (([other, item], ["no", "yes"]), ([item, other], ["yes", "no"])):
            data = {"question": question, "answer": right, "evidence": numbered_data(evidence)}
            ask(llm, "usefulness", data, said)


def ask(llm: LocalLLM, prompt: str, data: dict[str, object], expected: list[str]) -> None:
    """Ask for verdicts, and print them with their reasons."""
    reply = llm.complete(about(prompt, data, VERDICTS), schema=verdicts_schema(len(expected)))
    verdicts = json.loads(reply)["verdicts"]
    said = [one["verdict"] for one in verdicts]
    print(prompt, "right" if said == expected else f"wrong, should be {expected}", verdicts, flush=True)


def print_metrics(llm: LocalLLM, metrics: Sequence[Metric], file: Path) -> None:
    """Print every metric of both systems."""
    started = time.perf_counter()
    judge = MetricJudge(llm, tuple(metrics), MiniLM())
    study = measure_cases(
        cases(), judge, file, progress=lambda step, done, total: print(f"{done} of {total}", flush=True)
    )
    print("| metric | good (should be) | bad (should be) | good is better | unreadable |\n|---|---|---|---|---|")
    for metric in metrics:
        found = {(one.system, one.id): values[metric] for one, values in zip(study.cases, study.values, strict=True)}
        numbers = [str(number) for number in range(1, len(QUESTIONS) + 1)]
        pairs = [(found["good", number].value, found["bad", number].value) for number in numbers]
        known = [(good, bad) for good, bad in pairs if good is not None and bad is not None]
        better = sum(good < bad if metric in LOW_IS_GOOD else good > bad for good, bad in known)
        unread = sum(value.unreadable for value in found.values())
        good, bad = (shown([pair[place] for pair in pairs], at) for place, at in enumerate(EXPECTED[metric]))
        print(f"| `{metric}` | {good} | {bad} | {better} of {len(known)} | {unread} of {len(found)} |")
    usage = study.usage.to_dict()
    print(f"{time.perf_counter() - started:.0f} s, {usage}\n", flush=True)


def shown(values: Sequence[float | None], expected: float | None) -> str:
    """Return values with the mean that they should have."""
    listed = ", ".join("none" if value is None else f"{value:.2f}" for value in values)
    return listed if expected is None else f"{listed} ({expected:g})"


def print_rubric(llm: LocalLLM) -> None:
    """Print the probability of each label, for the answers of both systems."""
    judge = RubricJudge(llm)
    print("| label | good | bad | good is better |\n|---|---|---|---|")
    for label in Label:
        started = time.perf_counter()
        verdicts = judge.rate(label, [one.case for one in cases()])
        said = [verdict.probability for verdict in verdicts]
        pairs = list(zip(said[::2], said[1::2], strict=True))
        better = sum(good is not None and bad is not None and good > bad for good, bad in pairs)
        sides = " | ".join(shown(side, None) for side in (said[::2], said[1::2]))
        print(f"| {label} | {sides} | {better} of {len(pairs)} | {time.perf_counter() - started:.0f} s", flush=True)
    print()


def print_scores(llm: LocalLLM, file: Path) -> None:
    """Print scores by criteria, with steps that the model wrote and without."""
    print("| steps | good | bad | good is better | how |\n|---|---|---|---|---|")
    for write_steps in (False, True):
        study = score_cases(cases(), CriteriaJudge(llm, CRITERIA), file, write_steps=write_steps)
        said = [score.value for score in study.scores]
        pairs = list(zip(said[::2], said[1::2], strict=True))
        better = sum(good is not None and bad is not None and good > bad for good, bad in pairs)
        sides = " | ".join(shown(side, None) for side in (said[::2], said[1::2]))
        how = ", ".join(sorted({score.by for score in study.scores}))
        print(f"| {'written' if write_steps else 'none'} | {sides} | {better} of {len(pairs)} | {how} |", flush=True)
        print("\n".join(study.judge.steps))


if __name__ == "__main__":
    main()
