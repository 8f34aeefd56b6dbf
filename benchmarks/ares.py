"""How well judges agree with the 200 labels of people that come with ARES, none of which anything here learns from.

    python benchmarks/ares.py [DATA] [--work FOLDER] [--questions 100] [--encoder FOLDER ...]

The judges learn from questions and passages of HotpotQA, MuSiQue and MedQuAD, whose authors say which passages answer
(gold_passages.py): with easy negatives only (passages of other questions), with hard ones only, and with both. What
they look at was chosen before any figure on ARES was computed. The rows of ARES are about the manual of one product. Of
their texts only the form was looked at (three rows), of their labels nothing.

The numbers that judges look at are kept in the work folder, so that an interrupted run goes on.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gold_passages import answer_rows, gold_rows
from graphbrick.judge.judges.baselines import known_reranker
from graphbrick.judge.judges.classifier.features import Features, names_of, rarity
from graphbrick.judge.judges.classifier.logistic import Logistic
from graphbrick.judge.judges.classifier.training import fit_label
from graphbrick.judge.judges.parts import Reader
from graphbrick.judge.judges.trained import open_judge
from graphbrick.judge.synthetic.negatives import RANDOM
from graphbrick.judge.synthetic.rows import OWN, Row, read_rows
from graphbrick.judge.verdicts import Label
from graphbrick.models.embedders.minilm import MiniLM
from graphbrick.study.statistics.agreement import auc
from graphbrick.study.statistics.auc_gain import auc_gain
from graphbrick.study.statistics.label_power import correlation_of

Floats = npt.NDArray[np.float64]
_TOGETHER = 50
_ANSWERS = 60  # questions that answer faithfulness and relevance are learned from


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", nargs="?", type=Path, default=Path("../shared/data"))
    arguments.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "graphbrick-ares")
    arguments.add_argument("--questions", type=int, default=100, help="of each data set")
    arguments.add_argument("--encoder", type=Path, nargs="*", default=[], help="folders of judges to measure, too")
    given = arguments.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    gold = gold_rows(given.data, questions=given.questions)
    answers = answer_rows(given.data, questions=min(_ANSWERS, given.questions))
    people = ares_rows(given.data, given.work)
    reader = Reader(MiniLM(), known_reranker())
    features = Features(reader, rarity({text for row in gold for text in row.case.evidence}))
    started = time.perf_counter()
    learned = {label: [row for row in gold + answers if row.label is label] for label in people}
    numbers = {label: numbers_of(features, label, rows, given.work) for label, rows in learned.items()}
    seen = {label: numbers_of(features, label, rows, given.work) for label, rows in people.items()}
    print(f"numbers of {sum(map(len, numbers.values())):,} rows: {time.perf_counter() - started:.0f} s")
    models = {label: trained(label, learned[label], numbers[label]) for label in people}
    for label, rows in people.items():
        report(label, rows, seen, models, given.encoder)


def ares_rows(data: Path, work: Path) -> dict[Label, list[Row]]:
    """Return the labelled rows by label."""
    table = work / "human_labels.tsv"
    table.write_bytes(gzip.decompress((data / "ares" / "human_labels.tsv.gz").read_bytes()))
    rows = read_rows(table)
    return {label: [row for row in rows if row.label is label] for label in dict.fromkeys(row.label for row in rows)}


def numbers_of(features: Features, label: Label, rows: Sequence[Row], work: Path) -> Floats:
    """Return what judges look at, float64 [rows, numbers], from the work folder if it is there."""
    cases = [row.case for row in rows]
    made = []
    for start in range(0, len(cases), _TOGETHER):
        part = cases[start : start + _TOGETHER]
        texts = [label, names_of(label), [[case.question, case.evidence, case.answer] for case in part]]
        file = work / f"{hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:24]}.npy"
        if not file.exists():
            np.save(file, features.of(label, part))
            print(f"{label}: {start + len(part):,} of {len(cases):,}", flush=True)
        made.append(np.load(file))
    return np.concatenate(made)


def trained(label: Label, rows: Sequence[Row], x: Floats) -> dict[str, Logistic]:
    """Train with easy, hard and all negatives, and print how each does on held-out questions by kind of negative."""
    models = {}
    print(f"\n{label}, held-out questions of the data that is learned from:")
    for name, kinds in (("easy", lambda kind: kind == RANDOM), ("hard", lambda kind: kind != RANDOM), ("all", bool)):
        places = [i for i, row in enumerate(rows) if row.kind == OWN or kinds(row.kind)]
        models[name], found = fit_label(label, [rows[i] for i in places], x[places], 0)
        by_kind = ", ".join(f"{kind} {area:.3f}" for kind, area in found.by_kind.items())
        best = max(found.alone, key=lambda one: found.alone[one])
        print(
            f"  {name} negatives: {len(places):,} rows, AUC {found.auc:.3f} ({by_kind}); {best} {found.alone[best]:.3f}"
        )
    return models


def report(
    label: Label, rows: Sequence[Row], seen: dict[Label, Floats], models: dict[Label, dict[str, Logistic]],
    folders: Sequence[Path],
) -> None:  # fmt: skip
    """Print the table of a label."""
    y = np.array([row.value for row in rows], dtype=np.float64)
    at = {name: i for i, name in enumerate(names_of(label))}
    texts = [row.case.answer if label is not Label.CONTEXT_RELEVANCE else row.case.evidence[0] for row in rows]
    lengths = np.array([len(text.split()) for text in texts], dtype=np.float64)
    length = lengths if auc(y, lengths).value >= 0.5 else -lengths
    said = {f"length ({'longer' if length[0] > 0 else 'shorter'} is better)": length}
    alone = {
        Label.CONTEXT_RELEVANCE: ("words", "cosine", "re-ranker"),
        Label.ANSWER_FAITHFULNESS: ("answer words", "answer cosine", "answer re-ranker"),
        Label.ANSWER_RELEVANCE: ("words in answer", "cosine of answer", "re-ranker of answer"),
    }[label]
    said |= {name: seen[label][:, at[name]] for name in alone}
    for name, model in models[label].items():
        said[f"classifier, {name} negatives"] = model.logits(seen[label])
    if label is Label.CONTEXT_RELEVANCE:
        heads = {one: models[one]["all"].logits(seen[one]) for one in models}
        said["sees the answer: faithfulness"] = heads[Label.ANSWER_FAITHFULNESS]
        said["sees the answer: answer relevance"] = heads[Label.ANSWER_RELEVANCE]
        said["sees the answer: mean of the three"] = sum(heads.values()) / len(heads)
    for folder in folders:
        judge = open_judge(folder)
        if label in judge.labels:
            verdicts = judge.rate(label, [row.case for row in rows])
            said[f"encoder {folder.name}"] = np.array([one.probability for one in verdicts], dtype=np.float64)
    print(f"\n{label}: {len(rows)} labels of ARES, {y.mean():.1%} hold")
    print("| judge | AUC | above length | correlation |\n|---|---|---|---|")
    for name, scores in said.items():
        area, gain = auc(y, scores), auc_gain(y, scores, length)
        above = f"{gain.value:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}]"
        shown = f"{area.value:.3f} [{area.low:.3f}, {area.high:.3f}]"
        print(f"| {name} | {shown} | {above} | {correlation_of(y, scores):+.2f} |")


if __name__ == "__main__":
    main()
