"""Queries with the label service of Wikidata (``SERVICE wikibase:label``), written so that any store answers them."""

from __future__ import annotations

import re
from collections.abc import Collection

from graphbrick.graphs.databases.sparql.rdf_facts import listed
from graphbrick.graphs.databases.sparql.sparql_text import TOKENS
from graphbrick.graphs.records.rdf_names import ALIAS_IRI

_SERVICE = re.compile(
    r"\bSERVICE\s+(?:SILENT\s+)?(?:wikibase:label|<http://wikiba\.se/ontology#label>)\s*\{([^{}]*)\}\s*\.?",
    re.IGNORECASE,
)
_LANGUAGES = re.compile(r"""\blanguage>?\s+["']([^"']*)["']""")
_OWN = re.compile(r"(\?\w+)\s+(<[^<>\s]*>|[\w-]*:[\w-]+)\s+(\?\w+)")
_TEXTS = {"AltLabel": f"<{ALIAS_IRI}>", "Description": "<http://schema.org/description>", "Label": ""}


def without_label_service(text: str, language: str, labels: Collection[str]) -> str:
    """Return a query that reads names by itself in place of the label service; any other query as it is.

    As by the service, ``?xLabel``, ``?xDescription`` and ``?xAltLabel`` are the texts of ``?x`` in the first of the
    languages that has one. Without any, the label is the IRI.

    Args:
        text: The query.
        language: The language in place of ``[AUTO_LANGUAGE]``, or if the query names none.
        labels: The predicates that state labels.
    """
    service = _SERVICE.search(text)
    while service is not None and not _is_code(text, service.start()):
        service = _SERVICE.search(text, service.end())
    if service is None:
        return text
    named = _LANGUAGES.search(service[1])
    tags = named[1].replace("[AUTO_LANGUAGE]", language).split(",") if named else [language]
    rest = text[: service.start()] + " " * len(service[0]) + text[service.end() :]
    variables = {match[0] for match in re.finditer(r"\?\w+", rest)}
    wanted = {(x, name, _ending(predicate)) for x, predicate, name in _OWN.findall(service[1])}
    wanted |= {(name.removesuffix(end), name, end) for name in variables if (end := _ending(name))}
    patterns = [
        _pattern(x, name, end, [tag.strip() for tag in tags], labels)
        for x, name, end in sorted(wanted)
        if x in variables and name in variables
    ]
    at = _end_of_group(text, service.end())
    return text[: service.start()] + text[service.end() : at] + " ".join(patterns) + " " + text[at:]


def _is_code(text: str, at: int) -> bool:
    """Return whether a position of a query is outside of texts, IRIs and comments."""
    return not any(match["skip"] and match.start() < at < match.end() for match in TOKENS.finditer(text))


def _end_of_group(text: str, start: int) -> int:
    """Return the position of the bracket that closes the group that a position is in."""
    depth = 0
    for match in TOKENS.finditer(text, start):
        if match["open"]:
            depth += 1
        elif match["close"]:
            if depth == 0:
                return match.start()
            depth -= 1
    return len(text)


def _ending(name: str) -> str:
    """Return the kind of text that the name of a variable or predicate ends in; empty for none."""
    return next((end for end in _TEXTS if name.rstrip(">").lower().endswith(end.lower())), "")


def _pattern(x: str, name: str, ending: str, tags: list[str], labels: Collection[str]) -> str:
    """Return a pattern that binds a variable to the text of an entity in the first language that has one."""
    path = _TEXTS[ending] or listed(labels, "|")
    options, texts = [], []
    for number, tag in enumerate(dict.fromkeys([*tags, "mul", ""])):
        texts.append(f"{name}_{number}")
        options.append(f'OPTIONAL {{ {x} {path} {texts[-1]} FILTER(LCASE(LANG({texts[-1]})) = "{tag.lower()}") }}')
    texts += [] if _TEXTS[ending] else [f"STR({x})"]
    return " ".join([*options, f"BIND(COALESCE({', '.join(texts)}) AS {name})"])
