"""Questions without an operator: the path that says all of one, and how sure the best path is."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.paths.results import evidence_of
from graphbrick.bricks.retrieve.operators.plan import Along, CannotPlanError
from graphbrick.bricks.retrieve.operators.schema.refusals import check_class, check_nouns_of_labels
from graphbrick.bricks.retrieve.operators.wording import MENTION, English
from graphbrick.bricks.retrieve.patterns.patterns import Patterns
from graphbrick.core import Evidence, Path, Query
from graphbrick.core.trace import event
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import Stems, is_plural, stem, stems
from graphbrick.language.stop_words import FUNCTION_WORDS, WHO_WHEN_WHERE
from graphbrick.language.voice import begins_at, says_way
from graphbrick.patterns.alignment.word_alignment import WordAlignment
from graphbrick.patterns.english import senses
from graphbrick.patterns.lexicon import label_stems
from graphbrick.patterns.pattern_reader import PatternReader
from graphbrick.patterns.properties.sources import has_columns
from graphbrick.patterns.text import words_of
from graphbrick.patterns.unknown_words import Reading, with_readings

_SAID = 0.9
"""The confidence of a path whose relations and classes say all that the question says: 114 of 123 were right."""
_LIKELY = 0.5
_UNTELLING = frozenset(FUNCTION_WORDS) | WHO_WHEN_WHERE
_UNREAD = 0.45  # cosine under which no word of the path means the same
_NO_WORDS = 0.6  # the nearness of a question without content words, such as «who is on X»
_ASKED_LAST = Expression(r"^(?!which |what |who ).* (?:who|whom|(?:which|what) [a-z]+)$")  # «... were in which genres»
_OF_ONE_THAT_DOES = Expression(
    r"\b(?P<do>do|does|did|has|have|had) the (?P<noun>[a-z]+) of (?P<who>e0) (?P<verb>[a-z].*)$"
)
_ASKED_NOUN = Expression(
    r"^(?:(?:who|what) (?:is|are|was|were) )?(?:the )?(?:[a-z]+ )?(?P<noun>[a-z]+) (?:of|in|at|for|that|which|who)\b"
    r"|^(?:which|what) (?P<which>[a-z]+) (?!of\b)[a-z]"
)
_SAME_ROLE = 0.65  # the least nearness of a noun for people
_ALIKE = Expression(r"\b(?:same|shares?|shared|common|other|others|also|else|similar|related|like|mutual|together)\b")
_MOST = 1_000  # answers
_PEOPLE = frozenset(("people", "persons"))
_GUESSED = 0.2  # the highest confidence of a path that leaves out a name of the question, or makes a step of its own
_READ_AS = 0.5  # that of a path by a word of the graph that means the same as one of the question
_SLOPE, _EVEN, _NAMED = 5.0, 0.63, 0.6  # see `likely`


def said_path(parser: Parser) -> Along | None:
    """Return the path that says all that a question about one entity says, and no more, if it leads anywhere."""
    if len(parser.question.entities) != 1 or _ASKED_LAST.search(parser.question.text):
        return None
    along = parser.resolver.explained(parser.question.text, parser.entities[0])
    along = None if along is None else _of_one_that_does(parser, along)
    if along is None or (parser.question.text.startswith("who ") and parser.resolver.is_no_person(along)):
        return None
    try:
        check_nouns_of_labels(parser.schema, parser.question, along.text(parser.place))
    except CannotPlanError:
        return None
    return along if len(along.run(parser.place)) else None


def _of_one_that_does(parser: Parser, along: Along) -> Along | None:
    """Return two steps for «what does the evolution of e0 evolve into», whose noun and verb one relation says."""
    match = _OF_ONE_THAT_DOES.search(parser.question.text)
    if match is None:
        return along
    words = parser.resolver.lexicon.relations[along.steps[0][0]].words
    if not parser.english.is_among(stem(match["noun"]), words):
        return along
    inner = parser.resolver.explained(f"what is the {match['noun']} of {match['who']}", parser.entities[0])
    if inner is None or not len(ends := inner.run(parser.place)):
        return None if len(along.steps) == 1 else along
    text = f"{parser.question.text[: match.start()]}{match['do']} e0 {match['verb']}"
    outer = parser.resolver.explained(text, int(ends[0]))
    if outer is None:
        return None if len(along.steps) == 1 else along
    return Along(along.start, (*inner.steps, *outer.steps), back=False)


def said_evidence(parser: Parser, cap: int, source: str) -> Evidence | None:
    """Return the path that says all that a question says, with its confidence; None if there is none."""
    said = said_path(parser)
    return None if said is None else replace(evidence_of(said, parser.place, cap, source), confidence=_SAID)


def beside_said(read: Evidence, parser: Parser, cap: int, source: str) -> Evidence:
    """Return what a learned reader found, or the path that says all of a question where that is likelier right.

    Where both lead to the same entities, the answer has the higher confidence. Where they differ, the reader is trusted
    from a confidence of .5, as it knows words that stand for two steps («X's son's parent»); but not about the way that
    something goes, because it cannot tell «into» from «from». An unlikely reading gives way to the path.

    Args:
        read: What the reader found.
        parser: The question.
        cap: Most answers of the path.
        source: What finds the path.
    """
    sure = read.confidence
    if sure is None or sure >= _SAID:
        return read
    said = said_path(parser)
    if said is None:
        return read
    best = next(iter(read.paths), None)
    if best is not None and best.start == said.start and best.pattern == said.steps:
        return replace(read, confidence=_SAID)
    text, graph = parser.question.text, parser.place.graph
    is_turned = says_way(text) and (
        len(said.steps) > 1 or begins_at(text, label_stems(graph.relation_label(said.steps[0][0]))) is not None
    )
    if sure >= _LIKELY and not is_turned:
        return read
    return replace(evidence_of(said, parser.place, cap, source), confidence=_SAID)


def likely(nearness: Sequence[float], *, is_read: bool) -> float:
    """Return the probability that the best path is right.

    Log odds are linear in the mean nearness; they were fitted to 276 questions over three graphs, and hold for 23 over
    four graphs of tables: of those with a mean under .55 a third are right, of those over .8 four of five.

    Args:
        nearness: The nearness in meaning of each content word of the question to the words of the path.
        is_read: Whether each of them is near enough to be read.

    >>> round(likely([1.0, 0.8], is_read=True), 2), round(likely([1.0, 0.2], is_read=False), 2)
    (0.79, 0.32)
    """
    mean = sum(nearness) / len(nearness) if nearness else _NO_WORDS
    return 1 / (1 + math.exp(-_SLOPE * (mean - _EVEN) + (0 if is_read else _NAMED)))


def with_confidence(
    evidence: Evidence, scorer: WordAlignment, parser: Parser, readings: Sequence[Reading] = ()
) -> Evidence:
    """Return paths with the confidence in the first, and an event that names the words that it does not read.

    Args:
        evidence: The paths.
        scorer: What ranked them.
        parser: The question.
        readings: Words of the question that were read as words of the graph.
    """
    if not evidence.paths:
        return evidence
    best, near, unread, names = _unread(evidence, scorer, parser, readings)
    nearness = near.max(axis=1, initial=0.0).tolist()
    unsaid = unsaid_steps([step.relation for step in best.steps], near)
    if unsaid:
        text = f"nothing in this question says {' and '.join(map(repr, unsaid))}"
        event(text, "operators.steps_not_said", relations=unsaid)
    sure = likely(nearness, is_read=not unread)
    sure = min(sure, _READ_AS) if readings else sure
    is_guess = bool(names or unsaid) or _says_which(parser, unread) or _goes_back(best, near, parser.question.text)
    return replace(evidence, confidence=min(sure, _GUESSED) if is_guess else sure)


def _goes_back(best: Path, near: npt.NDArray[np.float64], text: str) -> bool:
    """Return whether a path leads to others that use the same as its start, of which the question says nothing."""
    first, *others = best.pattern
    is_back = others == [(first[0], not first[1])]
    is_unsaid = near.max(axis=0, initial=0.0).min(initial=1.0) < _UNREAD
    return is_back and is_unsaid and not _ALIKE.search(text)


def _says_which(parser: Parser, unread: Sequence[str]) -> bool:
    """Return whether a word that is not read says which are meant, or how, or what: «organic products», «partially»."""
    if not has_columns(parser.place.graph):
        return False
    text, named = parser.question.text, parser.resolver.lexicon.class_named
    after = [match[1] for word in unread for match in re.finditer(rf"\b{re.escape(word)}(?:-[a-z]+)* ([a-z]+)\b", text)]
    asked = _ASKED_NOUN.match(text)
    adverbs = (word.removesuffix("ly") for word in unread if word.endswith("ly") and forms.is_installed())
    is_told = any(named(stems(noun)) for noun in after) or any(map(forms.is_word, adverbs))
    return is_told or (asked is not None and (asked["noun"] or asked["which"]) in unread)


def _unread(
    evidence: Evidence, scorer: WordAlignment, parser: Parser, readings: Sequence[Reading] = ()
) -> tuple[Path, npt.NDArray[np.float64], list[str], list[str]]:
    """Return the best path, how near each word is to each of its steps, and the words and names that it leaves unread.

    Those that it leaves unread are told.
    """
    best, text = evidence.paths[0], MENTION.sub(" ", with_readings(parser.question.text, readings))
    words = [
        word
        for word in dict.fromkeys(words_of(text))
        if word.replace("-", "").isalnum() and word not in _UNTELLING and stem(word) not in parser.english.anything
    ]
    near = scorer.nearness(words, best)
    nearness = near.max(axis=1, initial=0.0).tolist()
    along = Along(best.start, best.pattern, best.end == best.start)
    role = _role_of(parser.question.text)  # a referee is near to yellow cards, and nobody who gets one
    unread = [
        word
        for word, near in zip(words, nearness, strict=True)
        if near < (_SAME_ROLE if word == role else _UNREAD)
        and parser.resolver.unexplained(along, parser.english.content(word))
    ]
    graph = parser.place.graph
    names = [graph.label(entity) for entity in parser.question.entities if entity not in best.nodes]
    unread += names
    if unread:
        event(f"not read in this question: {' and '.join(map(repr, unread))}", "operators.words_not_read", words=unread)
    return best, near, unread, names


def _role_of(text: str) -> str:
    """Return the noun for a person that a question asks for: «who was the referee in e0»; "" for none."""
    asked = _ASKED_NOUN.match(text)
    noun = (asked["noun"] or "") if asked else ""
    return noun if noun and forms.kind_of(noun) == forms.PERSON else ""


def unsaid_steps(relations: Sequence[str], near: npt.NDArray[np.float64]) -> list[str]:
    """Return the relations of a longer path that no word of the question is left for: there the path goes astray.

    A word that means none of the steps may say one in a way that is not known. A single step needs no word.

    Args:
        relations: The relation of each step.
        near: The nearness in meaning of each content word to each step, float64 [words, steps].

    >>> relations = ["IMMUNE_TO", "ATTACKS_WITH", "CANNOT_BE"]
    >>> conditions, immune, targets = [0.2, 0.1, 1.0], [1.0, 0.3, 0.2], [0.1, 0.4, 0.1]
    >>> unsaid_steps(relations, np.array([conditions, immune]))
    ['ATTACKS_WITH']
    >>> unsaid_steps(relations, np.array([conditions, immune, targets])), unsaid_steps(["HAS"], np.zeros((0, 1)))
    ([], [])
    """
    by_step, by_word = near.max(axis=0, initial=0.0), near.max(axis=1, initial=0.0)
    unsaid = [relation for relation, nearest in zip(relations, by_step, strict=True) if nearest < _UNREAD]
    return unsaid if len(relations) > 1 and len(unsaid) > np.count_nonzero(by_word < _UNREAD) else []


def may_be_path(words: English, text: str, cues: Sequence[str]) -> bool:
    """Return whether the entities at the end of a path can answer a question that seems to call for an operator.

    A word such as «share» or «better» may be part of a path from the only entity: «films that share an actor with e0»,
    «the better half of e0». Numbers, yes or no, and what does not hold are never at its end.

    >>> from graphbrick.bricks.retrieve.operators.wording import english
    >>> texts = "which films share an actor with e0", "how many films share it with e0", "is e0 a man or a woman"
    >>> [may_be_path(english(), text, english().cues_in(text)) for text in texts]
    [True, False, True]
    """
    auxiliary = words.match("auxiliary", text) if words.match("choice", text) else None
    asking = [cue for cue in cues if auxiliary is None or cue != auxiliary[0]]
    return not asking or (
        len(MENTION.findall(text)) == 1
        and all(words.match("in_a_path", cue) or cue in words.comparatives for cue in asking)
    )


def in_words_of_graph(query: Query, parser: Parser) -> tuple[Query, list[Reading]]:
    """Return a question with words of the graph for words of the same meaning, each of them an event; and these."""
    lexicon, text = parser.resolver.lexicon, parser.question.text
    # The noun of an end, such as «purchaser», would be taken for a step along its relation.
    readings = [reading for reading in parser.near_words(text) if stems(reading.read_as) not in lexicon.roles]
    for reading in readings:
        event(str(reading), "operators.near_word", word=reading.word, read_as=reading.read_as)
    return replace(query, text=with_readings(query.text, readings)), readings


def with_asked_class(query: Query, parser: Parser) -> Query | None:
    """Return a question with a class of the graph for a noun of the same meaning that it asks for; None without one.

    The noun may be wider, such as ships for starships, but not narrower: not all people are gardeners.
    """
    noun = parser.schema.asked_noun(parser.question.text) if parser.schema.classes else ""
    if not noun or parser.schema.asked(parser.question.text):
        return None
    near = [reading for reading in parser.near_words(parser.question.text) if stem(reading.word) == noun]
    readings = [one for one in near if not senses.is_narrower(*map(forms.singular, (one.word, one.read_as)))]
    readings = [one for one in readings if _may_lead_to(parser, stems(one.read_as))]
    for reading in readings:
        event(str(reading), "operators.near_noun", word=reading.word, read_as=reading.read_as)
    return replace(query, text=with_readings(query.text, readings), mentions=()) if readings else None


def _may_lead_to(parser: Parser, noun: Stems) -> bool:
    """Return whether a noun is no role, or one that something is to an entity of the question."""
    steps = parser.resolver.steps_named(noun)
    ways = (Along(entity, (step,)) for entity in parser.entities for step in steps)
    return noun not in parser.resolver.lexicon.roles or any(len(way.run(parser.place)) for way in ways)


def path_evidence(patterns: Patterns, query: Query, parser: Parser) -> Evidence:
    """Return the paths that a patterns stage finds for a question in words of the graph, with their confidence.

    Raises:
        CannotPlanError: The best path leads to another class than the question asks for.
    """
    scorer, place = patterns.scorer, parser.place
    if isinstance(scorer, PatternReader):  # it has words of its own, and knows how sure it is
        return _read_evidence(patterns, query, parser)
    asked, readings = in_words_of_graph(query, parser)
    evidence = patterns.retrieve(asked, place.subgraph)
    check_class(parser.schema, parser.question, evidence)
    for best in evidence.paths[:1]:
        check_nouns_of_labels(parser.schema, parser.question, Along(best.start, best.pattern).text(place))
    if not isinstance(scorer, WordAlignment):
        return evidence
    return _of_asked_class(with_confidence(evidence, scorer, parser, readings), parser, repr(patterns))


def _of_asked_class(evidence: Evidence, parser: Parser, source: str) -> Evidence:
    """Return the ends of the best path that are of the class that a question asks for, where it has others as well."""
    best = next(iter(evidence.paths), None)
    targets = parser.schema.asked(parser.question.text) if best is not None and parser.schema.classes else frozenset()
    if best is None or len(targets) != 1:
        return evidence
    (name,) = targets
    along = Along(best.start, best.pattern, back=best.end == best.start, of_class=name)
    every, inside = replace(along, of_class="").run(parser.place), along.run(parser.place)
    if not 0 < len(inside) < len(every):
        return evidence
    return replace(evidence_of(along, parser.place, _MOST, source), confidence=evidence.confidence)


def _read_evidence(patterns: Patterns, query: Query, parser: Parser) -> Evidence:
    """Return the paths that a learned reader finds: those to the class that the question asks for, if it names one."""
    evidence = patterns.retrieve(query, parser.place.subgraph)
    try:
        check_class(parser.schema, parser.question, evidence)
        return _as_read(evidence, patterns, parser)
    except CannotPlanError:
        classes = parser.resolver.lexicon.classes
        asked = [classes[name] for name in parser.schema.asked(parser.question.text)]
        if not asked:
            raise
        evidence = patterns.retrieve(query, parser.place.subgraph, among=np.unique(np.concatenate(asked)))
        if not evidence.paths:
            raise
    return _as_read(evidence, patterns, parser)


def _as_read(evidence: Evidence, patterns: Patterns, parser: Parser) -> Evidence:
    """Return what a learned reader found, hardly sure where it leaves words unread over a graph with properties.

    There a word that no relation says may be one of a property: «the chance of e0 dropping e1», `dropChance`.
    """
    embedder = getattr(patterns.scorer, "embedder", None)
    if not evidence.paths or embedder is None or evidence.confidence is None or not has_columns(parser.place.graph):
        return evidence
    best, _, unread, _ = _unread(evidence, WordAlignment(embedder), parser)
    passed_by = classes_passed_by(best, parser)
    return replace(evidence, confidence=min(evidence.confidence, _GUESSED)) if unread or passed_by else evidence


def classes_passed_by(best: Path, parser: Parser) -> list[str]:
    """Return the classes that a question names and the best path does not meet: «departments of the people on e0».

    Those are told.
    """
    lexicon, graph = parser.resolver.lexicon, parser.place.graph
    met = {name for node in best.nodes for name in graph.types(node)}
    named = {
        word: lexicon.class_of_people if word in _PEOPLE else lexicon.class_named(stems(word))
        for word in words_of(MENTION.sub(" ", parser.question.text))
        if is_plural(word) or word in _PEOPLE
    }
    passed_by = [word for word, name in named.items() if name and name not in met]
    if passed_by:
        event(
            f"not read in this question: {' and '.join(map(repr, passed_by))}",
            "operators.classes_not_met",
            words=passed_by,
        )
    return passed_by
