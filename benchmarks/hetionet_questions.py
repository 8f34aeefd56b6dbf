"""Questions about Hetionet, written from its schema: wordings by hand, entities drawn by seed, answers by plain Python.

    python benchmarks/hetionet_questions.py DATA --each 20 > questions.jsonl

DATA holds ``hetionet/nodes.tsv.gz`` and ``edges.tsv.gz``. Walks never come back to the entity of the question. The
wordings were written from the list of relations alone, and are not those of any template that learning uses.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import random
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from graphbrick.questions.question import Question

MOST_ANSWERS = 200
Neighbours = Mapping[tuple[str, bool], Mapping[str, list[str]]]

# The kind of the seed, the relations to walk (forwards or not), and the wordings.
TEMPLATES: list[tuple[str, list[tuple[str, bool]], list[str]]] = [
    ("Compound", [("CbG", True)], ["Which genes does {} bind?", "What are the targets that {} binds to?"]),
    ("Gene", [("CbG", False)], ["Which compounds bind {}?", "What drugs are known to bind the gene {}?"]),
    ("Compound", [("CdG", True)], ["Which genes are downregulated by {}?", "What does {} downregulate?"]),
    ("Gene", [("CdG", False)], ["Which compounds downregulate {}?", "By which drugs is {} downregulated?"]),
    ("Compound", [("CuG", True)], ["Which genes does {} upregulate?", "Name the genes upregulated by {}."]),
    ("Gene", [("CuG", False)], ["Which compounds upregulate the gene {}?", "What upregulates {}?"]),
    ("Compound", [("CrC", True)], ["Which compounds resemble {}?", "What drugs are similar to {}?"]),
    ("Gene", [("GpPW", True)], ["In which pathways does {} participate?", "Which pathways is the gene {} part of?"]),
    ("Pathway", [("GpPW", False)], ["Which genes participate in the pathway {}?", "What genes belong to {}?"]),
    ("Gene", [("GpBP", True)], ["Which biological processes does {} take part in?", "What processes is {} in?"]),
    ("Gene", [("GpMF", True)], ["What are the molecular functions of {}?", "Which molecular functions has {}?"]),
    ("Gene", [("GiG", True)], ["Which genes does {} interact with?", "What interacts with {}?"]),
    ("Gene", [("GcG", True)], ["Which genes covary with {}?"]),
    ("Gene", [("Gr>G", True)], ["Which genes does {} regulate?", "What genes are regulated by {}?"]),
    ("Gene", [("Gr>G", False)], ["Which genes regulate {}?", "By which genes is {} regulated?"]),
    (
        "Compound",
        [("CbG", True), ("GpPW", True)],
        ["Which pathways do the genes that {} binds participate in?", "What pathways are the targets of {} part of?"],
    ),
    (
        "Compound",
        [("CbG", True), ("GpMF", True)],
        ["What molecular functions do the genes bound by {} have?"],
    ),
    (
        "Compound",
        [("CrC", True), ("CbG", True)],
        ["Which genes are bound by compounds that resemble {}?", "What do drugs similar to {} bind?"],
    ),
    ("Gene", [("CbG", False), ("CrC", True)], ["Which compounds resemble a compound that binds {}?"]),
    ("Gene", [("Gr>G", True), ("CbG", False)], ["Which compounds bind the genes that {} regulates?"]),
    ("Pathway", [("GpPW", False), ("CuG", False)], ["Which compounds upregulate genes of the pathway {}?"]),
    (
        "Compound",
        [("CrC", True), ("CbG", True), ("GpPW", True)],
        ["In which pathways do the genes participate that are bound by compounds resembling {}?"],
    ),
    (
        "Gene",
        [("CbG", False), ("CrC", True), ("CbG", True)],
        ["Which genes are bound by compounds that resemble a compound which binds {}?"],
    ),
]  # fmt: skip


def questions(data: Path, *, each: int = 20, seed: int = 0) -> list[Question]:
    """Return ``each`` questions a template; fewer where few entities have from 1 to 200 answers."""
    names, kinds = nodes(data / "hetionet/nodes.tsv.gz")
    neighbours = _neighbours(data / "hetionet/edges.tsv.gz")
    rng = random.Random(seed)
    by_kind = defaultdict(list)
    for node, kind in kinds.items():
        by_kind[kind].append(node)
    written = []
    for number, (kind, walk, wordings) in enumerate(TEMPLATES):
        drawn = rng.sample(by_kind[kind], len(by_kind[kind]))
        count = 0
        for node in drawn:
            ends = _ends(neighbours, node, walk)
            if not 1 <= len(ends) <= MOST_ANSWERS:
                continue
            text = rng.choice(wordings).format(names[node])
            written.append(Question(f"{number:02}-{count:03}", text, (node,), tuple(sorted(ends)), hops=len(walk)))
            count += 1
            if count == each:
                break
    return written


def nodes(file: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Return the name and the kind of each node."""
    with gzip.open(file, "rt", encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    return {row["id"]: row["name"] for row in rows}, {row["id"]: row["kind"] for row in rows}


def _neighbours(file: Path) -> Neighbours:
    neighbours: dict[tuple[str, bool], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    with gzip.open(file, "rt", encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            neighbours[row["metaedge"], True][row["source"]].append(row["target"])
            neighbours[row["metaedge"], False][row["target"]].append(row["source"])
    return neighbours


def _ends(neighbours: Neighbours, node: str, walk: list[tuple[str, bool]]) -> set[str]:
    """Return the ends of a walk; the node itself is in no hop after the first."""
    reached = {node}
    for step in walk:
        reached = {other for one in reached for other in neighbours[step].get(one, ())} - {node}
        if len(reached) > 50 * MOST_ANSWERS:
            return set()
    return reached


def main() -> None:
    """Print the questions as JSON lines."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--each", type=int, default=20)
    arguments.add_argument("--seed", type=int, default=0)
    given = arguments.parse_args()
    for question in questions(given.data, each=given.each, seed=given.seed):
        row = {"id": question.id, "question": question.text, "seeds": list(question.seeds)}
        print(json.dumps({**row, "answers": list(question.answers), "hops": question.hops}, ensure_ascii=False))


if __name__ == "__main__":
    main()
