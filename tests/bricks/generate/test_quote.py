"""Quote: sentences of passages as answers."""

from __future__ import annotations

from faults import told

from graphbrick import BM25, Citation, Evidence, Passage, Query, Quote
from graphbrick.core.trace import Trace, record
from graphbrick.testing import check_brick


def passage(text: str, section: str = "") -> Passage:
    return Passage(text, (Citation("a.md", 0, len(text), section=section),))


def test_keeps_the_contract() -> None:
    check_brick(Quote(BM25(), n=2))


def test_headings_count_but_are_not_quoted() -> None:
    items = (
        passage("What are the signs of gout?\nA swollen toe is the first.", "Gout > What are the signs of gout?"),
        passage("# Diet and gout\nFish has much acid. Is it bad?", "Diet and gout"),
        passage("A swollen toe is the first."),
    )
    answer = Quote(BM25(), n=2).generate(Query("What are signs of gout?"), Evidence(items))
    assert answer.texts == ("A swollen toe is the first.", "Fish has much acid.")
    assert answer.support == ((0, 2), (1,))
    assert answer.entities == (None, None)


def test_evidence_without_documents_is_an_event() -> None:
    with record(Trace(), "test", "generate") as entry:
        assert Quote(BM25()).generate(Query("x"), Evidence((Passage("No document at all."),))).texts == ()
    assert told(entry.events) == [("quote.no_passage", {"items": 1})]


def test_a_long_sentence_is_cut() -> None:
    answer = Quote(BM25(), n=1).generate(Query("lake"), Evidence((passage("lake " * 300),)))
    assert answer.texts[0].endswith("...")
    assert len(answer.texts[0]) == 503
