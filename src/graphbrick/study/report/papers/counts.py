"""Counts of the questions of a paper: data sets, and the domains of Freebase that they ask about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from graphbrick.study.report.charts import percent
from graphbrick.study.report.tables import Cell, Column, Table, name_cell, number_cell
from graphbrick.study.store.records import StudyQuestion

_RELATION = re.compile(r"(?<!//)(?<![\w.])([a-z][a-z_0-9]*)\.[a-z][a-z_0-9]*\.[a-z][a-z_0-9]*(?![\w./])")
_PATHS = ("chain", "relation", "query")  # facts that hold the gold path, the most exact first
NO_DOMAINS = (
    "No question of this study tells the relations of its gold path, so that there are no domains. WebQSP and "
    "SimpleQuestions tell them, and so does CWQ in the file of Think-on-Graph."
)


def domain(question: StudyQuestion) -> str:
    """Return the domain of a question: the first part of the first relation of its gold path; empty if not known.

    Relations of Freebase have three parts, such as ``location.country.capital``.
    """
    for fact in _PATHS:
        found = _RELATION.search(question.facts.get(fact, ""))
        if found is not None:
            return found[1]
    return ""


def domains_table(questions: Sequence[StudyQuestion], name: str) -> Table | None:
    """Return a row for each domain with its questions of each data set; None if no question tells its gold path."""
    datasets = list(dict.fromkeys(question.dataset for question in questions))
    counts = {one: Counter(domain(q) for q in questions if q.dataset == one) for one in datasets}
    known = Counter(found for question in questions if (found := domain(question)))
    if not known:
        return None
    columns = [Column("domain", text=True), *(Column(one or "unknown", small="%") for one in datasets)]
    rows = []
    for found in [*(one for one, _ in known.most_common()), ""]:
        cells = [name_cell(found or "not told")]
        for one in datasets:
            count = counts[one][found]
            cells.append(number_cell(count, small=percent(count / counts[one].total())) if count else Cell("0", 0))
        rows.append(cells)
    return Table(name, "Questions by the domain of the first relation of their gold path", columns, rows)
