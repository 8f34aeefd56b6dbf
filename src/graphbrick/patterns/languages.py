"""Which of the texts of a property in several languages count in a question."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from typing import NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from graphbrick.core import Evidence, Query, Subgraph
from graphbrick.core.session import current_session
from graphbrick.core.trace import REFUSAL, event
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.patterns import Counts
from graphbrick.graphs.records.languages import TYPES, counted_tags, is_in, language_of, usual_languages
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.languages.tags import TAGS, tag_of_question

Ints = npt.NDArray[np.int64]
Ints32 = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]
Spoken: TypeAlias = Callable[[Ints32], Ints32]
_SAMPLED = 20_000  # texts of a graph whose languages are looked at
_MOST = 200_000  # texts that one plan tells apart
_COMPARED = 2_000  # ends of one pattern
_TOLD = 100  # paths whose languages are told
_PARTICLE = " in"
_NAMED = "|".join(TAGS)
_IN = Expression(
    rf"(?<! called)(?<! named)(?<! said),? (?:written )?in (?:the )?(?P<name>{_NAMED})(?: language)?(?=[?.!]*$)",
    re.IGNORECASE,
)
_OF = Expression(rf"\b(?P<name>{_NAMED}) (?=(?P<what>[a-z]+(?: [a-z]+)?) (?:of|for)\b)", re.IGNORECASE)
_OF_NAMES = Expression(
    rf"\b(?P<name>{_NAMED}) (?:name|label|title|term|word|translation)s?\b"
    rf"|\b(?:called|named|said|(?:name|label|title|term|word|translation)s? (?:of|for) .+) in (?P<said>{_NAMED})\b",
    re.IGNORECASE,
)
_NAMES = frozenset("name names label labels title titles term terms word words translation translations".split())


_CONTEXT: ContextVar[Asked | None] = ContextVar("asked languages", default=None)


class Asked(NamedTuple):
    """The languages in which a question is answered.

    Attributes:
        text: The question without the language that it names.
        wanted: Tags of languages, best first; empty for a graph without texts in a language.
        is_named: Whether the question names the first of them.
    """

    text: str
    wanted: tuple[str, ...] = ()
    is_named: bool = False


def in_asked_language(retrieve: Callable[[Query, Subgraph], Evidence], query: Query, subgraph: Subgraph) -> Evidence:
    """Return what a stage finds for a question without the language that it names, and tell in which the texts are."""
    asked = asked_languages(subgraph.graph, query.text)
    if not asked.wanted:
        return retrieve(query, subgraph)
    if name := _language_of_name(cast(Graph, subgraph.graph), query.text):
        text = f"no name is known to be {name}: a graph keeps names without their languages"
        event(f"{text}; «other names of ...» lists them all", "languages.of_names", REFUSAL)
        return Evidence()
    token = _CONTEXT.set(asked)
    try:
        evidence = retrieve(_without_language(query, asked.text, cast(Graph, subgraph.graph)), subgraph)
    finally:
        _CONTEXT.reset(token)
    tell_of_languages(evidence, asked)
    return evidence


def _language_of_name(graph: Graph, text: str) -> str:
    """Return the language in which a question asks for a name; empty for none, and where the graph has such names."""
    match = _OF_NAMES.search(text)
    name = "" if match is None else match["name"] or match["said"]
    labels = " ".join([*map(graph.relation_label, range(graph.n_relations)), *(one.name for one in graph.columns)])
    return "" if not name or graph.named(name) or name.lower() in labels.lower() else name


def _without_language(query: Query, text: str, graph: Graph) -> Query:
    """Return a question with another text, in which «Post in» of «the comment of Post in French» is Post."""
    mentions, seeds = list(query.mentions), list(query.seeds)
    for place, mention in enumerate(mentions):
        bare = mention.text[: -len(_PARTICLE)]
        named = graph.named(bare) if mention.text.endswith(_PARTICLE) and mention.text not in text else ()
        if named:
            mentions[place] = replace(mention, text=bare, entity=named[0], others=tuple(named[1:]))
            seeds = [one for one in seeds if one not in (mention.entity, *mention.others)] + list(named)
    return replace(query, text=text, mentions=tuple(mentions), seeds=tuple(seeds))


def asked_languages(graph: object, text: str) -> Asked:
    """Return in which languages a question is answered: the one it names, or is in, that of the graph, English.

    Words in English say little, as most questions are read in English only. A language is named by «in German» at the
    end of a question, or before what is asked for, as in «the German definition of»; the graph must have texts in it.
    Inside `in_asked_language`, that of its question.
    """
    if (inside := _CONTEXT.get()) is not None:
        return inside
    tags = tags_of(graph) if isinstance(graph, Graph) else frozenset()
    if not isinstance(graph, Graph) or not tags:
        return Asked(text)
    usual = usual_languages(graph)
    for expression in (_IN, _OF):
        match = None if _OF_NAMES.search(text) else expression.search(text)
        if match is not None and not graph.named(match["name"]):
            tag = TAGS[match["name"].lower()]
            is_known = is_in(tags, tag)
            if is_known and not _NAMES & set((match.groupdict().get("what") or "").split()):
                bare = text[: match.start()] + text[match.end() :]
                return Asked(bare, tuple(dict.fromkeys((tag, *usual))), is_named=True)
    own = tag_of_question(text)
    return Asked(text, tuple(dict.fromkeys((own, *usual) if own else usual)))


def tags_of(graph: Graph) -> frozenset[str]:
    """Return the tags of the languages of texts of a graph, from a sample of 20,000."""

    def look() -> frozenset[str]:
        texts = np.flatnonzero(_is_text(graph))
        return frozenset(language_of(graph.key(text)) for text in texts[:: -(-len(texts) // _SAMPLED) or 1].tolist())

    return current_session().get(("languages of texts", graph.place, graph.hash), look, at_most=16)


def _is_text(graph: Graph) -> Bools:
    """Return which entities are texts in a language, bool [entities]."""

    def look() -> Bools:
        found = np.zeros(graph.n_entities, dtype=np.bool_)
        if graph.type_table is not None:
            pointers, ids, names = graph.type_table
            numbers = [i for i in range(len(names)) if names[i] in TYPES]
            places = np.flatnonzero(np.isin(ids, numbers)) if numbers else np.zeros(0, dtype=np.int64)
            found[np.searchsorted(pointers, places, side="right") - 1] = True
        for entity, facts in graph.changes.facts.items():
            if facts.types is not None:
                found[entity] = not set(TYPES).isdisjoint(facts.types)
        return found

    return current_session().get(("texts in a language", graph.place, graph.hash), look, at_most=4)


def counts_in(subgraph: Subgraph, text: str) -> Counts | None:
    """Return what tells which local triples count in a question, for `follow`; None where all do."""
    wanted, graph, own = asked_languages(subgraph.graph, text).wanted, cast(Graph, subgraph.graph), subgraph.triples

    def counts(local: Ints, forward: bool) -> Bools:
        triples = local if own is None else own[local].astype(np.int64)
        return in_one_language(graph, triples, wanted) if forward else np.ones(len(local), dtype=np.bool_)

    return counts if wanted else None


def in_one_language(graph: Graph, triples: Ints, wanted: Sequence[str]) -> Bools:
    """Return which triples count if each head says what it says in one language.

    Args:
        graph: The graph.
        triples: Ids of triples; of a head and relation either all or one.
        wanted: Tags of languages, best first.
    """
    counted, csr = np.ones(len(triples), dtype=np.bool_), graph.csr
    texts = np.flatnonzero(_is_text(graph)[csr.tail[triples]])
    if not len(texts):
        return counted
    if len(texts) > _MOST:
        message = f"{len(texts):,} texts count in all their languages: only {_MOST:,} are told apart"
        event(message, "languages.too_many", n=len(texts), at_most=_MOST)
        return counted
    heads, relations = csr.heads(triples), csr.relation[triples]
    is_of = np.isin(heads, heads[texts]) & np.isin(relations, relations[texts])
    groups: dict[tuple[int, int], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for at in np.flatnonzero(is_of).tolist():
        groups[int(heads[at]), int(relations[at])][language_of(graph.key(int(csr.tail[triples[at]])))].append(at)
    for by_tag in groups.values():
        keep = counted_tags(by_tag, wanted)
        counted[[at for tag, places in by_tag.items() if tag not in keep for at in places]] = False
    return counted


def spoken_ends(subgraph: Subgraph, text: str) -> Spoken:
    """Return what leaves texts in other languages out of the local ids of entities at the end of a pattern.

    A text counts if one head has it in the language that counts in the question.
    """
    return partial(_spoken_ends, subgraph, asked_languages(subgraph.graph, text).wanted)


def _spoken_ends(subgraph: Subgraph, wanted: Sequence[str], ends: Ints32) -> Ints32:
    graph = cast(Graph, subgraph.graph)
    nodes = ends if subgraph.nodes is None else subgraph.nodes[ends]
    if len(ends) < 2 or not wanted or not _is_text(graph)[nodes].any():
        return ends
    keep = np.ones(len(ends), dtype=np.bool_)
    known: dict[tuple[int, int], frozenset[str]] = {}
    for at, node in enumerate(nodes[:_COMPARED].tolist()):
        if not graph.key(node).startswith('"'):
            continue
        row = graph.csr.row(node, False)
        relations = graph.csr.relation[graph.csr.in_triple[row]].tolist()
        pairs = list(zip(graph.csr.in_head[row].tolist(), relations, strict=True))
        known |= {pair: counted_tags(_tags(graph, *pair), wanted) for pair in pairs if pair not in known}
        keep[at] = any(language_of(graph.key(node)) in known[pair] for pair in pairs)
    return ends[keep]


def _tags(graph: Graph, head: int, relation: int) -> set[str]:
    """Return the languages of what a relation leads to from an entity; "" for what has none."""
    row = graph.csr.row(head, True)
    tails = graph.csr.tail[row][graph.csr.relation[row] == relation]
    texts = _is_text(graph)[tails]
    tags = {language_of(graph.key(tail)) for tail in tails[texts].tolist()}
    return tags if texts.all() else tags | {""}


def tell_of_languages(evidence: Evidence, asked: Asked) -> None:
    """Tell in which language the answers are, and in which others there are some."""
    used, others = set[str](), set[str]()
    first = next(iter(evidence.paths), None)
    for path in evidence.paths[:_TOLD]:
        graph = cast(Graph, path.graph)
        is_answer = evidence.has_answers or (first is not None and path.pattern == first.pattern)
        if is_answer and path.triples and path.forward[-1]:
            relation = int(graph.csr.relation[path.triples[-1]])
            tags = _tags(graph, path.nodes[-2], relation)
            counted = counted_tags(tags, asked.wanted)
            used |= counted & tags
            others |= tags - counted
    missing = asked.is_named and used and not is_in(used, asked.wanted[0])
    if others - used or missing:
        said = f"text in {', '.join(sorted(used - {''}))}" if used - {""} else "text without a language"
        also = sorted(others - used - {""})
        said = f"no text in {asked.wanted[0]}; {said}" if missing else said
        event(said + (f"; also in {', '.join(also)}" if also else ""), "languages.told", used=sorted(used), others=also)
