"""From passages to a table of systems with corrected scores: data for a judge, the judge, labels by rule, the report.

    python benchmarks/judged_strategies.py [DATA] [FOLDER] [--set medquad] [--llm qwen2.5-coder-1.5b] [--questions 100]
        [--judge likelihood:qwen2.5-coder-1.5b ...]

Three text systems answer questions of HotpotQA from its 994 passages, or questions about the first 90 health documents
of MedQuAD from their sections. A judge is trained on questions that are written about these passages (by the model, or
by rules without one) and rates the evidence of every answer. 30 labels a system follow from the gold answers: whether
one stands in the evidence. The gold answer to a question of MedQuAD is the first sentence of the section that answers
it. Further judges may be named, which rate the same answers. Every step is a command that is printed. What is there
already is not done again: an interrupted run goes on.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from graphbrick.text.documents.sentences import sentences

Lines = list[dict[str, object]]

SYSTEMS = {
    "words": "Passages(n=2) >> Quote(BM25())",
    "meaning": "Passages(MiniLM(), n=2, by='meaning') >> Quote(BM25())",
    "PassageRank": "PassageRank(MiniLM(), n=2) >> Quote(BM25())",
}
_DOCUMENTS = 90  # of MedQuAD
_LEAST = 6  # words of a sentence that serves as a gold answer


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", nargs="?", type=Path, default=Path("../shared/data"))
    arguments.add_argument("folder", nargs="?", type=Path, default=Path(tempfile.gettempdir()) / "graphbrick-judged")
    arguments.add_argument("--set", choices=("hotpotqa", "medquad"), default="hotpotqa", help="the questions")
    arguments.add_argument("--llm", help="writes the questions that the judge learns from")
    arguments.add_argument("--questions", type=int, default=100, help="that the systems answer")
    arguments.add_argument("--passages", type=int, default=60, help="that questions are written about")
    arguments.add_argument("--judge", action="append", default=[], help="a further judge; may be repeated")
    given = arguments.parse_args()
    place = given.folder
    place.mkdir(parents=True, exist_ok=True)
    passages, questions = place / "passages.jsonl", place / "questions.jsonl"
    read = {"hotpotqa": hotpotqa, "medquad": medquad}[given.set]
    for file, lines in zip((passages, questions), read(given.data, given.questions), strict=True):
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    graph, runs, data, judge = (place / name for name in (f"{given.set}.graph", "runs.sqlite", "data", "judge"))
    command("index", passages, graph, done=graph.exists())
    systems = [part for name, text in SYSTEMS.items() for part in ("--pipeline", f"{name}: {text}")]
    command("evaluate", graph, questions, *systems, "--out", runs, "--link")
    writer = ["--llm", given.llm] if given.llm else []
    command("judge", "data", graph, "-o", data, "-n", given.passages, *writer, done=data.exists())
    label = ("--label", "context_relevance")
    command("judge", "train", data, "-o", judge, *label, done=judge.exists())
    for one in (judge, *given.judge):
        command("judge", runs, "--judge", one, *label, "--labels", "gold", "--n", 90, "--html", place / "report.html")


def hotpotqa(source: Path, most: int) -> tuple[Lines, Lines]:
    """Return the passages and the first questions."""
    with gzip.open(source / "hipporag" / "hotpotqa_train_corpus.json.gz", "rt", encoding="utf-8") as file:
        corpus = json.load(file)
    with gzip.open(source / "hipporag" / "hotpotqa_train.json.gz", "rt", encoding="utf-8") as file:
        records = json.load(file)[:most]
    passages: Lines = [{"id": title, "title": title, "text": "".join(parts)} for title, parts in corpus.items()]
    return passages, [{"id": one["_id"], "question": one["question"], "answers": [one["answer"]]} for one in records]


def medquad(source: Path, most: int) -> tuple[Lines, Lines]:
    """Return the sections of the first documents, and questions drawn from those that they answer."""
    with gzip.open(source / "medquad" / "documents.jsonl.gz", "rt", encoding="utf-8") as lines:
        documents = [json.loads(line) for _, line in zip(range(_DOCUMENTS), lines, strict=False)]
    passages, questions = Lines(), Lines()
    for document in documents:
        for number, section in enumerate(document["sections"]):
            row = {"id": f"{document['id']}/{number}", "title": document["focus"], "text": section["answer"]}
            passages.append(row)
            gold = first_sentence(section["answer"])
            if len(gold.split()) >= _LEAST:
                questions.append({"id": row["id"], "question": section["question"], "answers": [gold]})
    return passages, random.Random(0).sample(questions, min(most, len(questions)))


def first_sentence(text: str) -> str:
    """Return the first sentence of a text."""
    return next((text[start:end].strip() for start, end in sentences(text)), "")


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
