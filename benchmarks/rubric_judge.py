"""A language model as a judge of context relevance on the 200 human labels of ARES: AUC, unreadable verdicts, seconds.

    python benchmarks/rubric_judge.py DATA OUT.jsonl [--model NAME] [--tokens 250] [--reasons] [--limit N] [--threads 1]
        [--server http://127.0.0.1:8090/v1]

DATA is ares/human_labels.tsv.gz. Each verdict is written to OUT as soon as it is there, so that the same command goes
on after a kill. ``--server`` is an OpenAI-compatible server that has the model. Prints the area under the ROC curve
beside that of the length of the document (shorter is more relevant), on the cases judged so far; a verdict that cannot
be read counts half against every other.

    python benchmarks/rubric_judge.py DATA CASES.jsonl --write-cases --limit 10

writes cases for `graphbrick judge metrics` and `graphbrick judge pairs` instead: the first 1,000 characters of each
document as evidence, with two systems: the answer of the data, and the first sentence of the document.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import time
from pathlib import Path

import numpy as np

from graphbrick import LLM, LocalLLM
from graphbrick.core.trace import Trace, record
from graphbrick.judge.judges.rubric import RubricJudge
from graphbrick.judge.verdicts import Case, Label
from graphbrick.study.statistics.intervals import wilson
from graphbrick.text.documents.sentences import sentences


def auc(scores: list[float], labels: list[int]) -> float:
    """Return the share of pairs of a relevant and an irrelevant case in which the relevant one scores higher."""
    relevant = np.array([score for score, label in zip(scores, labels, strict=True) if label])
    other = np.array([score for score, label in zip(scores, labels, strict=True) if not label])
    difference = relevant[:, None] - other[None, :]
    return float(((difference > 0) + 0.5 * (difference == 0)).mean())


def auc_interval(scores: list[float], labels: list[int]) -> str:
    """Return the AUC with the 95 % percentile interval of 2,000 bootstrap draws of cases."""
    rng, draws = np.random.default_rng(0), []
    for _ in range(2000):
        chosen = rng.integers(0, len(labels), size=len(labels))
        part = [labels[i] for i in chosen]
        if 0 < sum(part) < len(part):
            draws.append(auc([scores[i] for i in chosen], part))
    low, high = np.quantile(draws, [0.025, 0.975])
    return f"{auc(scores, labels):.3f} ({low:.3f} to {high:.3f})"


def rows(path: Path) -> list[dict[str, str]]:
    """Return the labelled rows, in a fixed random order, so that any beginning of them is a fair sample."""
    csv.field_size_limit(10_000_000)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        found = list(csv.DictReader(lines, delimiter="\t"))
    return [found[i] for i in np.random.default_rng(0).permutation(len(found))]


def write_cases(data: list[dict[str, str]], out: Path) -> None:
    """Write the answers of two systems."""
    lines = []
    for number, row in enumerate(data):
        evidence = " ".join(row["Document"].split())[:1000]
        ((start, end), *_) = sentences(evidence)
        for system, answer in (("answer", row["Answer"]), ("first sentence", evidence[start:end])):
            case = {"id": str(number), "system": system, "question": row["Question"], "evidence": [evidence]}
            lines.append(json.dumps(case | {"answer": answer}))
    out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Judge and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--model", default="qwen2.5-coder-1.5b")
    parser.add_argument("--tokens", type=int, default=250)
    parser.add_argument("--reasons", action="store_true")
    parser.add_argument("--limit", type=int, default=200)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--server", default="")
    parser.add_argument("--write-cases", action="store_true")
    options = parser.parse_args()
    if options.write_cases:
        write_cases(rows(options.data)[: options.limit], options.out)
        return
    llm: LLM | LocalLLM = LocalLLM(options.model, threads=options.threads, context=4096)
    if options.server:
        llm = LLM(options.model, base_url=options.server, context=4096)
    judge = RubricJudge(llm, reasons=options.reasons, tokens=options.tokens)
    done = {}
    if options.out.exists():
        kept = [json.loads(line) for line in options.out.read_text().splitlines()]
        done = {one["row"]: one for one in kept if one["judge"] == judge.identity}
    data = rows(options.data)[: options.limit]
    for number, row in enumerate(data):
        if number in done:
            continue
        start, trace = time.perf_counter(), Trace()
        case = Case(row["Question"], (row["Document"],), row["Answer"])
        with record(trace, judge.identity, "judge"):
            verdict = judge.rate(Label.CONTEXT_RELEVANCE, [case])[0]
        done[number] = {
            "row": number,
            "judge": judge.identity,
            "probability": verdict.probability,
            "reason": verdict.reason,
            "seconds": time.perf_counter() - start,
            "tokens_in": trace.ledger["tokens_in"],
            "tokens_out": trace.ledger["tokens_out"],
        }
        with options.out.open("a") as out:
            out.write(json.dumps(done[number]) + "\n")
    labels = [int(float(row["Context_Relevance_Label"])) for row in data]
    verdicts = [done[number] for number in range(len(data))]
    unread = sum(one["probability"] is None for one in verdicts)
    scores = [0.5 if one["probability"] is None else one["probability"] for one in verdicts]
    seconds = [one["seconds"] for one in verdicts]
    correct = sum((score > 0.5) == bool(label) for score, label in zip(scores, labels, strict=True))
    print(f"{judge.identity}, {len(data)} cases, {sum(labels)} of them relevant")
    lengths = [-float(len(row["Document"])) for row in data]
    print(f"AUC {auc_interval(scores, labels)}; of length {auc_interval(lengths, labels)}")
    print(f"mean probability {np.mean(scores):.3f}; right by half: {wilson(correct, len(data))}")
    print(f"unreadable {unread}; median {np.median(seconds):.1f} s, {np.sum(seconds) / 60:.1f} min in all")
    print(f"tokens in {np.mean([one['tokens_in'] for one in verdicts]):.0f}, out "
          f"{np.mean([one['tokens_out'] for one in verdicts]):.0f} a case")  # fmt: skip


if __name__ == "__main__":
    main()
