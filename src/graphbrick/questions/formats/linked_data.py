"""Readers for questions over DBpedia and Wikidata in their original formats: QALD and LC-QuAD."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphbrick.core.trace import event
from graphbrick.questions.formats.record import Record
from graphbrick.questions.question import Question

_LANGUAGE = "en"
_RESOURCE = re.compile(r"<(https?://[^>\s]*/(?:resource|entity)/[^>\s]+)>")
_PREFIX = re.compile(r"\bprefix\s+(\w*):\s*<(https?://[^>\s]*/(?:resource|entity)/)>", re.IGNORECASE)
_PREFIXED = re.compile(r"(?<![\w:?$/])(\w*):((?:[\w%-]|\\.|\.(?=\w))+)")
_USUAL = {
    "wd": "http://www.wikidata.org/entity/",
    "dbr": "http://dbpedia.org/resource/",
    "res": "http://dbpedia.org/resource/",
}
"""Prefixes that queries use without declaring them."""

_BOOLEANS = {"true": "yes", "false": "no"}


def read_qald(records: Iterator[Record], dataset: str) -> Iterator[Question]:
    """Yield the questions of QALD in English, else in their first language.

    Answers are the IRIs and values of all bindings, or "yes" or "no". Seeds are the entities that the query names, also
    by a prefix. The query is the fact ``query``.

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
        if answer.has("boolean"):
            boolean = str(answer.values["boolean"]).casefold()
            if boolean not in _BOOLEANS:
                raise record.fault(f"boolean must be true or false, got {boolean!r}", code="qald.bad_boolean")
            yield _BOOLEANS[boolean]
        for binding in answer.inner("results").objects("bindings"):
            for name in binding.values:
                yield binding.inner(name).text("value")


def read_lcquad(records: Iterator[Record], dataset: str) -> Iterator[Question]:
    """Yield the questions of LC-QuAD 1.0 and 2.0.

    The question is that of the authors, else its paraphrase, else the one made from the template, without its braces.
    Seeds are the entities that the query names. The query and a paraphrase are the facts ``query`` and ``paraphrase``.
    LC-QuAD publishes queries and no answers: an event tells how many questions have none. ``answer`` and ``answers``
    are read from copies that add them.

    Raises:
        InputError: A field is missing or has another type.
    """
    without, first = 0, None
    for record in records:
        first = first or record
        question = _lcquad_question(record, dataset)
        without += not question.answers
        yield question
    if first is not None and without:
        event(
            f"{first.file}: {without:,} questions have no gold answers, because LC-QuAD publishes queries and no "
            "answers; run the fact query where the graph is, and add the column answers",
            "lcquad.no_answers",
            n=without,
        )


def _lcquad_question(record: Record, dataset: str) -> Question:
    id_ = record.text("_id" if record.has("_id") else "uid")
    query = next((name for name in ("sparql_query", "sparql_wikidata") if record.has(name)), "")
    sparql = record.text(query) if query else ""
    paraphrase = next(iter(_lcquad_texts(record, "paraphrased_question")), "")
    field = next((name for name in ("corrected_question", "question") if _is_question(record, name)), "")
    text = record.text(field) if field else paraphrase or re.sub(r"[{}]", "", record.text("NNQT_question"))
    facts = {"query": sparql, "paraphrase": paraphrase if paraphrase != text else ""}
    answers = [answer for name in ("answer", "answers") for answer in _lcquad_texts(record, name)]
    return Question(
        id=id_,
        text=text,
        seeds=_seeds(sparql),
        answers=tuple(dict.fromkeys(answers)),
        dataset=dataset,
        facts={name: value for name, value in facts.items() if value},
    )


def _is_question(record: Record, name: str) -> bool:
    """Return whether a field holds a question; some hold "n/a" instead."""
    return record.has(name) and str(record.values[name]).strip().casefold() not in ("n/a", "na")


def _lcquad_texts(record: Record, name: str) -> list[str]:
    """Return the texts of a field that is one text or a list of texts."""
    if not _is_question(record, name):
        return []
    value = record.values[name]
    return record.listed(name) if isinstance(value, list) else [record.text(name)]


def _seeds(sparql: str) -> tuple[str, ...]:
    """Return the entities that a query names, as IRIs: those in angle brackets, then those with a prefix.

    >>> _seeds("PREFIX r: <http://dbpedia.org/resource/> ASK { wd:Q1 ?p r:St._John\\\\(Jersey\\\\) . }")
    ('http://www.wikidata.org/entity/Q1', 'http://dbpedia.org/resource/St._John(Jersey)')
    """
    prefixes = _USUAL | dict(_PREFIX.findall(sparql))
    body = _PREFIX.sub(" ", sparql)
    names = [
        prefixes[prefix] + re.sub(r"\\(.)", r"\1", name)
        for prefix, name in _PREFIXED.findall(re.sub(r"<[^>\s]*>", " ", body))
        if prefix in prefixes
    ]
    return tuple(dict.fromkeys([*_RESOURCE.findall(body), *names]))
