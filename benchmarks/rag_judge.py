"""Whether the judge of `graphbrick rag` tells right answers from wrong ones, with a reference and without.

    python benchmarks/rag_judge.py [DATA] [--llm qwen2.5-coder-1.5b] [--answers 40]

Half of the answers are the gold answers of questions of HotpotQA, in a sentence; the other half are the gold answers of
other questions of the same kind (yes or no, else as long as can be). A score of 50 or more says that an answer is
right. Printed for each way of judging: the share of answers on which the judge agrees with the truth, the mean score of
right and of wrong answers, and how many scores could not be read.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import statistics
import tempfile
import time
from pathlib import Path

from graphbrick.judge.rag.references import Reference
from graphbrick.judge.rag.scores import Row, Scores, score_answers
from graphbrick.models.llm.naming import chat_model, name_of

_RIGHT = 50


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", nargs="?", type=Path, default=Path("../shared/data"))
    arguments.add_argument("--llm", default="qwen2.5-coder-1.5b", help="the judge")
    arguments.add_argument("--answers", type=int, default=40)
    given = arguments.parse_args()
    answers, gold, truth = answers_of(given.data / "hipporag" / "hotpotqa_train.json.gz", given.answers)
    llm = chat_model(given.llm)
    print("| judge sees | agrees | right, mean | wrong, mean | not read | seconds |\n|---|---|---|---|---|---|")
    for name, references in (("question and answer", {}), ("the right answer too", gold)):
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            scores = score_answers(answers, llm, name_of(llm), Scores(Path(folder) / "s.jsonl"), references=references)
            seconds = time.perf_counter() - start
        said = [(score.score, truth[score.question]) for score in scores]
        agreed = sum((score or 0) >= _RIGHT if right else (score or 0) < _RIGHT for score, right in said)
        means = [
            statistics.fmean([score for score, right in said if right is wanted and score is not None] or [0])
            for wanted in (True, False)
        ]
        unread = sum(score is None for score, _ in said)
        print(f"| {name} | {agreed / len(said):.2f} | {means[0]:.0f} | {means[1]:.0f} | {unread} | {seconds:.0f} |")


def answers_of(file: Path, n: int) -> tuple[list[Row], dict[str, Reference], dict[str, bool]]:
    """Return answers, the reference of each question, and whether the answer to it is right."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        records = json.load(lines)
    draw = random.Random(5)
    chosen = draw.sample(records, n)
    rows: list[Row] = []
    truth: dict[str, bool] = {}
    for place, record in enumerate(chosen):
        right, own = place % 2 == 0, str(record["answer"])
        others = [str(one["answer"]) for one in chosen if kind(str(one["answer"])) == kind(own)]
        wrong = [one for one in others if one.casefold() != own.casefold()]
        said = own if right or not wrong else draw.choice(wrong)
        truth[str(place)] = said == own
        rows.append(("answers", str(place), str(record["question"]), f"The answer is {said}."))
    gold = {str(place): Reference.of_text("answer", str(record["answer"])) for place, record in enumerate(chosen)}
    return rows, gold, truth


def kind(answer: str) -> str:
    """Return the kind of an answer: yes or no, a number, or a name."""
    if answer.casefold() in ("yes", "no"):
        return "yes or no"
    return "number" if any(letter.isdigit() for letter in answer) else "name"


if __name__ == "__main__":
    main()
