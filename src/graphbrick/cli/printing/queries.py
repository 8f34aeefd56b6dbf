"""Terminal output of the commands about queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from graphbrick.cli.printing.terminal import console, note, plain, print_json, table
from graphbrick.core.schema import Rows, Schema
from graphbrick.graphs.queries.check import Checked
from graphbrick.graphs.queries.schema_text import schema_text
from graphbrick.judge.gold_queries.generator import QueryQuestion
from graphbrick.judge.gold_queries.paraphrase import Paraphrases


def print_rows(rows: Rows, limit: int, *, as_json: bool) -> None:
    """Print the result of a query that may have ``limit`` rows at most."""
    if as_json:
        print_json(rows.to_dict())
        return
    out, shown = console(), table(*map(plain, rows.columns))
    for row in rows.rows:
        shown.add_row(*("" if value is None else plain(str(value)) for value in row))
    out.print(shown)
    more = "; there are more" + " (--limit)" * (len(rows.rows) >= limit) if rows.is_cut else ""
    note(out, f"{len(rows.rows):,} row{'s' * (len(rows.rows) != 1)}{more}")


def print_query_advice(text: str, checked: Checked) -> None:
    """Print to standard error the parts of a query that do not fit the schema, and a corrected query."""
    out = console(stderr=True)
    for problem in checked.problems:
        note(out, problem)
    if checked.text != text:
        note(out, f"is this meant: {checked.text}")


def print_query_schema(schema: Schema, language: str, *, as_json: bool) -> None:
    """Print a schema as a model reads it."""
    if as_json:
        print_json({"language": language, **asdict(schema)})
        return
    out = console()
    for line in schema_text(schema, language).splitlines():
        out.print(plain(line))


def print_written(file: Path, questions: Sequence[QueryQuestion], reworded: Paraphrases | None, *, wanted: int) -> None:
    """Print how many questions of each template were written, in which languages, and what a model reworded."""
    out, counts = console(), Counter(question.template for question in questions)
    listed = ", ".join(f"{count:,} {template}" for template, count in counts.items())
    out.print(plain(f"{file}: {len(questions):,} questions ({listed})"))
    if len(questions) < wanted:
        note(out, f"the graph gives no more than {len(questions):,} of {wanted:,}")
    for language in ("Cypher", "SPARQL"):
        lacking = sum(getattr(question, language.lower()) is None for question in questions)
        if 0 < lacking < len(questions):
            note(out, f"{lacking:,} questions have no gold query in {language}, as there is no exact counterpart")
    if reworded is not None:
        note(out, str(reworded))
