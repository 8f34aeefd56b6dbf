"""Word files: notes, headers and footers, formulas, automatic numbers, content controls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from commands import Run
from docx.oxml import parse_xml
from word_files import SPACES, replaced, word, xml

from graphbrick import index
from graphbrick.text.documents.document import Document
from graphbrick.text.sources import documents_in
from graphbrick.text.sources.tables import SourceOptions

LONG = "It may rise once a year. In years of war it may rise twice, as the council of the town decides in a meeting."


def read(folder: Path, data: bytes) -> Document:
    (folder / "a.docx").write_bytes(data)
    (document,) = documents_in(folder / "a.docx", SourceOptions())
    return document


def noted(before: str, after: str, kind: str = "footnote", number: int = 1) -> Any:
    def fill(document: Any) -> None:
        paragraph = document.add_paragraph(before)
        paragraph._p.append(xml(f'<w:r><w:{kind}Reference w:id="{number}"/></w:r>'))
        paragraph.add_run(after)
        document.add_paragraph("The lease ends in May.")

    return fill


@pytest.mark.whole
@pytest.mark.parametrize("kind", ["footnote", "endnote"])
def test_a_short_note_stands_at_its_place(tmp_path: Path, kind: str) -> None:
    data = word(noted("The rent may rise", " each year.", kind), **{f"{kind}s": {1: "at most three percent"}})
    assert read(tmp_path, data).text == "The rent may rise [at most three percent] each year.\n\nThe lease ends in May."


@pytest.mark.whole
def test_a_question_about_a_footnote(tmp_path: Path, run: Run) -> None:
    read(tmp_path, word(noted("The rent may rise", " each year.", number=2), footnotes={2: "at most three percent"}))
    index([tmp_path / "a.docx"], tmp_path / "g.graph")
    assert "three percent" in run("ask", tmp_path / "g.graph", "How much may the rent rise?").out


def test_a_long_note_stands_after_the_paragraph(tmp_path: Path) -> None:
    data = word(noted("The rent may rise", " each year.", number=7), footnotes={7: LONG, 8: "not cited"})
    assert read(tmp_path, data).text == (
        f"The rent may rise (note 1) each year.\nNote 1: {LONG}\n\nThe lease ends in May."
    )


def test_a_note_in_a_table(tmp_path: Path) -> None:
    def fill(document: Any) -> None:
        cells = document.add_table(rows=1, cols=2).rows[0].cells
        cells[0].text, cells[1].text = "Rent", "300"
        cells[1].paragraphs[0]._p.append(xml('<w:r><w:footnoteReference w:id="1"/></w:r>'))

    assert read(tmp_path, word(fill, footnotes={1: "in euro"})).text == "Rent | 300 [in euro]"


def test_headers_and_footers_of_sections_once(tmp_path: Path) -> None:
    def fill(document: Any) -> None:
        first = document.sections[0]
        first.header.paragraphs[0].text = "reference HH-4471"
        first.footer.paragraphs[0].text = "Keep it secret"
        page = first.footer.add_paragraph("Page ")
        page._p.append(xml('<w:fldSimple w:instr=" PAGE "><w:r><w:t>1</w:t></w:r></w:fldSimple>'))
        document.add_paragraph("The rent is 300 euro.")
        second = document.add_section()
        second.header.is_linked_to_previous = False
        second.header.paragraphs[0].text = "Annex"
        second.different_first_page_header_footer = True
        second.first_page_header.paragraphs[0].text = "reference HH-4471"
        second.first_page_footer.paragraphs[0].text = "First"
        document.add_paragraph("The keys are two.")

    assert read(tmp_path, word(fill)).text.split("\n\n") == [
        "reference HH-4471", "The rent is 300 euro.", "Keep it secret", "Annex", "The keys are two.", "First",
    ]  # fmt: skip


FRACTION = "<m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>"
POWER = "<m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
SUM = (
    '<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub><m:r><m:t>i=1</m:t></m:r></m:sub>'
    "<m:sup><m:r><m:t>n</m:t></m:r></m:sup><m:e><m:r><m:t>i</m:t></m:r></m:e></m:nary>"
)
ROOT = "<m:rad><m:deg/><m:e><m:r><m:t>x</m:t></m:r></m:e></m:rad>"
CASES = '<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e><m:r><m:t>x</m:t></m:r></m:e></m:d>'


@pytest.mark.whole
@pytest.mark.parametrize(
    ("inside", "line"),
    [
        ("<m:r><m:t>a=b+c</m:t></m:r>", "a=b+c"),
        (FRACTION, "(a+b)/2"),
        (f"<m:r><m:t>E=m</m:t></m:r>{POWER}", "E=mc^2"),
        (SUM, "∑_(i=1)^n i"),
        (ROOT, "sqrt(x)"),
        (CASES, "[x]"),
    ],
)
def test_formulas_are_text(tmp_path: Path, inside: str, line: str) -> None:
    def fill(document: Any) -> None:
        paragraph = document.add_paragraph("It holds that ")
        paragraph._p.append(xml(f"<m:oMath>{inside}</m:oMath>"))
        paragraph.add_run(", as Rosa Lund says.")

    assert read(tmp_path, word(fill)).text == f"It holds that {line}, as Rosa Lund says."


LEVELS = "".join(
    f'<w:lvl w:ilvl="{i}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>{style}<w:lvlText w:val="{text}"/></w:lvl>'
    for i, (form, text, style) in enumerate(
        [("decimal", "§ %1", '<w:pStyle w:val="Heading1"/>'), ("decimal", "%1.%2", ""), ("lowerLetter", "(%3)", "")]
    )
)
NUMBERING = (
    f'<w:numbering {SPACES}><w:abstractNum w:abstractNumId="0">{LEVELS}</w:abstractNum>'
    '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="-"/></w:lvl>'
    '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    '<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="3"><w:abstractNumId w:val="0"/>'
    '<w:lvlOverride w:ilvl="1"><w:startOverride w:val="5"/></w:lvlOverride></w:num></w:numbering>'
)


def test_automatic_numbers_of_clauses(tmp_path: Path) -> None:
    def fill(document: Any) -> None:
        def add(text: str, list_: int, level: int | None) -> None:
            paragraph = document.add_paragraph(text)
            at = "" if level is None else f'<w:ilvl w:val="{level}"/>'
            paragraph._p.get_or_add_pPr().append(xml(f'<w:numPr>{at}<w:numId w:val="{list_}"/></w:numPr>'))

        style = document.styles["Heading 1"].element.get_or_add_pPr()
        style.append(xml('<w:numPr><w:numId w:val="1"/></w:numPr>'))
        document.add_heading("Rent", 1)
        add("The tenant pays 300 euro.", 1, 1)
        add("in May,", 1, 2)
        add("and in June.", 1, 2)
        document.add_heading("Keys", 1)
        add("There are two.", 1, 1)
        add("One is red.", 2, 0)
        add("It restarts.", 3, 1)
        add("Not numbered.", 0, None)

    document = read(tmp_path, replaced(word(fill), "word/numbering.xml", NUMBERING))
    assert document.text.replace("\n\n", "\n").split("\n") == [
        "§ 1 Rent", "1.1 The tenant pays 300 euro.", "(a) in May,", "(b) and in June.", "§ 2 Keys",
        "2.1 There are two.", "One is red.", "2.5 It restarts.", "Not numbered.",
    ]  # fmt: skip
    assert [heading.title for heading in document.headings] == ["§ 1 Rent", "§ 2 Keys"]


def test_content_controls_and_moved_words(tmp_path: Path) -> None:
    def fill(document: Any) -> None:
        document.add_paragraph("Rosa Lund signs.")
        held = document.add_paragraph("The rent is 300 euro.")._p
        held.addprevious(xml("<w:sdt><w:sdtPr/><w:sdtContent/></w:sdt>"))
        held.getprevious()[1].append(held)
        moved = xml("<w:p><w:moveFrom><w:r><w:t>Twice.</w:t></w:r></w:moveFrom><w:r><w:t>Once.</w:t></w:r></w:p>")
        document.element.body.insert(2, moved)

    assert read(tmp_path, word(fill)).text == "Rosa Lund signs.\n\nThe rent is 300 euro.\n\nOnce."


def test_charts_and_diagrams_are_counted(tmp_path: Path) -> None:
    space = "http://schemas.openxmlformats.org/drawingml/2006"
    drawn = [f'<c:chart xmlns:c="{space}/chart"/>'] * 2 + [f'<d:relIds xmlns:d="{space}/diagram"/>']

    def fill(document: Any) -> None:
        run = document.add_paragraph("The rent rises.").add_run()
        for drawing in drawn:
            run._r.append(parse_xml(drawing))

    assert read(tmp_path, word(fill)).note == "2 charts and 1 diagram left out"


def test_comments_are_counted(tmp_path: Path) -> None:
    def fill(document: Any) -> None:
        paragraph = document.add_paragraph("The rent is 300 euro.")
        document.add_comment(paragraph.runs, text="Too much?", author="Peter Hale")

    assert read(tmp_path, word(fill)).note == "1 comment left out"


def test_a_letterhead_is_text(tmp_path: Path) -> None:
    def fill(document: Any) -> None:
        document.sections[0].header.paragraphs[0].text = "Fjord Ferries, Bergen"

    assert read(tmp_path, word(fill)).text == "Fjord Ferries, Bergen"
