"""Columns of a PDF that are drawn row by row, and tables."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path

import pytest
from commands import Run
from pdf_files import Drawn, drawn_pdf

from graphbrick import index
from graphbrick.text.sources import documents_in
from graphbrick.text.sources.tables import SourceOptions

LEFT = [
    "The committee of Galway reviewed", "the annual plan of Rosa Lund and", "found that the harbour needs a new",
    "crane before winter comes.",
]  # fmt: skip
RIGHT = [
    "Peter Hale approved the budget for", "the coming year. The budget is four", "million euro and covers the crane",
    "and two ferries.",
]  # fmt: skip
THIRD = ["Alma Berg wrote", "the minutes, and", "Olav Berg will", "read them in May."]
SIDE = ["Rosa Lund", "sails in winter and", "rows in summer. She", "lives in Galway with", "her two sisters."]
WORK = [
    "Work", "She led the harbour of Ennis for", "nine years and planned its new", "crane. Before that she was the",
    "captain of a ferry to Voss.",
]  # fmt: skip


def row_by_row(columns: dict[int, list[str]], top: float = 712) -> list[Drawn]:
    """The lines of columns at their places, drawn from left to right and then down."""
    rows = zip_longest(*columns.values())
    return [
        (x, top - 14 * i, text)
        for i, row in enumerate(rows)
        for x, text in zip(columns, row, strict=True)
        if text is not None
    ]


def read(folder: Path, *pages: list[Drawn]) -> str:
    (folder / "a.pdf").write_bytes(drawn_pdf(*pages))
    (document,) = documents_in(folder / "a.pdf", SourceOptions())
    return document.text


@pytest.mark.whole
@pytest.mark.parametrize(
    "columns",
    [
        {60: LEFT, 310: RIGHT},
        {40: LEFT, 220: RIGHT, 430: THIRD},
        {50: SIDE, 210: WORK},  # of a CV
        {60: LEFT, 310: RIGHT[:1] + RIGHT},
        {60: LEFT * 3, 310: RIGHT},  # the right one ends before
    ],
)
def test_columns_are_read_one_after_another(tmp_path: Path, columns: dict[int, list[str]]) -> None:
    assert read(tmp_path, row_by_row(columns)) == "\n\n".join("\n".join(lines) for lines in columns.values())


@pytest.mark.whole
def test_a_question_about_a_column(tmp_path: Path, run: Run) -> None:
    read(tmp_path, row_by_row({60: LEFT, 310: RIGHT}))
    index([tmp_path / "a.pdf"], tmp_path / "g.graph")
    said = " ".join(run("ask", tmp_path / "g.graph", "What does the budget cover?").out.split())
    assert "The budget is four million euro and covers the crane and two ferries." in said


def test_a_sentence_goes_on_in_the_next_column_and_lines_around_stay(tmp_path: Path) -> None:
    columns = {60: [*LEFT[:3], "crane that is as large before"], 310: ["winter comes and before the ice", *RIGHT[1:]]}
    page = [(60.0, 740.0, "Report"), *row_by_row(columns), (60.0, 640.0, "All of it was signed by Rosa Lund in May.")]
    lines = ["Report", *columns[60], *columns[310], "", "All of it was signed by Rosa Lund in May."]
    assert read(tmp_path, page) == "\n".join(lines)


@pytest.mark.whole
@pytest.mark.parametrize(
    "columns",
    [
        {60: ["Name", "Rosa Lund", "Peter Hale"], 200: ["Town", "Galway", "Ennis"], 300: ["Age", "40", "50"]},
        {60: ["good morning to you", "how are you", "thank you very much", "see you"],
         310: ["guten Morgen dir", "wie geht es dir", "vielen herzlichen Dank", "bis bald"]},
        {60: ["-", "-", "-"], 72: ["the harbour of Galway is", "the crane that is new, and", "the ferry to Ennis."]},
        {60: ["Ships", "Sails", "Oars"], 200: ["are built of wood and", "are sewn from linen that", "come from Voss."]},
        {60: ["1.", "2.", "3."], 80: LEFT[1:]},
        {60: ["the nordlys", "the sirius", "the vega", "the mira"],
         200: ["three hundred", "one hundred.", "two hundred", "four"],
         300: ["the town of voss", "the town of oslo.", "the town of moss", "the town of bergen"]},
    ],
)  # fmt: skip
def test_rows_of_tables_and_lists_stay_together(tmp_path: Path, columns: dict[int, list[str]]) -> None:
    rows = [" ".join(row) for row in zip(*columns.values(), strict=True)]
    assert read(tmp_path, row_by_row(columns)).split("\n") == rows


def test_cells_of_several_lines_stay_in_their_row(tmp_path: Path) -> None:
    page = [*row_by_row({60: LEFT, 310: RIGHT}), *row_by_row({60: SIDE, 310: WORK}, top=600)]
    parts = read(tmp_path, page).replace("\n\n", "\n").split("\n")
    assert parts == [*LEFT, *RIGHT, *SIDE, *WORK]


def test_columns_that_are_drawn_one_after_another_stay(tmp_path: Path) -> None:
    page = [*row_by_row({60: LEFT}), *row_by_row({310: RIGHT})]
    assert read(tmp_path, page).replace("\n\n", "\n").split("\n") == [*LEFT, *RIGHT]
