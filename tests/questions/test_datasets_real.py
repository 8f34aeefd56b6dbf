"""The real files: every one loads, and what is known of them is found."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphbrick import Graph, build
from graphbrick.core.errors import InputError
from graphbrick.graphs.records.records import EntityRecord
from graphbrick.questions.grounding import ground
from graphbrick.questions.loading import load
from graphbrick.questions.sampling import sample_each

pytestmark = pytest.mark.shared


def rows(file: Path) -> Iterator[list[str]]:
    with gzip.open(file, "rt", encoding="utf-8", newline="") as lines:
        yield from csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)


@pytest.mark.whole
@pytest.mark.parametrize(("hops", "count"), [(1, 9992), (2, 14872), (3, 14274)])
def test_metaqa(data_dir: Path, metaqa_graph: Graph, hops: int, count: int) -> None:
    questions = load(data_dir / "metaqa" / f"dev_{hops}hop.jsonl.gz", "metaqa")
    assert len(questions) == count
    assert {(question.hops, question.dataset) for question in questions} == {(hops, "metaqa")}
    report = ground(metaqa_graph, sample_each(questions, 20, by="pattern")).report()
    assert report.seeds["all"] == report.answers["all"] == report.questions
    assert sum(report.distance[str(hop)] for hop in range(hops + 1)) == report.questions


@pytest.mark.whole
def test_freebase_distances_are_the_hops_that_are_stated(data_dir: Path, tmp_path: Path) -> None:
    folder = data_dir / "freebase"
    names = (EntityRecord(key, label) for key, label in rows(folder / "labels.tsv.gz"))
    triples = ((head, relation, tail) for head, relation, tail in rows(folder / "triples.tsv.gz"))
    graph = build((record for part in (names, triples) for record in part), tmp_path / "freebase.graph")
    questions = load(folder / "questions_dev.jsonl.gz")
    assert len(questions) == 1334
    grounded = ground(graph, questions, max_hops=3)
    assert [found.distance for found in grounded.questions] == [question.hops for question in questions]
    parts = {name: len(part) for name, part in grounded.split("dataset").items()}
    assert parts == {"cwq_test": 502, "freebaseqa_dev": 753, "webqsp_dev": 79}
    report = grounded.report()
    assert report.seeds["all"] == report.answerable == 1334
    assert report.answers == {"all": 1209, "some": 125, "none": 0, "without gold": 0}
    # The names of the file and the labels of the graph are mostly the same, but not always.
    first = [found.names[0] for found in grounded.questions if found.question.answer_names and found.gold[0]]
    assert 0.9 < sum(len({name.casefold() for name in names}) == 1 for names in first) / len(first) < 1


@pytest.mark.parametrize(("name", "hops"), [("hotpotqa", {None: 100}), ("musique", {2: 68, 3: 27, 4: 5})])
def test_questions_over_passages(data_dir: Path, name: str, hops: dict[int | None, int]) -> None:
    questions = load(data_dir / "hipporag" / f"{name}_train.json.gz")
    assert {question.dataset for question in questions} == {name}
    assert {n: sum(question.hops == n for question in questions) for n in hops} == hops


def test_a_corpus_is_no_file_of_questions(data_dir: Path) -> None:
    for file in (data_dir / "hipporag").glob("*_corpus.json.gz"):
        with pytest.raises(InputError, match=r"line 1: (these are not fields|the file is one JSON object)"):
            load(file)
