"""SpacyPhrases: entities and triples by the parts of speech and dependencies of a parse."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults import fails

from graphbrick.core.errors import ModelError
from graphbrick.testing import check_brick
from graphbrick.text.extract.extraction import Kind
from graphbrick.text.extract.spacy_phrases import SpacyPhrases, extraction


def parsed(rows: str, ents: list[tuple[int, int, str]]):
    """Return a document from rows of word, part of speech, dependency and head."""
    import spacy
    from spacy.tokens import Doc, Span

    columns = list(zip(*(row.split() for row in rows.strip().splitlines()), strict=True))
    vocab = spacy.blank("en").vocab
    doc = Doc(vocab, words=columns[0], pos=columns[1], deps=columns[2], heads=[int(head) for head in columns[3]])
    doc.set_ents([Span(doc, start, end, label) for start, end, label in ents])
    return doc


def test_keeps_the_contract() -> None:
    check_brick(SpacyPhrases())


@pytest.mark.whole
def test_entities_and_triples() -> None:
    doc = parsed(
        """
        Kisumu PROPN nsubj 1
        is AUX ROOT 1
        a DET det 4
        big ADJ amod 4
        port NOUN attr 1
        on ADP prep 4
        Lake PROPN compound 7
        Victoria PROPN pobj 5
        . PUNCT punct 1
        It PRON nsubjpass 11
        was AUX auxpass 11
        founded VERB ROOT 11
        by ADP agent 11
        the DET det 14
        British PROPN pobj 12
        in ADP prep 11
        1901 NUM pobj 15
        monthly ADV advmod 11
        """,
        [(0, 1, "GPE"), (6, 8, "LOC"), (13, 15, "NORP"), (16, 17, "DATE"), (17, 18, "DATE")],
    )
    result = extraction(doc, "Kisumu")
    text = f"Kisumu\n{doc.text}"
    assert [(text[one.start : one.end], one.kind, one.type) for one in result.found] == [
        ("Kisumu", Kind.NAME, ""),
        ("big port", Kind.PHRASE, ""),
        ("Lake Victoria", Kind.NAME, "place"),
        ("British", Kind.NAME, "group"),
        ("1901", Kind.NAME, "date"),
    ]
    assert [one[:3] for one in result.triples] == [
        ("Kisumu", "is", "big port"),
        ("Kisumu", "is port on", "Lake Victoria"),
        ("Kisumu", "was founded by", "British"),
        ("Kisumu", "was founded in", "1901"),
    ]
    # Without a title, a pronoun stands for nothing.
    assert [head for head, *_ in extraction(doc, "").triples] == ["Kisumu", "Kisumu"]


def test_a_missing_model_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHBRICK_MODELS", str(tmp_path))
    with pytest.raises(ModelError, match="run: graphbrick models fetch en-core-web-sm"):
        SpacyPhrases().extract(["Kenya."])
    (tmp_path / "other").mkdir()
    with fails("spacy.not_a_model", ModelError):
        SpacyPhrases(str(tmp_path / "other")).extract(["Kenya."])


@pytest.mark.models
def test_the_real_model() -> None:
    (result,) = SpacyPhrases().extract(["Kisumu\nKisumu is a port on Lake Victoria. It lies in Kenya."])
    assert ("Kisumu", "is port on", "Lake Victoria") in result.triples
    assert ("Kisumu", "lies in", "Kenya") in result.triples
