"""PDF files whose words pypdf runs together, and titles of outlines that stand in the middle of a page."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from pdf_files import justified_pdf, pdf

from graphbrick.text.documents.chunks import ByHeading
from graphbrick.text.documents.document import Document
from graphbrick.text.sources import documents_in, pdf_child
from graphbrick.text.sources.pdf_pages import Page, joined_pages
from graphbrick.text.sources.tables import SourceOptions

ONE = (
    "Les outils indispensables sont dans le paquet, et les d\xe9butants sous Linux\n"
    "les trouvent difficiles \xe0 utiliser; mais avec un peu de pers\xe9v\xe9-\nrance ils y arrivent.\n"
    "Le paquet debhelper de Galway (http://example.org/debhelper) les aide tous les jours."
)
MENDED = ONE.replace("v\xe9-\nr", "v\xe9r")


TWO = (
    "Deux autres programmes sont utiles dans ce cas, dont un seul est dans le paquet\n"
    "que les nouveaux responsables trouvent difficile, bien qu'il soit petit et tout simple."
)


def read(folder: Path, data: bytes) -> Document:
    (folder / "a.pdf").write_bytes(data)
    (document,) = documents_in(folder / "a.pdf", SourceOptions())
    return document


def test_words_that_run_together_are_taken_apart(tmp_path: Path) -> None:
    document = read(tmp_path, justified_pdf(ONE, "Cork.", TWO))
    assert document.text == f"{MENDED}\n\nCork.\n\n{TWO}"
    assert document.note == "words that ran together on pages 1, 3 were taken apart"


def test_without_another_reader_a_note_names_the_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    page, _, end = pdf_child.parts(justified_pdf(ONE, "Cork."))
    assert page["text"].startswith("Lesoutilsindispensables")
    assert end["note"] == (
        "words run together on page 1, so that they are hard to find (to take them apart: pip install pypdfium2)"
    )


@pytest.mark.whole
@pytest.mark.parametrize(
    "text",
    [
        "Der Rindfleischetikettierungs\xfcberwachungsaufgaben Kilo.",  # long words that are words
        "See https://example.org/a/very/long/address/of/a/page and asn1_read_value_type_of_a_node_in_c.",
        "1 Introduction . . . . . . 2\n2 Methods.................................................................3",
    ],
)
def test_other_long_words_stay_as_they_are(tmp_path: Path, text: str) -> None:
    assert (read(tmp_path, pdf(text)).text, read(tmp_path, pdf(text)).note) == (text, "")


def test_scripts_without_spaces_have_long_words() -> None:
    assert pdf_child.glued_share("\u5185\u7f57\u6bd5\u662f\u80af\u5c3c\u4e9a" * 9, 1) == 0.0
    assert pdf_child.glued_share("\u0e19\u0e32\u0e22\u0e42\u0e23\u0e1a\u0e35" * 9, 1) == 0.0


def test_spaces_of_another_reading() -> None:
    respaced = pdf_child.respaced
    assert respaced("avecd'autres  paquets\n\nThe end", "x avec d'autres paquets y\nThe end") == (
        "avec d'autres paquets\n\nThe end"
    )
    assert respaced("Lalune dela nuit", "La lune de\nla mer") == "La lune de la nuit"  # of a line that is not there
    assert respaced("a ligne b ligne", "a li gne, b ligne") == "a ligne b ligne"  # not the same at all places
    assert respaced("Galway", "") == "Galway"


@pytest.mark.whole
@pytest.mark.parametrize(
    ("page", "entry", "sections"),
    [
        ("The end of one.\n6.1. Suspicious changes\nThere are two.", "Suspicious changes",
         ["The end of one.", "6.1. Suspicious changes\nThere are two."]),
        ("The end of one.\nChapter 3: The user’s lakes\nThere are two.", "The user's lakes",
         ["The end of one.", "Chapter 3: The user’s lakes\nThere are two."]),
        ("Lakes of Kenya are the end of one.\nA.2 LAKES OF  KENYA\nThere are two.", "Lakes of Kenya",
         ["Lakes of Kenya are the end of one.", "A.2 LAKES OF  KENYA\nThere are two."]),
        ("A text that does not have\nits title at all.", "Lakes",
         ["A text that does not have\nits title at all."]),
    ],
)  # fmt: skip
def test_text_above_a_title_belongs_to_the_section_before(
    tmp_path: Path, page: str, entry: str, sections: list[str]
) -> None:
    document = read(tmp_path, pdf("Rivers\nThe first of all.", page, outline={0: "Rivers", 1: entry}))
    found = [(document.text[a:b], section) for a, b, section in ByHeading().spans(document)][1:]
    assert [text for text, _ in found] == sections
    assert [section.split(" > ")[0] for _, section in found] == ["Rivers", entry][-len(sections) :]


def test_a_running_head_of_one_word_with_the_number_of_pages() -> None:
    pages = [Page(i, f"Manual {i} / 9\nText {'abcdefghi'[i - 1] * 9} of the page.") for i in range(1, 8)]
    joined = joined_pages(pages)
    assert joined.text.count("Manual") == 1
    assert joined.note == "lines that pages repeat stay once, and were left out elsewhere: «Manual 1 / 9» (6)"
    chapters = [Page(i, f"Manual {i}\nText {'abcdefghi'[i - 1] * 9} of the page.") for i in range(1, 8)]
    assert joined_pages(chapters).text.count("Manual") == 7
