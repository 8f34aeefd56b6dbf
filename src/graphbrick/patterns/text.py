"""Relation patterns read from the text of a path: its relations and their directions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from graphbrick.core import Step
from graphbrick.language.folding import nfc, tokens
from graphbrick.language.signs import fit
from graphbrick.language.stems import WORD_OR_POSSESSIVE, spaced

Steps = tuple[tuple[str, bool], ...]
"""The relations of a pattern as labels, each with whether it is followed from head to tail."""

PLACEHOLDER = "X"
_MARK = "\0X"  # no label can hold it
_ARROW = re.compile(r"(?:^|(?<= ))(->|<-)(?= |$)")
_PUNCTUATION = re.compile(r"[\W_]+")
_NAMESPACE = re.compile(r"^(?:[a-z][a-z0-9+.-]*://.*[/#](?=.)|[A-Za-z][\w-]*:(?=[A-Za-z]))")
_CODE = re.compile(r"[pq]\d+", re.IGNORECASE)
_PREFIXES = frozenset(("rel", "rels", "prop", "pred", "r", "p"))
_YOU = r"(?:can|could|would|will|might) (?:you|anyone|anybody|someone|somebody)(?: please| kindly| maybe)?"
# «X' boss», «the neighbours' capitals»; not a word in quotation marks.
_BARE_POSSESSIVE = re.compile(rf"(?<!['\w])({PLACEHOLDER}|\w+s)'(?=\s+\w)")
_OPENING = re.compile(
    r"(?:(?:hi|hello|hey|please|so|well|ok|okay)\W+)*"
    rf"(?:{_YOU} (?:tell|show|give|remind)(?: me| us)?"
    rf"|{_YOU} (?:say|name|list|find|find out)"
    r"|(?:i|we)(?: would|'d)? (?:really )?(?:like|love|want|need|wish) to (?:know|learn|see|find out|hear|ask)"
    r"|(?:i|we)(?: am|'m| are|'re) (?:wondering|curious|asking|looking for|interested in)"
    r"|(?:i|we) (?:wonder|need|want)|i was wondering"
    r"|(?:do|would) you (?:happen to |perhaps |maybe |by chance )?know"
    r"|does (?:anyone|anybody|someone|somebody) (?:happen to )?know|any idea"
    r"|please(?: tell| show| give)?(?: me| us)?)"
    r"(?: about)?(?=\W)\W*",
    re.IGNORECASE,
)


def split_start(text: str) -> tuple[str, str]:
    """Return the label of the first entity of a path, and the rest of its text.

    >>> split_start("Nairobi <- capital <- Kenya")
    ('Nairobi', '<- capital <- Kenya')
    """
    first = _ARROW.search(text)
    return (text, "") if first is None else (text[: first.start()].strip(), text[first.start() :])


@lru_cache(maxsize=65_536)
def steps_of(walked: str) -> Steps:
    """Return the steps of the text of a path without its start; none if it is not a path.

    A name that holds an arrow between spaces is taken for two names; the text is then no path, or one of other steps.

    >>> steps_of("<- capital <- Kenya -> currency -> Kenyan shilling")
    (('capital', False), ('currency', True))
    >>> steps_of("-> starred actors -> <- starred actors <-")
    (('starred actors', True), ('starred actors', False))
    """
    arrows = list(_ARROW.finditer(walked))
    steps = []
    for first, second in zip(arrows[::2], arrows[1::2], strict=False):
        relation = walked[first.end() : second.start()].strip()
        if first.group() != second.group() or not relation:
            return ()
        steps.append((relation, first.group() == "->"))
    return () if len(arrows) % 2 else tuple(steps)


def labelled(steps: Iterable[Step]) -> Steps:
    r"""Return steps as the model knows them: a step back to the start has a relation of its own.

    >>> labelled([Step("child", True), Step("parent", True, back=True)])
    (('child', True), ('parent\x00X', True))
    """
    return tuple((f"{step.relation}{_MARK}" if step.back else step.relation, step.forward) for step in steps)


def as_labels(steps: Steps | Sequence[Step]) -> Steps:
    """Return steps as the model knows them, whether or not they already are."""
    return labelled(steps) if steps and isinstance(steps[0], Step) else steps  # type: ignore[arg-type, return-value]


@lru_cache(maxsize=65_536)  # a graph has the same patterns around many entities
def without_marks(steps: Steps) -> Steps:
    r"""Return steps as relations of the graph, without the mark of those that come back to the start.

    >>> without_marks((("child", True), ("parent\0X", True), ("posts on X", True)))
    (('child', True), ('parent', True), ('posts on X', True))
    """
    return tuple((label.removesuffix(_MARK), forward) for label, forward in steps)


def simplified(question: str) -> str:
    """Return a masked question without a polite opening, and with every possessive written «'s».

    >>> simplified("I would like to know X' boss"), simplified("Do you know who directed X?")
    ("X's boss", 'who directed X?')
    """
    question = _BARE_POSSESSIVE.sub(r"\1's", question.replace("\u2019", "'"))
    opening = _OPENING.match(question)
    return question[opening.end() :] or question if opening else question


def words_of(question: str) -> list[str]:
    """Return the words of a masked question in lower case, simplified; the placeholder stays as it is.

    >>> words_of("Can you tell me who is X's co-star?")
    ['who', 'is', 'X', "'s", 'co-star']
    """
    return [word if word == PLACEHOLDER else word.lower() for word in WORD_OR_POSSESSIVE.findall(simplified(question))]


def with_marks(labels: Sequence[str]) -> tuple[str, ...]:
    r"""Return labels of folders before version 7, where a step back to the start ended in « X».

    >>> with_marks(["child", "parent X"])
    ('child', 'parent\x00X')
    """
    return tuple(f"{label[:-2]}{_MARK}" if label.endswith(f" {PLACEHOLDER}") else label for label in labels)


@lru_cache(maxsize=65_536)
def canonical(steps: Steps, symmetric: frozenset[str]) -> Steps:
    r"""Return steps with symmetric relations forwards, so that both directions are the same.

    >>> canonical((("child", False), ("spouse\0X", False)), frozenset({"spouse"}))
    (('child', False), ('spouse\x00X', True))
    """
    if not symmetric:
        return steps
    return tuple((label, forward or label.removesuffix(_MARK) in symmetric) for label, forward in steps)


def readable(relation: str) -> str:
    """Return a relation as words; of a dotted name its type and what it says of the tail.

    >>> readable("starred_actors"), readable("film.film.starring..film.performance.actor")
    ('starred actors', 'film starring actor')
    """
    back = f" {PLACEHOLDER}" if relation.endswith(_MARK) else ""
    relation = relation.removesuffix(_MARK)
    return f"{_dotted_words(relation) or _readable(relation)}{back}"


def _dotted_words(relation: str) -> str:
    if "." not in relation:
        return ""
    from graphbrick.patterns.dotted import dotted_name  # most graphs have no such names

    dotted = dotted_name(relation)
    return "" if dotted is None else dotted.words


def _readable(relation: str) -> str:
    parts = [part for part in relation.split(".") if part]
    named = parts[-2:] if " " not in relation and len(parts) > 2 else [relation]
    return " ".join(_PUNCTUATION.sub(" ", part).strip() for part in named).strip() or relation


def local_name(relation: str) -> str:
    """Return a relation without its namespace.

    >>> local_name("dc:creator"), local_name("http://example.org/ontology#bornIn"), local_name("tier 1: owner")
    ('creator', 'bornIn', 'tier 1: owner')
    """
    return _NAMESPACE.sub("", relation)


def in_words(relation: str) -> str:
    """Return the words of a relation as people say them, without what only software needs.

    >>> [in_words(label) for label in ("isPartOf", "dc:creator", "rel_works_at", "P31 instance of", "MEMBER_OF")]
    ['is part of', 'creator', 'works at', 'instance of', 'member of']
    """
    words = spaced(readable(local_name(relation))).split()
    if len(words) > 1 and words[0].lower() in _PREFIXES:
        words = words[1:]
    plain = [word for word in words if not _CODE.fullmatch(word)] or words
    return " ".join(plain).lower()


@lru_cache(maxsize=1024)  # every hop asks again
def masked(question: str, start: str) -> str:
    """Return the question with a placeholder wherever it names the start.

    Where the name stands as it is written, only those places count: in «when was The Who formed» the first word is no
    name. Otherwise case, accents and punctuation do not count. What a question asks for then does not depend on the
    entity it asks about.

    >>> masked("which films did Élodie Yung act in?", "Elodie Yung")
    'which films did X act in?'
    >>> masked("who designed c++?", "C++")
    'who designed X?'
    """
    text, name = nfc(question), nfc(start).strip()
    if not name:
        return text
    exact, done = re.subn(rf"(?<!\w){re.escape(name)}(?!\w)", PLACEHOLDER, text)
    if done:
        return exact
    words, wanted = tokens(text), [token.text for token in tokens(name)]
    folded = [token.text for token in words]
    parts: list[str] = []
    at = ended = 0
    while wanted and at + len(wanted) <= len(folded):
        if folded[at : at + len(wanted)] == wanted:
            place = fit(text, words[at : at + len(wanted)], name)
            parts += [text[ended : place.start], PLACEHOLDER]
            at += len(wanted)
            ended = place.end
        else:
            at += 1
    return "".join([*parts, text[ended:]])
