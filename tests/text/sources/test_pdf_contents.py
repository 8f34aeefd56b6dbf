"""Tables of contents of PDFs."""

from __future__ import annotations

import pytest

from graphbrick.text.sources.pdf_child import glued_share
from graphbrick.text.sources.pdf_contents import without_contents
from graphbrick.text.sources.pdf_pages import Page

TITLES = ("Ports", "The boats of the west", "What should I do if the boat is old?", "Keepers", "Names")
BODY = [f"{i} {title}\nRosa Lund founded the harbour of Galway in 1921." for i, title in enumerate(TITLES, 1)]


def contents(sign: str) -> str:
    return "\n".join(f"{i} {title}{sign}{i}" for i, title in enumerate(TITLES, 1))


@pytest.mark.parametrize(
    ("text", "n"),
    [
        (contents(" "), 5),  # its titles come again
        ("\n".join(f"{title} . . . . {i}" for i, title in enumerate(("Ports", "Names", *"abc"), 1)), 5),  # leaders
        ("\n".join(f"{title} . . . . {i}" for i, title in enumerate(("Coffee", "Tea", *"abc"), 1)), 0),  # prices
        ("Contents\n" + "\n".join(contents(" ").split("\n")[:3]), 4),
        (contents(" ").replace("do if", "do\nif"), 6),  # an entry goes on in the next line
        (contents(" ").replace("\n4", "\n\nKeeper’s manual 3\n\n4"), 0),  # another line in the middle
        (contents(" ").replace("? 3", "? 1"), 0),  # pages do not fall
        ("\n".join(contents(" ").split("\n")[:4]), 0),  # too short
        ("\n".join(f"The ship {title} has passengers 30{i}" for i, title in enumerate(TITLES)), 0),  # a list
    ],
)
def test_a_table_of_contents_is_left_out(text: str, n: int) -> None:
    pages, note = without_contents([Page(1, f"The keeper's manual\n\n{text}\n\nIt is old."), Page(2, "\n".join(BODY))])
    lines = pages[0].text.split("\n\n")
    assert (lines[0], lines[-1]) == ("The keeper's manual", "It is old.")
    assert (note, len(lines)) == ((f"table of contents left out: {n} lines", 2) if n else ("", len(lines)))
    assert n or text in pages[0].text
    assert pages[1].text == "\n".join(BODY)


def test_pages_of_contents_alone_are_left_out_and_their_entries_stay() -> None:
    lines = [f"{i} A title of part {i} {i}" for i in range(10, 30)]
    pages = [
        Page(1, "Manual i\nIt is old."),
        Page(2, "\n".join(["Manual ii", *lines[:10]]), [(1, "Contents")]),
        Page(3, "\n".join(["Manual iii", *lines[10:]])),
        Page(4, "\n".join(f"A title of part {i}\nText." for i in range(10, 30)), [(1, "A title of part 10")]),
    ]
    kept, note = without_contents(pages)
    assert [page.number for page in kept] == [1, 4]
    assert kept[1].entries == [(1, "Contents"), (1, "A title of part 10")]
    assert note == "table of contents left out: 20 lines"


def test_titles_of_the_outline_are_enough() -> None:
    names = ("A", "Bo", "Co", "Do", "Ee")
    text = "\n".join(f"{i} {name} {i}" for i, name in enumerate(names))
    pages = [Page(1, f"{text}\n\nIt is old."), Page(2, "Text.", [(1, name) for name in names])]
    assert without_contents(pages)[0][0].text == "It is old."
    assert without_contents([Page(1, f"{text}\n\nIt is old."), Page(2, "Text.")])[1] == ""


def test_names_with_dots_are_no_words_that_run_together() -> None:
    assert glued_share("input.transfer.high.max.of.the.port output_transfer_voltage_nominal_of", 1) == 0
    assert glued_share("Lesoutilssontindispensables.", 1) > 0.9
