"""Readers for questions over DBpedia and Wikidata in their original formats: QALD and LC-QuAD."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphbrick.questions.formats.record import Record
from graphbrick.questions.question import Question

_LANGUAGE = "en"
_RESOURCE = re.compile(r"<(https?://[^>\s]*/(?:resource|entity)/[^>\s]+)>")
_ITEM = re.compile(r"\bwd:(Q\d+)\b")
_WIKIDATA = "http://www.wikidata.org/entity/"


def read_qald(records: Iterator[Record], dataset: str) -> Iterator[Question]:
    """Yield the questions of QALD in English, else in their first language.

    Answers are the IRIs and values of all bindings, or "yes" or "no". The query is the fact ``query``.

    Raises:
        InputError: A field is missing or has another type.
    """
    for record in records:
        id_, texts = record.text("id"), record.objects("question")
        english = [text for text in texts if text.has("language") and text.text("language") == _LANGUAGE]
        if not texts:
            raise record.fault("there is no question; every question needs one", code="qald.no_question")
        query = record.inner("query")
        text = (english or texts)[0].text("string")
        sparql = query.text("sparql") if query.has("sparql") else ""
        yield Question(
            id=id_,
            text=text,
            seeds=_seeds(sparql),
            answers=tuple(dict.fromkeys(_answers(record))),
            dataset=dataset,
            facts={"query": sparql} if sparql else {},
        )


def _answers(record: Record) -> Iterator[str]:
    for answer in record.objects("answers"):
        if isinstance(answer.values.get("boolean"), bool):
            yield "yes" if answer.values["boolean"] else "no"
        for binding in answer.inner("results").objects("bindings"):
            for name in binding.values:
                yield binding.inner(name).text("value")


def read_lcquad(records: Iterator[Record], dataset: str) -> Iterator[Question]:
    """Yield the questions of LC-QuAD 1.0 and 2.0, which publish queries and no answers.

    Seeds are the entities that the query names; the query is the fact ``query``.

    Raises:
        InputError: A field is missing or has another type.
    """
    for record in records:
        id_ = "_id" if record.has("_id") else "uid"
        text = next((name for name in ("corrected_question", "question") if record.has(name)), "NNQT_question")
        query = next((name for name in ("sparql_query", "sparql_wikidata") if record.has(name)), "")
        sparql = record.text(query) if query else ""
        facts = {"query": sparql} if sparql else {}
        yield Question(record.text(id_), record.text(text), _seeds(sparql), dataset=dataset, facts=facts)


def _seeds(sparql: str) -> tuple[str, ...]:
    """Return the entities that a query names, as IRIs."""
    items = [_WIKIDATA + item for item in _ITEM.findall(sparql)]
    return tuple(dict.fromkeys([*_RESOURCE.findall(sparql), *items]))
