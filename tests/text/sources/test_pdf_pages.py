"""Pages of PDF files: sentences over page breaks, running lines, page numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import Run
from pdf_files import pdf

from graphbrick import ByHeading, index
from graphbrick.text.documents.document import Document
from graphbrick.text.sources import documents_in
from graphbrick.text.sources.pdf_pages import Page, joined_pages
from graphbrick.text.sources.tables import SourceOptions

ROSA = "Peter Hale wrote the report in May and Rosa Lund lives in"
ENNIS = "the town of Ennis near Limerick.\nPeter Hale lives in Galway."


def read(folder: Path, data: bytes) -> Document:
    (folder / "a.pdf").write_bytes(data)
    (document,) = documents_in(folder / "a.pdf", SourceOptions())
    return document


def sections(document: Document) -> list[tuple[str, str]]:
    return [(document.text[a:b], section) for a, b, section in ByHeading().spans(document)]


def texts(*pages: str) -> str:
    return joined_pages(Page(i, page) for i, page in enumerate(pages, 1)).text


@pytest.mark.whole
def test_a_sentence_over_a_page_break_is_one_and_belongs_to_its_first_page(tmp_path: Path, run: Run) -> None:
    document = read(tmp_path, pdf(f"The report.\n{ROSA}", ENNIS, "It is cold there."))
    assert sections(document) == [
        (f"The report.\n{ROSA}\nthe town of Ennis near Limerick.", "page 1"),
        ("Peter Hale lives in Galway.", "page 2"),
        ("It is cold there.", "page 3"),
    ]
    index([tmp_path / "a.pdf"], tmp_path / "g.graph")
    said = run("ask", tmp_path / "g.graph", "Where does Rosa Lund live?").out
    assert "Rosa Lund lives in the town of Ennis near Limerick." in " ".join(said.split())
    assert "page 1" in said


@pytest.mark.parametrize(
    ("before", "after", "joined"),
    [
        ("Rosa Lund lives in a won-", "derful town. She paints.", "Rosa Lund lives in a wonderful town. She paints."),
        ("Rosa met the Anglo-", "Irish poets. She paints.", "Rosa met the Anglo-Irish poets. She paints."),
        ("Rosa met Peter,", "Olav and Mary. She paints.", "Rosa met Peter,\nOlav and Mary. She paints."),
        (
            "The harbour was built by the\ncouncil of the old town, and the\nkeeper of it was for many years",
            "Peter Hale from Galway.",
            "The harbour was built by the\ncouncil of the old town, and the\nkeeper of it was for many years\n"
            "Peter Hale from Galway.",
        ),
        ("Rosa lives in Ennis.", "the end", "Rosa lives in Ennis.\n\nthe end"),
        ("The town of Ennis", "It is old.", "The town of Ennis\n\nIt is old."),
        ("It has:", "- a harbour", "It has:\n\n- a harbour"),
    ],
)
def test_what_goes_on_over_a_page_break(before: str, after: str, joined: str) -> None:
    assert texts(before, after) == joined


def test_running_lines_stay_once_and_page_numbers_go(tmp_path: Path) -> None:
    bodies = [f"The report.\n{ROSA}", ENNIS, "It is cold\nthere in winter."]
    pages = [f"Report of Ennis 2024\n{body}\nSecret\nPage {i} of 3" for i, body in enumerate(bodies, 1)]
    document = read(tmp_path, pdf(*pages))
    assert document.text == (
        f"Report of Ennis 2024\nThe report.\n{ROSA}\n{ENNIS}\n\nIt is cold\nthere in winter.\nSecret"
    )
    assert document.note == (
        "lines that pages repeat stay once, and were left out elsewhere: «Report of Ennis 2024» (2), «Secret» (2); "
        "page numbers left out: 3"
    )


@pytest.mark.parametrize("line", ["Annual report | {}", "{} Annual report", "Seite {} von 9", "- {} -", "{}", "[{}]"])
def test_a_number_that_counts_the_pages(line: str) -> None:
    pages = [f"{line.format(i + 6)}\nLake number {i * i} is in Kenya." for i in range(4)]
    rest = [f"Lake number {i * i} is in Kenya." for i in range(4)]
    assert texts(*pages) == "\n\n".join([("Annual report" in line and f"{pages[0]}") or rest[0], *rest[1:]])


@pytest.mark.parametrize(
    "pages",
    [
        [f"Section {i}\nWords of {i * i}." for i in range(1, 5)],  # headings with their numbers
        [f"{i * 37 % 11}\n{i * 29 % 13}" for i in range(1, 6)],  # cells of a table
        ["}\nMore of this.", "}\nMore of that.", "}\nMore of those."],
        ["Same.", "Same.", "Same."],  # nothing else is on the page
        [f"1. The lake {i}.\n2. The hill {i * 7}." for i in range(3)],
    ],
)
def test_what_is_no_running_line(pages: list[str]) -> None:
    assert texts(*pages) == "\n\n".join(pages)


def test_a_chapter_has_its_own_running_line() -> None:
    """It interrupts no sentence: on the first page that has it, one goes on."""
    pages = [
        "Lakes\nVictoria is large.",
        "Turkana is narrow and lies in the",
        "north of Kenya.",
        "It is salty.",
        "Hills",
    ]
    pages = [pages[0], pages[1], *(f"Lakes of Kenya\n{page}" for page in pages[2:])]
    pages += [f"Lakes of Kenya\nLake {i}." for i in (10, 14, 19)] + [f"Hills of Uganda\nHill {i}." for i in (8, 3, 5)]
    text = texts(*pages)
    assert "lies in the\nnorth of Kenya.\n\nLakes of Kenya\nIt is salty." in text
    assert (text.count("Lakes of Kenya"), text.count("Hills of Uganda")) == (1, 1)


@pytest.mark.parametrize(("n", "left"), [(7, 3), (12, 6)])
def test_headers_of_left_and_right_pages_repeat_the_title_and_the_authors(n: int, left: int) -> None:
    pages = ["Boats of the West\nRosa Lund\nHarbour of Cork\nPeter Hale\nBoats sail."]
    for i in range(2, n + 1):
        header = f"{i} Boats of the West" if i % 2 == 0 else f"Rosa Lund, Peter Hale {i}"
        pages.append(f"{header}\n{chr(i + 64) * 5} sails.")
    joined = joined_pages(Page(i, page) for i, page in enumerate(pages, 1))
    shown = [f"{chr(i + 64) * 5} sails." for i in range(2, n + 1)]
    assert joined.text == "\n\n".join([pages[0], *shown])
    assert f"«2 Boats of the West» ({left})" in joined.note


def test_a_page_with_nothing_but_a_numbered_header_is_empty_and_the_header_stays_once() -> None:
    pages = ["Boats sail."] + [f"{i} Ports of Galway\n{'ABCDEFG'[i] * 5} sails." for i in range(2, 6)]
    pages[3] = "4 Ports of Galway"
    assert texts(*pages).split() == "Boats sail. 2 Ports of Galway CCCCC sails. DDDDD sails. FFFFF sails.".split()


def test_pages_in_roman_numbers_and_chapters_that_begin_without_header() -> None:
    front = [f"Words of {i * 3}.\n{number}" for i, number in enumerate(("i", "ii", "iii", "iv"))]
    body = ["1\nLakes", "Lakes of Kenya 2\nTea.", "Lakes of Kenya 3\nFish.", "Lakes of Kenya 4\nHills.", "5\nUganda"]
    assert texts(*front, *body).split("\n\n")[3:] == [
        "Words of 9.",
        "Lakes",
        "Lakes of Kenya 2\nTea.",
        "Fish.",
        "Hills.",
        "Uganda",
    ]


def test_rows_without_an_end_belong_to_their_page() -> None:
    rows = [f"harbour of Galway number {i * i % 97} with the ferry to Voss and the crane {i}" for i in range(30)]
    pages = joined_pages([Page(1, "\n".join(rows[:15])), Page(2, "\n".join(rows[15:]))])
    assert [(heading.title, pages.text[heading.start :][:40]) for heading in pages.headings] == [
        ("page 1", rows[0][:40]),
        ("page 2", rows[15][:40]),
    ]
