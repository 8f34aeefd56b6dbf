"""From passages to a table of systems with corrected scores: data for a judge, the judge, labels by rule, the report.

    python benchmarks/judged_strategies.py [DATA] [FOLDER] [--llm qwen2.5-coder-1.5b] [--questions 100] [--passages 60]

Three text systems answer HotpotQA questions from its 994 passages. A judge is trained on questions that are written
about these passages (by the model, or by rules without one) and rates the evidence of every answer. 30 labels a system
follow from the gold answers: whether the name of one stands in the evidence. Every step is a command that is printed.
What is there already is not done again, so that an interrupted run goes on.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SYSTEMS = {
    "words": "Passages(n=2) >> Quote(BM25())",
    "meaning": "Passages(MiniLM(), n=2, by='meaning') >> Quote(BM25())",
    "PassageRank": "PassageRank(MiniLM(), n=2) >> Quote(BM25())",
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", nargs="?", type=Path, default=Path("../shared/data"))
    arguments.add_argument("folder", nargs="?", type=Path, default=Path(tempfile.gettempdir()) / "graphbrick-judged")
    arguments.add_argument("--llm", help="writes the questions that the judge learns from")
    arguments.add_argument("--questions", type=int, default=100, help="of HotpotQA")
    arguments.add_argument("--passages", type=int, default=60, help="that questions are written about")
    given = arguments.parse_args()
    place = given.folder
    place.mkdir(parents=True, exist_ok=True)
    passages, questions = place / "passages.jsonl", place / "questions.jsonl"
    write_files(given.data / "hipporag", passages, questions, given.questions)
    graph, runs, data, judge = (place / name for name in ("hotpotqa.graph", "runs.sqlite", "data", "judge"))
    command("index", passages, graph, done=graph.exists())
    systems = [part for name, text in SYSTEMS.items() for part in ("--pipeline", f"{name}: {text}")]
    command("evaluate", graph, questions, *systems, "--out", runs, "--link")
    writer = ["--llm", given.llm] if given.llm else []
    command("judge", "data", graph, "-o", data, "-n", given.passages, *writer, done=data.exists())
    label = ("--label", "context_relevance")
    command("judge", "train", data, "-o", judge, *label, done=judge.exists())
    command("judge", runs, "--judge", judge, *label, "--labels", "gold", "--n", 90, "--html", place / "report.html")


def write_files(source: Path, passages: Path, questions: Path, most: int) -> None:
    """Write passages and questions as JSON lines."""
    with gzip.open(source / "hotpotqa_train_corpus.json.gz", "rt", encoding="utf-8") as file:
        corpus = json.load(file)
    lines = ({"id": title, "title": title, "text": "".join(parts)} for title, parts in corpus.items())
    passages.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with gzip.open(source / "hotpotqa_train.json.gz", "rt", encoding="utf-8") as file:
        records = json.load(file)[:most]
    rows = ({"id": one["_id"], "question": one["question"], "answers": [one["answer"]]} for one in records)
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def command(*arguments: object, done: bool = False) -> None:
    """Run a command of graphbrick, unless what it makes is there, and print how long it took."""
    words = [str(one) for one in arguments]
    print("$ graphbrick", " ".join(f"'{word}'" if " " in word else word for word in words), flush=True)
    if done:
        print("there already\n")
        return
    started = time.perf_counter()
    code = subprocess.run([sys.executable, "-m", "graphbrick", *words]).returncode
    if code:
        sys.exit(code)
    print(f"{time.perf_counter() - started:.0f} s\n", flush=True)


if __name__ == "__main__":
    main()
