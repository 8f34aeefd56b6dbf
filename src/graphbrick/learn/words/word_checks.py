"""Rules for words of a language model: words, new, of one end, and said both times."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from graphbrick.language import forms
from graphbrick.language.stems import Stems, stems
from graphbrick.language.stop_words import ARTICLES
from graphbrick.learn.words.model_requests import HEAD_QUESTIONS, NAMES, TAIL_QUESTIONS, Class, Pair, Proposal
from graphbrick.models.llm.replies.replies import plain
from graphbrick.patterns.english.labels import PREPOSITIONS, is_code
from graphbrick.patterns.words.phrasebook import NAMELESS, Phrasebook
from graphbrick.patterns.words_file import HEAD, TAIL, question_frame

_NOUN = re.compile(r"[^\W\d_]+(?:[ '-][^\W\d_]+){0,3}")
_LONGEST_NOUN, _LONGEST_QUESTION = 40, 14  # characters, words
_EMPTY = frozenset(
    {*NAMELESS, *"entity object subject relation head tail first second noun name something someone other".split(),
     *"none blank answer question word type fact example".split()}
)  # fmt: skip
_VERBS = frozenset("has have is was are were be".split())
_ASKING = frozenset("who whom whose what which where when".split())
OTHER = {TAIL: HEAD, HEAD: TAIL, TAIL_QUESTIONS: HEAD_QUESTIONS, HEAD_QUESTIONS: TAIL_QUESTIONS}
"""The same field of the other end."""
_REPEATED = "the label says it already"


def agreed(both: Iterable[Sequence[Proposal]], rules: Phrasebook) -> tuple[list[Proposal], list[tuple[Proposal, str]]]:
    """Return the proposals that are fit to be taken, and the others with the reason.

    Args:
        both: What the model proposes when triples are shown from the head, and when they are shown from the tail.
        rules: What the labels alone say; a proposal that repeats it is in neither result.
    """
    proposed, refused = list[dict[Proposal, None]](), dict[Proposal, str]()
    for is_reversed, raw in enumerate(both):
        proposed.append({})
        for proposal, reason in (_tidied(one, is_reversed=bool(is_reversed)) for one in raw):
            reason = reason or _known(proposal, rules)
            if reason == _REPEATED:
                continue
            if reason:
                refused[proposal] = reason
            else:
                proposed[-1][proposal] = None
    fits = list[Proposal]()
    for proposal in dict.fromkeys(one for each in proposed for one in each):
        other = proposal._replace(field=OTHER.get(proposal.field, ""))
        if any(other in each for each in proposed) and not _is_symmetric(proposal):
            refused[proposal] = "it fits both ends"
        elif not all(proposal in each for each in proposed):
            refused[proposal] = "not said again with the triple reversed"
        else:
            fits.append(proposal)
    return fits, list(refused.items())


def _tidied(proposal: Proposal, *, is_reversed: bool) -> tuple[Proposal, str]:
    """Return a proposal in the form of the file of words, and why it is refused; "" if it is not."""
    about, field, text = proposal
    if isinstance(about, Class):
        tidy, reason = _noun(text, about.other_members if is_reversed else about.members)
        return Proposal(about, field, tidy), reason
    pair = about.shown_reversed if is_reversed else about.shown
    if field in (TAIL, HEAD):
        tidy, reason = _noun(text, pair)
        if not reason and stems(tidy) == stems(about.label) and is_code(about.label):
            reason = "it repeats the label"
        return Proposal(about, field, tidy), reason
    # A question is about the one entity that it names, whatever the model thinks.
    named = [name for name in pair if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)]
    if len(named) != 1:
        return proposal, "it does not name one of the two entities"
    field = TAIL_QUESTIONS if named == [pair.head] else HEAD_QUESTIONS
    tidy, reason = _question(text, named[0])
    return Proposal(about, field, tidy), reason


def _known(proposal: Proposal, rules: Phrasebook) -> str:
    """Return why a noun contradicts the label and is refused; "" if it does not."""
    about, field, text = proposal
    if isinstance(about, Class) or field not in (TAIL, HEAD):
        return ""
    entry = rules.relations[about.label]
    if stems(text) in map(stems, getattr(entry, field)):
        return _REPEATED
    if stems(text) in map(stems, getattr(entry, OTHER[field])) and not about.is_symmetric:
        return "the label says it of the other end"
    return ""


def _is_symmetric(proposal: Proposal) -> bool:
    return not isinstance(proposal.about, Class) and proposal.about.is_symmetric


def shared(proposals: Iterable[Proposal], book: Phrasebook) -> set[Proposal]:
    """Return the proposals whose words another relation, or another class, has as well or is proposed for."""
    users = defaultdict[tuple[str, Stems], set[str | int]](set)
    for label, entry in book.relations.items():
        for field in (TAIL, HEAD, TAIL_QUESTIONS, HEAD_QUESTIONS):
            for text in getattr(entry, field):
                if f"{field}: {text}" not in entry.by_model:
                    users[_kind(field), stems(text)].add(label)
    for at, one in enumerate(book.classes):
        for name in one.names:
            if name not in one.by_model:
                users[NAMES, stems(name)].add(at)
    chosen = list(proposals)
    for proposal in chosen:
        users[_kind(proposal.field), stems(proposal.text)].add(_key(proposal))
    return {one for one in chosen if len(users[_kind(one.field), stems(one.text)]) > 1}


def _kind(field: str) -> str:
    return {TAIL: "noun", HEAD: "noun", NAMES: NAMES}.get(field, "question")


def _key(proposal: Proposal) -> str | int:
    return proposal.about.at if isinstance(proposal.about, Class) else proposal.about.label


def _noun(text: str, names: Iterable[str]) -> tuple[str, str]:
    """Return a noun phrase in the singular, and why it is refused."""
    pieces = plain(text.replace("_", " ")).strip(" .").split()
    while pieces and pieces[0].lower() in ARTICLES["english"]:
        pieces = pieces[1:]
    noun = " ".join(pieces)
    if not _NOUN.fullmatch(noun) or len(noun) > _LONGEST_NOUN:
        return noun, "it is not a word"
    if any(name.lower() in noun.lower() for name in names):
        return noun, "it is a name of the example"
    lower = forms.singular(noun.lower())
    inside = lower.split()
    if _VERBS.intersection(inside) or (PREPOSITIONS - {"of"}).intersection(inside) or inside[-1] == "of":
        return lower, "it is not a noun"
    if not forms.may_be_noun(forms.head_of(lower)):
        return lower, "it is not a noun"
    return lower, "it says nothing" if _EMPTY.intersection(inside) else ""


def _question(text: str, known: str) -> tuple[str, str]:
    """Return a question with ``@`` for the entity that is known, and why it is refused."""
    line = plain(text)
    frame = question_frame(re.sub(rf"(?<!\w){re.escape(known)}(?!\w)", "@", line, flags=re.IGNORECASE))
    words = frame.split()
    if not frame or len(words) > _LONGEST_QUESTION or not _ASKING.intersection(words):
        return frame or line, "it is not a short question"
    return frame, "" if set(words) - _ASKING - _VERBS - {*ARTICLES["english"], "@", "'s"} else "it says nothing"


def same_meaning(shown: Pair) -> bool:
    """Return whether the two ends of a triple cannot be told apart by their labels."""
    head, tail = shown.head.lower(), shown.tail.lower()
    return head in tail or tail in head
