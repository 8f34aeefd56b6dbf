"""Chunkers: passages are slices of the text, cover it, and keep to their size."""

from __future__ import annotations

import re

import pytest
from faults import fails
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.core.errors import PipelineError
from graphbrick.testing import check_brick
from graphbrick.text.documents.chunks import ByHeading, ByParagraph, ByTokens, Chunker
from graphbrick.text.documents.document import Document
from graphbrick.text.sources.markup import markdown_document

CHUNKERS = (ByTokens(n=7, overlap=2), ByParagraph(n=7), ByHeading(n=7), ByHeading())
WORDS = st.sampled_from(
    ["Lake", "a", "the ", ". ", "! ", "\n", "\n\n", "# Top\n", "\n## Part\n", " ", "内罗毕", "é", "😀", "-", "กรุง"]
)


def markdown(text: str) -> Document:
    return markdown_document("a.md", "", text.encode())


@pytest.mark.parametrize("chunker", CHUNKERS)
def test_keeps_the_contract(chunker: Chunker) -> None:
    check_brick(chunker)


@pytest.mark.parametrize("chunker", CHUNKERS)
@given(parts=st.lists(WORDS, max_size=40))
def test_passages_are_slices_in_order_that_cover_every_letter(chunker: Chunker, parts: list[str]) -> None:
    document = markdown("".join(parts))
    spans = list(chunker.spans(document))
    assert spans == sorted(spans, key=lambda span: span.start)
    covered: set[int] = set()
    for span in spans:
        text = document.text[span.start : span.end]
        assert text
        assert text == text.strip()
        covered.update(range(span.start, span.end))
    assert {i for i, letter in enumerate(document.text) if letter.isalnum()} <= covered


def test_tokens_overlap() -> None:
    document = Document("a", "", "one two three four five six seven.")
    spans = ByTokens(n=4, overlap=1).spans(document)
    texts = [document.text[span.start : span.end] for span in spans]
    assert texts == ["one two three four", "four five six seven", "seven."]
    with fails("parameter.not_allowed", PipelineError, name="overlap"):
        ByTokens(n=4, overlap=4)


def test_paragraphs_are_packed_and_headings_divide() -> None:
    text = "# Kenya\n\n## Land\nIt has lakes.\n\nIt has hills.\n\n## People\n\nThey run. They sing old, long songs too."
    document = markdown(text)
    by_heading = [(document.text[s.start : s.end], s.section) for s in ByHeading(n=13).spans(document)]
    assert by_heading == [
        ("# Kenya\n\n## Land\nIt has lakes.\n\nIt has hills.", "Kenya > Land"),
        ("## People\n\nThey run.", "Kenya > People"),
        ("They sing old, long songs too.", "Kenya > People"),
    ]
    by_paragraph = [document.text[s.start : s.end] for s in ByParagraph(n=11).spans(document)]
    assert by_paragraph[0] == "# Kenya\n\n## Land\nIt has lakes."
    assert by_paragraph[1:] == ["It has hills.\n\n## People", "They run. They sing old, long songs too."]


def test_a_long_word_and_a_text_without_sentences_are_cut() -> None:
    document = Document("a", "", "word " * 50 + "x" * 1000)
    spans = list(ByParagraph(n=20).spans(document))
    assert [len(re.findall(r"\w+", document.text[s.start : s.end])) for s in spans] == [20, 20, 11, 1]
    assert document.text[spans[2].start :].startswith("word " * 10 + "x")


@pytest.mark.parametrize("chunker", [ByTokens(n=200, overlap=20), ByParagraph(n=200), ByHeading(n=200)])
def test_letters_without_a_space_are_cut_to_the_size_of_passages(chunker: Chunker) -> None:
    document = Document("a", "", "Encoded data follow.\n\n" + "ab3" * 10_000)
    spans = list(chunker.spans(document))
    assert max(span.end - span.start for span in spans) <= 200 * 40 + 1
    assert {place for span in spans for place in range(span.start, span.end)} >= set(range(22, len(document.text)))
