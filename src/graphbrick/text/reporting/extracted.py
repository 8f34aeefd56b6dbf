"""Reports without a language model: the names and the central sentences, or triples, of a community."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.graph import Graph
from graphbrick.language.folding import name_form
from graphbrick.text.documents.sentences import sentences
from graphbrick.text.reporting.reports import MOST_RATING, Cited, CommunityReport, Finding

WRITERS = SENTENCES, TRIPLES = "central sentences", "central triples"
"""What writes reports without a model: on a graph made from documents, and on any other."""

_NAMES = 3  # in a title
_MEMBERS, _PASSAGES = 50, 30  # best-connected entities, and passages that mention most of them, that are looked at
_TRIPLES = 200  # triples of the best-connected entities that are looked at
_SUMMARY, _FINDINGS = 3, 5  # sentences
_LEAST_WORDS, _MOST_CHARACTERS = 4, 500
_SAME = 0.6  # share of common words from which on two sentences say the same
_AGAIN = 0.3  # worth of an entity that an earlier sentence names, as a share


class _Sentence(NamedTuple):
    text: str
    names: frozenset[int]
    cited: Cited


def extractor_of(graph: Graph) -> str:
    """Return what writes reports on a graph without a model."""
    return SENTENCES if isinstance(graph, TextGraph) else TRIPLES


def extracted_report(graph: Graph, community: int, members: Sequence[int]) -> CommunityReport | None:
    """Return a report of literal sentences of the documents, or of triples if there are no documents.

    The title has the best-connected entities. The sentences are those that name most of the entities, weighted by the
    number of triples inside the community, each counting little if an earlier sentence names it; a sentence with mostly
    the words of an earlier one is left out. Triples are chosen in the same way. The rating grows with the number of
    passages that mention the community, or of its triples.

    Args:
        graph: The graph.
        community: Number of the community.
        members: Its entities.
    """
    facts = _facts_among(graph, members)
    degree = Counter(end for ends in facts.values() for end in ends)
    best = sorted(members, key=lambda one: (-degree[one], graph.label(one), graph.key(one)))[:_MEMBERS]
    weight = {one: float(degree[one]) for one in best}
    if isinstance(graph, TextGraph):
        mentions = Counter(passage for member in members for passage in graph.mentioned_in(member).tolist())
        ranked = sorted(mentions, key=lambda one: (-mentions[one], one))[:_PASSAGES]
        picked = _picked(_sentences(graph, ranked, best), weight)
        rating = math.log1p(len(mentions)) / math.log1p(graph.n_passages)
        why = f"mentioned in {len(mentions):,} of {graph.n_passages:,} passages"
    else:
        picked = _picked(_triples(graph, facts, degree), weight, differ=False)
        rating = math.log1p(len(facts)) / math.log1p(graph.n_triples)
        why = f"{len(facts):,} of {graph.n_triples:,} triples"
    if not picked:
        return None
    summary = picked[:_SUMMARY]
    return CommunityReport(
        community,
        ", ".join(graph.label(one) for one in best[:_NAMES]),
        ("; " if summary[0].cited.triples else " ").join(one.text for one in summary),
        round(min(MOST_RATING * rating, MOST_RATING), 1),
        why,
        tuple(Finding(one.text, "", one.cited) for one in picked[_SUMMARY:]),
        Cited.union(one.cited for one in summary),
    )


def _facts_among(graph: Graph, members: Sequence[int]) -> dict[int, frozenset[int]]:
    """Return the triples among entities, each with its ends."""
    chosen = set(members)
    tails = ((triple, head, graph.triple(triple)[2]) for head in members for triple in graph.triples_from(head))
    return {triple: frozenset((head, tail)) for triple, head, tail in tails if tail in chosen}


def _triples(graph: Graph, facts: Mapping[int, frozenset[int]], degree: Mapping[int, int]) -> list[_Sentence]:
    """Return the triples of the best-connected ends as sentences, best first."""
    importance = {triple: sum(degree[end] for end in ends) for triple, ends in facts.items()}
    least = sorted(importance.values(), reverse=True)[:_TRIPLES][-1:]
    central = [(triple, graph.triple_text(triple)) for triple in facts if importance[triple] >= least[0]]
    central.sort(key=lambda one: (-importance[one[0]], one[1]))
    return [_Sentence(text, facts[one], Cited((), (one,), ())) for one, text in central[:_TRIPLES]]


def _sentences(graph: TextGraph, passages: Sequence[int], entities: Sequence[int]) -> list[_Sentence]:
    """Return the sentences of passages that name entities."""
    forms = {
        entity: [f" {form} " for name in (graph.label(entity), *graph.aliases(entity)) if (form := name_form(name))]
        for entity in entities
    }
    by_text: dict[str, _Sentence] = {}
    for passage in passages:
        text = graph.passage(passage).text
        for start, end in sentences(text):
            sentence = " ".join(text[start:end].split()).removeprefix("- ")
            is_long = len(sentence.split()) >= _LEAST_WORDS or not sentence.isascii()
            if not is_long or len(sentence) > _MOST_CHARACTERS or sentence.endswith("?") or sentence.startswith("#"):
                continue
            words = f" {name_form(sentence)} "
            names = frozenset(entity for entity, ones in forms.items() if any(form in words for form in ones))
            if names:
                cited = Cited(tuple(sorted(names)), (), (passage,))
                by_text.setdefault(sentence, _Sentence(sentence, names, cited))
    return list(by_text.values())


def _picked(left: list[_Sentence], weight: Mapping[int, float], *, differ: bool = True) -> list[_Sentence]:
    """Return the most central sentences, best first.

    Args:
        left: The sentences; those that are picked are removed.
        weight: The weight of entities; 0 for others.
        differ: Whether to leave out a sentence with mostly the words of an earlier one.
    """
    picked: list[_Sentence] = []
    named: set[int] = set()
    seen: list[set[str]] = []
    while left and len(picked) < _SUMMARY + _FINDINGS:
        worth = [sum(weight.get(one, 0.0) * (_AGAIN if one in named else 1) for one in entry.names) for entry in left]
        best = left.pop(worth.index(max(worth)))
        words = set(name_form(best.text).split())
        if differ and any(len(words & other) > _SAME * len(words | other) for other in seen):
            continue
        seen.append(words)
        picked.append(best)
        named |= best.names
    return picked
