"""Plain text: titles, pages, tables of contents, tables that are drawn, and words that are cut."""

from __future__ import annotations

import pytest

from graphbrick.text.documents.document import Document
from graphbrick.text.sources.plain import plain_document

BODY = "   Rosa Lund founded the harbour of Galway in 1921, and Peter Hale leads it today.\n"
WRAPPED = f"  {BODY.strip()}\nIt is old.\nIt has seven boats and two ships of the town of Galway.\nIt is large.\n"


def read(source: str) -> Document:
    return plain_document("a.txt", "a", source.encode())


def titles(source: str) -> list[tuple[int, str]]:
    document = read(source)
    for heading in document.headings:
        assert document.text[heading.start :].split("\n")[0] == heading.title
    return [(heading.level, heading.title) for heading in document.headings]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (f"1.  Ports\n\n{BODY}\n  1.1.  Of the  west\n\n{BODY}\n2.  Boats\n\n{BODY}",
         [(1, "1. Ports"), (2, "1.1. Of the west"), (1, "2. Boats")]),
        (f"5.9. /var/lib : State\n\n{BODY}\n5.10. /var/log : Log files and directories\n\n{BODY}",
         [(2, "5.9. /var/lib : State"), (2, "5.10. /var/log : Log files and directories")]),  # a part of a document
        (f"12 boats\n\n{BODY}\n1. Ports\n\n{BODY}\n2. Boats\n\n{BODY}", [(1, "1. Ports"), (1, "2. Boats")]),
        (f"1 Ports\n\n{BODY}\n1.1 /var/log : Log files\n    of ports in the west\n\n{BODY}", []),  # it is not full
        (f"1 Ports\n\n{BODY}\n1.1 /var/log : Log files, directories, other things\n    of ports in the west\n\n{BODY}",
         [(1, "1 Ports"), (2, "1.1 /var/log : Log files, directories, other things of ports in the west")]),
        (f"           Chapter 1. Ports\n\n{BODY}\n           Chapter 2. Boats\n\n{BODY}\nAppendix A. Names\n\n{BODY}"
         f"\nA.1 Of boats\n\n{BODY}",
         [(1, "Chapter 1. Ports"), (1, "Chapter 2. Boats"), (1, "Appendix A. Names"), (2, "A.1 Of boats")]),
        (f"Kapitel 1\u00a0Häfen\n\n{BODY}\n1.1\u00a0Im Westen\n\n{BODY}",
         [(1, "Kapitel 1 Häfen"), (2, "1.1 Im Westen")]),
        (f"Ports\n=====\n\n{BODY}\nOf the west\n-----------\n\n{BODY}\nBoats\n=====\n",
         [(1, "Ports"), (2, "Of the west"), (1, "Boats")]),
        # indented as the first line of the text below, with a dot at the end
        (f"{WRAPPED}\n  1. Definitions.\n\n{WRAPPED}\n  2. Use of the Other Ships.\n\n{WRAPPED}",
         [(1, "1. Definitions."), (1, "2. Use of the Other Ships.")]),
        (f"=======\n Ports\n=======\n\n{BODY}\n1. Of the west\n\n{BODY}\n2. Of the east\n\n{BODY}",
         [(1, "Ports"), (2, "1. Of the west"), (2, "2. Of the east")]),
        (f"THE PORTS\n\n{BODY}\nBOATS OF 1921\n\n{BODY}", [(1, "THE PORTS"), (1, "BOATS OF 1921")]),
        ("NAME\n       boat - sail to a port and back again without a stop\n\nOPTIONS\n"
         "       -f     sail as fast as it can, also at night\n",
         [(1, "NAME"), (1, "OPTIONS")]),  # a page of a manual
    ],
)  # fmt: skip
def test_titles(source: str, found: list[tuple[int, str]]) -> None:
    assert titles(source) == found


@pytest.mark.parametrize(
    "source",
    [
        f"{BODY}\n1. Galway\n\n2. Cork\n\n3. Cobh\n\n{BODY}",  # a list
        f"{BODY}\n  1. It sails in May.\n\n{BODY}\n  2. It sails in June.\n\n{BODY}",  # sentences
        f"{BODY}\n      1. Galway\n\n{BODY}\n      2. Cork\n\n{BODY}",  # indented more than the text
        f"{WRAPPED}\n  1. Open the Port.\n     It is old.\n\n{WRAPPED}\n  2. Close the Port.\n     It is old.\n",
        f"{WRAPPED}\n  1. Galway.\n\n    It is old.\n\n  2. Voss.\n\n    It is old.\n",
        f"{BODY}\n1. Galway\n2. Cork\n3. Cobh\n\n{BODY}",
        f"{BODY}\n12 boats\n\n{BODY}\n40 boats\n\n{BODY}",
        f"{BODY}\n1921\n\n{BODY}",
        f"{BODY}\nPLEASE DO NOT\n\n{BODY}",  # one line
        f"{BODY}\nTHE SOFTWARE IS PROVIDED AS IT IS, WITHOUT ANY WARRANTY OF ANY KIND,\nAND NOT IN SPRING\n\n{BODY}",
        f"Name   Boats\n----   -----\nCork   7\n\n{BODY}",  # a table
        f"{BODY}---------------\n{BODY}",  # a rule between texts
        f"{BODY}\n-- \nRosa\n",
        "Ports\n--",
        "a\n\nb\n" * 3,
    ],
)
def test_no_titles(source: str) -> None:
    document = read(source)
    assert (document.text, document.headings, document.note) == (source, (), "")


def page(number: int, text: str, *, head: str = "Port  Guide   {}", foot: str = "Port 3.6      March 8, 2020") -> str:
    name = "Alma Bea Cora Dora Ella Flora Gerda Hilda Ida".split()[number - 1]
    lines = [f"{one} the boat {name} of {one * 2} sails out and is soon full" for one in "abcdefghijklmnopqrst"]
    return "\n".join([head.format(number), "", *lines, f"{name}: {text}", "", foot.format(number), "", ""])


FLOW = "Rosa Lund founded the harbour of Galway, and then she"


def test_what_pages_repeat_stands_once() -> None:
    document = read("\n" + "\n\n".join(page(i, FLOW) for i in range(1, 7)))
    assert document.text.count("Port  Guide") == 1
    assert document.text.count("March 8") == 1
    assert f"{FLOW}\na the boat Bea of aa sails" in document.text
    assert document.note == (
        "lines that pages repeat stay once, and were left out elsewhere: "
        "«Port Guide 1» (5), «Port 3.6 March 8, 2020» (5)"
    )


@pytest.mark.parametrize("foot", ["- {} -", "Page {}", "{}", "[Page {}]"])
def test_numbers_of_pages_are_left_out(foot: str) -> None:
    document = read("\n".join(page(i, FLOW, head="", foot=foot) for i in range(1, 7)))
    assert document.note == "page numbers left out: 6"
    assert f"{FLOW}\na the boat Bea of aa sails" in document.text


def test_form_feeds() -> None:
    pages = [page(i, FLOW, head="Lund      Ports      May 2020", foot="Hale    [Page {}]") for i in range(1, 5)]
    document = read("\f".join(pages))
    assert document.text.count("Lund   ") == document.text.count("Hale   ") == 1
    assert "\f" not in document.text
    plain = f"{FLOW}.\n\fAnother part.\n\fThe end.\n"
    assert read(plain).text == plain  # nothing is repeated


def test_titles_at_one_distance_are_no_pages() -> None:
    source = "\n".join(page(i, "He sails.", head="Report of boat {}", foot="").title() for i in range(1, 9))
    assert read(source).text == source


CUT = (
    "The keeper of the helmets and the armour buys hel-\nmets in Galway, and the keep-\n"
    "  er sells them with all the ar-\nmour that is in the well-known and very old har-\n"
    "bour; the harbour is well-\nknown for its two- and three-\n"
    "masted boats, which the keeper of the gal-\nway does not like. The galway is three-masted.\n"
)


def test_words_that_are_cut_are_whole() -> None:
    document = read(CUT)
    assert document.text == (
        "The keeper of the helmets and the armour buys helmets\nin Galway, and the keeper\n"
        "  sells them with all the armour\nthat is in the well-known and very old harbour;\n"
        "the harbour is well-known\nfor its two- and three-masted\n"
        "boats, which the keeper of the galway\ndoes not like. The galway is three-masted.\n"
    )


def test_unknown_words_are_whole_where_most_are_cut() -> None:
    unknown = "It sails to the far-away is-\nlands, in two-\nor in three weeks, as the captain has said in Car-\nlow."
    assert read(unknown).text == unknown
    assert "far-away islands,\nin two-\nor in" in read(f"{CUT}\n{unknown}".replace("It sails", "It often sails")).text


@pytest.mark.parametrize(
    "contents",
    [
        "  Table of Contents\n\n  1. Ports\n\n      1.1. Of the west and of\n          the north\n\n  2. Boats\n\n",
        "Contents\n--------\n1. Ports\n1.1. Of the west and of the north\n2. Boats\n\n",
        "1. Ports\n1.1. Of the west and of the north\n2. Boats\n\n",
        "Inhalt\n\nPorts ............... 3\nOf the west . . . . . 4\n",
        "Ports ............... 3\nOf the west . . . . . 4\nBoats......xii\n\n",
    ],
)
def test_tables_of_contents_are_left_out(contents: str) -> None:
    text = f"1. Ports\n\n{BODY}\n1.1. Of the west and of the north\n\n{BODY}\n2. Boats\n\n{BODY}"
    document = read(f"The guide\n\n{contents}{text}")
    assert document.text == f"The guide\n\n{text}"
    n = len([line for line in contents.split("\n") if line.strip()])
    assert document.note == f"table of contents left out: {n} lines"


@pytest.mark.parametrize(
    "lines",
    [
        "Contents\n\n1. Ports\n2. Boats\n3. Keepers",  # they do not come again
        "Coffee ........ 2\nTea ........... 3\nCake .......... 4\nBread ......... 5",  # prices
    ],
)
def test_what_does_not_come_again_is_no_table_of_contents(lines: str) -> None:
    source = f"{lines}\n\n{BODY}"
    assert (read(source).text, read(source).note) == (source, "")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("+------+-------------+\n| Type | Description |\n|------+-------------|\n|      | one of a    |\n"
         "| sel  | few         |\n"
         "|------+-------------|\n| note | shown       |\n+--------------------+",
         "Type | Description\nsel | one of a few\nnote | shown"),
        ("  +---+---+\n  | a | b |\n  +===+===+\n  | 1 | x |\n  |   | y |\n  +---+---+\n  | 2 | z |\n  +---+---+",
         "a | b\n1 | x y\n2 | z"),
        ("+---+---+\n| a | b |\n+---+---+\n| 1 | x |\n| 2 | y |\n|   | z |\n+---+---+", "a | b\n1 | x\n2 | y z"),
        ("+---+---+\n| 1 | x |\n| 2 | y |\n+---+---+", "1 | x\n2 | y"),
        ("┌───┬───┐\n│ a │ b │\n├───┼───┤\n│ 1 │ é │\n└───┴───┘", "a | b\n1 | é"),
        ("| a | b |\n|---|---|\n| 1 | x |", "a | b\n1 | x"),
        ("+---+---+\n| both  |\n+---+---+\n| 1 | x |\n| 2 | y |\n| 3 | z |\n+---+---+", "both |\n1 | x\n2 | y\n3 | z"),
        ("+--------+\n|The bat |\n|  --|-- |\n|  |..|  |\n+-Figure-+", None),  # a drawing
        ("+--------+\n| a box  |\n+--------+", None),
        ("Port      Boats\nGalway    7\nCork      8", None),
        ("a || b\n|c| + |d|", None),
        ("+---+---+\n| a | b |\n|---+---|\n| 1 | x | more|\n+---+---+", None),  # beside its borders
    ],
)  # fmt: skip
def test_drawn_tables(source: str, text: str | None) -> None:
    assert read(f"See:\n\n{source}\n\nEnd.").text == f"See:\n\n{source if text is None else text}\n\nEnd."
