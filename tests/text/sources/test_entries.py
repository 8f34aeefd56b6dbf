"""Plain text: the versions of a list of changes and the questions of an FAQ are titles."""

from __future__ import annotations

import pytest

from graphbrick.text.documents.document import Document
from graphbrick.text.overview.changes import version_of
from graphbrick.text.sources.plain import plain_document

TEXT = "The crane lifts ships again.\n"


def titles(source: str) -> list[str]:
    document: Document = plain_document("a.txt", "a", source.encode())
    for heading in document.headings:
        assert document.text[heading.start :].split("\n")[0] == heading.title
    return [heading.title for heading in document.headings]


@pytest.mark.parametrize(
    "lines",
    [
        ("Version 2.20 - 30 September 2020", "Version 2.19 - 28 May 2019 (bug fix release)", "Version 2.2"),
        ("crane-6.4.35 (released 2023-01-04, 31707 lines)", "crane-6.4.34 (Sat Jun  2 17:53:00 EDT 2022), 31 lines",
         "crane-6.4 (released 2021-01-04)"),
        ("* Noteworthy changes in release 9.1 (2022-04-15) [stable]", "* Changes in version 9.0",
         "Crane 8.9 (May 2, 2020)"),
        ("0.2.13 (2021-01-29)", "0.2.12 (2020-11-03)", "v0.2.1 - 2020-10-05"),
        ("** Version 4.9.1 **", "** Version 4.9.0 **", "** Version 4.8.0b **"),
    ],
)  # fmt: skip
def test_versions_are_titles(lines: tuple[str, ...]) -> None:
    assert titles("\n".join(f"{line}:\n* {TEXT}" for line in lines)) == [" ".join(line.split()) for line in lines]


def test_headings_of_versions_name_them() -> None:
    headings = ("crane-6.4.35 (released 2023-01-04, 31707 lines)", "crane-6.4 (Sat Jun  2 17:53:00 EDT 2022), 31 lines")
    assert [version_of(heading) is not None for heading in headings] == [True, True]
    assert version_of("Crane 6.4 (with two motors) gone") is None


@pytest.mark.parametrize(
    "lines",
    [
        ("Version 2.20 - 30 September 2020", "Version 2.19 - 28 May 2019"),  # two are no list
        ("As of version 1.12, crane uses a motor", "As of version 1.11, it uses a mouse", "In version 1.2 it is new"),
        ("1.2 metres", "3.4 metres", "5.6 metres"),
        ("    Version 2.2 - 2020", "    Version 2.1 - 2020", "    Version 2.0 - 2020"),
    ],
)
def test_other_lines_with_versions_are_none(lines: tuple[str, ...]) -> None:
    assert titles("\n".join(f"{line}\n* {TEXT}" for line in lines)) == []


def test_the_questions_of_an_faq_are_titles() -> None:
    source = (
        f"1. How do I lift a ship?\n\n\t{TEXT}\n2. I installed the crane (with both motors), but how am I supposed to\n"
        f"   use it?  When I press the button it does nothing at all, and the ship stays where it was.\n\n\t{TEXT}\n"
        f"3. The crane lifts no ships of wood, what is the problem?\n\n\t{TEXT}\n"
        f"4. Why does the crane stop in the middle of the night, although the motor runs?\n\n\t{TEXT}\n"
    )
    found = titles(source)
    assert [title[:2] for title in found] == ["1.", "2.", "3.", "4."]
    assert found[1].endswith("the ship stays where it was.")


def test_questions_with_a_letter_are_titles() -> None:
    source = "".join(f"Q{i}: How heavy is ship {i}?\nA: It has {i} tons.\n\n" for i in (1, 2, 3))
    assert titles(source) == [f"Q{i}: How heavy is ship {i}?" for i in (1, 2, 3)]


def test_a_list_of_questions_has_no_titles() -> None:
    assert titles("1. How old is it?\n\n2. How heavy is it?\n\n3. How long is it?\n\n4. Where is it?\n") == []


def test_a_tab_after_a_sentence_makes_no_row() -> None:
    line = "will eliminate all but one of the ships.\tAdding a crane makes them whole.\n"
    document = plain_document("a.txt", "a", f"{line}Nordlys\t7\t9\n".encode())
    assert document.text == line.replace("\t", "  ") + "Nordlys\t7\t9\n"
