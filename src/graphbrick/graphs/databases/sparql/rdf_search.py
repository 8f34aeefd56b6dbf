"""Find entities of a SPARQL graph by name: first exact matches, as many endpoints have no text index."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.trace import event
from graphbrick.graphs.databases.sparql.rdf_facts import in_triple, listed
from graphbrick.graphs.databases.sparql.rdf_survey import without_label
from graphbrick.graphs.databases.sparql.rdf_terms import Term
from graphbrick.graphs.records.rdf_names import ALIAS_IRI, local_name
from graphbrick.language.folding import name_form

if TYPE_CHECKING:
    from graphbrick.graphs.databases.sparql.rdf_graph import RdfGraph

_WORDS = 6  # of a name
_SEARCHED = 32  # words of a question
_LOCAL_WORDS = 4  # of a local name
_LITERALS = 600  # of one request
_ROWS = 200
_WORD = re.compile(r"\S+")
_EDGE = " \t\n?!.,;:'\"()[]«»“”„‘’¿¡"


def is_short(text: str) -> bool:
    """Return whether a text can be a name rather than a question."""
    return len(text.split()) <= _WORDS and not text.rstrip().endswith("?")


def spans(text: str) -> list[str]:
    """Return the parts of a text that can be names, longest first.

    >>> spans("Who rules Kenya?")
    ['Who rules Kenya?', 'Who rules Kenya', 'Who rules', 'rules Kenya', 'Who', 'rules', 'Kenya']
    """
    words = list(_WORD.finditer(text))[:_SEARCHED]
    parts = {text.strip(): None} if is_short(text) or len(words) <= _WORDS else {}
    for size in range(min(_WORDS, len(words)), 0, -1):
        for at in range(len(words) - size + 1):
            part = text[words[at].start() : words[at + size - 1].end()].strip(_EDGE)
            parts.setdefault(part.removesuffix("'s").removesuffix("’s"), None)
    return [part for part in parts if part]


def search_exact(graph: RdfGraph, text: str, n: int) -> list[Term]:
    """Return entities whose label or alias is a part of the text, in this or usual capitals; longest names first."""
    names: dict[str, None] = {}
    for part in spans(text):
        names.update(dict.fromkeys((part, part[:1].upper() + part[1:], part.title(), part.lower())))
    tags = graph.language_tags
    ranks = {tag: rank for rank, tag in enumerate(tags)}
    matches: dict[Term, tuple[str, int]] = {}
    size = max(1, _LITERALS // len(tags))
    for at in range(0, len(names), size):
        values = [Term("literal", name, language=tag).text for name in list(names)[at : at + size] for tag in tags]
        rows = graph.solutions(
            f"SELECT DISTINCT ?e ?name WHERE {{ VALUES ?name {{ {' '.join(values)} }} "
            f"{_named(graph)} {in_triple(graph.only_facts)} }} LIMIT {_ROWS + 1}",
            _ROWS,
        ).rows
        for entity, name in rows:
            if entity is not None and name is not None and graph.can_ask(entity):
                matches.setdefault(entity, (name.value, min(ranks.get(name.language, 2), 2)))
    for entity, words in _local_matches(graph, text).items():
        matches.setdefault(entity, (words, 2))

    def order(term: Term) -> tuple[int, int, int, Term]:
        name, rank = matches[term]
        return -len(name.split()), -len(name), rank, term

    return sorted(matches, key=order)[:n]


def _local_matches(graph: RdfGraph, text: str) -> dict[Term, str]:
    """Return entities whose IRI ends in a part of the text, if they have no label in the preferred language."""
    iris: dict[Term, str] = {}
    parts = [part for part in spans(text) if len(part.split()) <= _LOCAL_WORDS] if graph.unnamed_namespaces else []
    for part in parts:
        for name in _local_forms(part.split()):
            for space in graph.unnamed_namespaces:
                term = Term.of_key(space + name)
                if term is not None:
                    iris.setdefault(term, part)
    matches: dict[Term, str] = {}
    for at in range(0, len(iris), _LITERALS):
        values = " ".join(term.text for term in list(iris)[at : at + _LITERALS])
        pattern = f"VALUES ?e {{ {values} }} {without_label(graph)} {in_triple(graph.only_facts)}"
        try:
            rows = graph.solutions(f"SELECT DISTINCT ?e WHERE {{ {pattern} }} LIMIT {_ROWS + 1}", _ROWS).rows
        except GraphbrickError as error:
            event(f"IRIs that end in words of the text were not searched: {error}", "rdf_search.iris_not_searched")
            break
        matches |= {row[0]: iris[row[0]] for row in rows if row[0] in iris}
    return matches


def _local_forms(words: list[str]) -> list[str]:
    """Return how IRIs write words.

    >>> _local_forms(["meat", "topping"])
    ['meat_topping', 'Meat_topping', 'Meat_Topping', 'MeatTopping', 'meatTopping', 'meat-topping']
    """
    upper = [word[:1].upper() + word[1:] for word in words]
    lower = [word.lower() for word in words]
    rows = ["_".join(words), "_".join([upper[0], *words[1:]]), "_".join(upper), "".join(upper)]
    rows += ["".join([lower[0], *upper[1:]]), "_".join(lower), "-".join(lower)]
    return list(dict.fromkeys([*rows, *map(quote, rows)]))


def search_parts(graph: RdfGraph, text: str, n: int) -> list[Term]:
    """Return entities whose names contain a text, in any case; or whose IRI ends in it, if no name does.

    If an endpoint cannot search all names in time, the result is empty, which is an event.
    """
    name = f"{_named(graph)} {graph.contains(text.strip())} {in_triple(graph.only_facts)}"
    tail = Term("literal", "[/#]" + re.escape("_".join(text.split())).replace("_", "[_ ]|%20") + "$").text
    iri = f'?e ?p ?o FILTER(isIRI(?e) && REGEX(STR(?e), {tail}, "i"))'
    iri_of_tail = f'?s ?p ?e FILTER(isIRI(?e) && REGEX(STR(?e), {tail}, "i"))'
    try:
        for pattern in (name, f"{{ {iri} }} UNION {{ {iri_of_tail} }} {in_triple(graph.only_facts)}"):
            rows = graph.solutions(f"SELECT DISTINCT ?e ?name WHERE {{ {pattern} }} LIMIT {_ROWS + 1}", _ROWS).rows
            terms = {row[0]: row[1].value if row[1] else local_name(row[0].key) for row in rows if row[0]}
            if terms:
                form = name_form(text)
                names = sorted(terms, key=lambda term: (name_form(terms[term]) != form, len(terms[term]), term))
                return [term for term in names if graph.can_ask(term)][:n]
    except GraphbrickError as error:
        event(f"names that contain {text[:40]!r} were not searched: {error}", "rdf_search.not_searched", text=text[:40])
    return []


def _named(graph: RdfGraph) -> str:
    """Return a pattern: ?name is a label or an alias of ?e."""
    return f"VALUES ?p {{ {listed(graph.labels | {ALIAS_IRI}, ' ')} }} ?e ?p ?name"
