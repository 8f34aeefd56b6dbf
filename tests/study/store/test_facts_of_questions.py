"""Tables of results have the facts of the questions, the distance of the answer, and tokens of embedders."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from graphbrick.questions.question import Question
from graphbrick.study.report.writing import write_report
from graphbrick.study.runs.experiment import evaluate
from graphbrick.testing import tiny_graph


@pytest.mark.whole
def test_a_table_and_a_csv_file_have_facts(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    facts = {"pattern": "of_country", "hops": "one"}
    asked = Question(
        "1", "Which currency has Kenya?", ("Kenya",), ("Kenyan shilling",), dataset="d", hops=1, facts=facts
    )
    other = Question("2", "Which capital has Kenya?", ("Kenya",), ("Nairobi",), dataset="d", hops=1)
    text = "ShortestPaths() >> PathAnswer()"
    with evaluate(tiny_graph(), [asked, other], {"x": text}, out=tmp_path / "runs.sqlite") as study:
        table = study.to_pandas()
    assert table["pattern"].fillna("").tolist() == ["of_country", ""]
    assert (table["fact: hops"].fillna("").tolist(), table["hops"].tolist()) == (["one", ""], [1, 1])
    assert table["distance"].tolist() == [1, 1]
    assert table["embedding_tokens"].tolist() == [0, 0]
    write_report(tmp_path / "runs.sqlite", csv=tmp_path / "r.csv")
    with (tmp_path / "r.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["pattern"], row["fact: hops"], row["hops"]) for row in rows] == [
        ("of_country", "one", "1"),
        ("", "", "1"),
    ]
