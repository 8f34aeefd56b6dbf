"""Superscripts and subscripts: a power is not another number, in web pages, Markdown and Word files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from word_files import word, xml

from graphbrick.text.sources import documents_in
from graphbrick.text.sources.hypertext import html_document
from graphbrick.text.sources.markup import markdown_document
from graphbrick.text.sources.raised import without_tags
from graphbrick.text.sources.tables import SourceOptions

RAISED = [
    ("at most 2<sup>64</sup> rows", "at most 2⁶⁴ rows"),
    ("2<sup>31-1</sup> or 2<sup>−3</sup>", "2³¹⁻¹ or 2⁻³"),
    ("H<sub>2</sub>O and CO<sub>2</sub>", "H₂O and CO₂"),
    ("10<sup>n</sup>, e<sup>x+1</sup>, v<sub>max</sub>", "10ⁿ, e^(x+1), v_(max)"),
    ("2<sup>2<sup>3</sup></sup>", "2^(2³)"),
    ("the 1<sup>st</sup> of the XX<sup>e</sup>", "the 1st of the XXe"),
    ("Lund<sup>®</sup> and Hale<sup>[4]</sup>", "Lund® and Hale[4]"),
    (f"It sails.<sup>{'Only in good weather, of course. '}</sup>", "It sails.Only in good weather, of course."),
]


@pytest.mark.parametrize(("source", "text"), RAISED)
def test_web_pages_and_markdown(source: str, text: str) -> None:
    assert html_document("a.html", "a", f"<p>{source}</p>".encode()).text == text
    assert without_tags(source).strip() == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ('It sails.<sup><a href="#fn1">1</a></sup> So it is.', "It sails.1 So it is."),  # a note
        ('It sails.<a href="#fn1"><sup>1</sup></a> So it is.', "It sails.1 So it is."),
        ('<a href="/m">10<sup>6</sup> boats</a>', "10⁶ boats"),
        ("2<small><sup>31</sup></small>-1 of 2<sup><small>48</small></sup>", "2³¹-1 of 2⁴⁸"),
        ("2<sup><p>6</p></sup>", "2\n6"),
    ],
)
def test_what_pages_put_around_superscripts(source: str, text: str) -> None:
    assert html_document("a.html", "a", f"<div>{source}</div>".encode()).text == text


def test_markdown_keeps_code_and_notes_and_its_headings() -> None:
    source = (
        "# 2<sup>8</sup> boats\n\n`2<sup>8</sup>` and ``a ` 2<sup>8</sup>``\n\n```\n2<sup>8</sup>\n```\n\n"
        "It is 2<sup>8</sup>.<sup><a href='#1'>1</a></sup>\n\n## Next\n"
    )
    document = markdown_document("a.md", "a", source.encode())
    assert document.text == source.replace("# 2<sup>8</sup>", "# 2⁸").replace("is 2<sup>8</sup>", "is 2⁸")
    assert [document.text[h.start :].split("\n")[0] for h in document.headings] == ["# 2⁸ boats", "## Next"]


def test_word_files(tmp_path: Path) -> None:
    def fill(document: Any) -> None:
        heading = document.add_heading("At most 2", 1)
        heading.add_run("64").font.superscript = True
        paragraph = document.add_paragraph("H")
        parts = ("2", "sub"), ("O, 2", ""), ("3", "super"), ("1", "super"), (", 1", ""), ("st", "super")
        for text, align in parts:
            font = paragraph.add_run(text).font
            if align:
                setattr(font, f"{align}script", True)
        paragraph._p.append(
            xml('<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="1"/></w:r>')
        )

    (tmp_path / "a.docx").write_bytes(word(fill, footnotes={1: "of May"}))
    (document,) = documents_in(tmp_path / "a.docx", SourceOptions())
    assert document.text == "At most 2⁶⁴\n\nH₂O, 2³¹, 1st [of May]"
    assert (document.title, document.headings[0].title) == ("At most 2⁶⁴", "At most 2⁶⁴")
