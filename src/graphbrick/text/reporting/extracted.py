"""Reports without a language model: the names and the central sentences of a community."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from graphbrick.graphs.corpus import TextGraph
from graphbrick.language.folding import name_form
from graphbrick.text.documents.sentences import sentences
from graphbrick.text.reporting.reports import MOST_RATING, Cited, CommunityReport, Finding

WRITER = "central sentences"

_NAMES = 3  # in a title
_MEMBERS, _PASSAGES = 50, 30  # best-connected entities, and passages that mention most of them, that are looked at
_SUMMARY, _FINDINGS = 3, 5  # sentences
_LEAST_WORDS, _MOST_CHARACTERS = 4, 500
_SAME = 0.6  # share of common words from which on two sentences say the same
_AGAIN = 0.3  # worth of an entity that an earlier sentence names, as a share


class _Sentence(NamedTuple):
    text: str
    passage: int
    names: frozenset[int]


def extracted_report(graph: TextGraph, community: int, members: Sequence[int]) -> CommunityReport | None:
    """Return a report of literal sentences of the documents; None if none names a member.

    The title has the best-connected entities. The sentences are those that name most of the entities, weighted by the
    number of triples inside the community, each counting little if an earlier sentence names it; a sentence with mostly
    the words of an earlier one is left out. The rating grows with the number of passages that mention the community.

    Args:
        graph: The graph.
        community: Number of the community.
        members: Its entities.
    """
    chosen = set(members)
    degree: Counter[int] = Counter()
    for head in members:
        for triple in graph.triples_from(head):
            tail = graph.triple(triple)[2]
            if tail in chosen:
                degree.update({head, tail})
    best = sorted(members, key=lambda one: (-degree[one], graph.label(one), one))[:_MEMBERS]
    mentions = Counter(passage for member in members for passage in graph.mentioned_in(member).tolist())
    ranked = sorted(mentions, key=lambda one: (-mentions[one], one))[:_PASSAGES]
    picked = _picked(_sentences(graph, ranked, best), {one: float(degree[one]) for one in best})
    if not picked:
        return None
    rating = MOST_RATING * math.log1p(len(mentions)) / math.log1p(graph.n_passages)
    summary = picked[:_SUMMARY]
    return CommunityReport(
        community,
        ", ".join(graph.label(one) for one in best[:_NAMES]),
        " ".join(one.text for one in summary),
        round(min(rating, MOST_RATING), 1),
        f"mentioned in {len(mentions):,} of {graph.n_passages:,} passages",
        tuple(Finding(one.text, "", _cited([one])) for one in picked[_SUMMARY:]),
        _cited(summary),
    )


def _cited(chosen: Sequence[_Sentence]) -> Cited:
    return Cited.union(Cited(tuple(sorted(one.names)), (), (one.passage,)) for one in chosen)


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
                by_text.setdefault(sentence, _Sentence(sentence, passage, names))
    return list(by_text.values())


def _picked(left: list[_Sentence], weight: dict[int, float]) -> list[_Sentence]:
    """Return the most central sentences, best first."""
    picked: list[_Sentence] = []
    named: set[int] = set()
    seen: list[set[str]] = []
    while left and len(picked) < _SUMMARY + _FINDINGS:
        worth = [sum(weight[one] * (_AGAIN if one in named else 1) for one in entry.names) for entry in left]
        best = left.pop(worth.index(max(worth)))
        words = set(name_form(best.text).split())
        if any(len(words & other) > _SAME * len(words | other) for other in seen):
            continue
        seen.append(words)
        picked.append(best)
        named |= best.names
    return picked
