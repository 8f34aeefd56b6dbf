"""What earlier turns of a conversation spoke of, and which kinds of things a pronoun may stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from graphbrick.language import forms
from graphbrick.language.stems import WORD, root, spaced
from graphbrick.patterns.lexicon import STAFF
from graphbrick.serve.conversation.names import Name, type_words
from graphbrick.serve.conversation.wording import Reference

_PERSONS = frozenset(
    root(word)
    for word in (
        "person people human man woman actor actress director writer author singer politician scientist artist "
        "musician composer player athlete character king queen president philosopher"
    ).split()
)
_PLACES = frozenset(
    root(word)
    for word in (
        "place location country state nation territory region province county district city town village capital "
        "continent island river lake sea mountain airport station building area street venue settlement office "
        "headquarters branch site campus school university hospital shop store restaurant hotel museum factory "
        "department"
    ).split()
)
_EITHER = "either"
_COMPANIES = frozenset(  # of nouns for people those that companies are called too
    root(word)
    for word in (
        "customer supplier vendor client producer manufacturer carrier shipper sponsor provider partner owner "
        "distributor retailer publisher employer buyer seller contractor competitor dealer wholesaler importer "
        "exporter broker agent developer builder maker operator donor investor lender insurer payer account contact"
    ).split()
)


@dataclass(frozen=True)
class Focus:
    """Entities of a turn that later questions may refer to.

    Attributes:
        question: Its question, complete.
        names: The entities that the question names.
        answers: The entities that the reply names, without those of the question unless it names no others.
        meant: The entities that a kind of word, such as «he», stood for in the question.
        reply: The reply.
    """

    question: str
    names: tuple[Name, ...] = ()
    answers: tuple[int, ...] = ()
    meant: Mapping[str, Sequence[int]] = field(default_factory=dict)
    reply: str = ""

    @property
    def several(self) -> frozenset[int]:
        """The entities that one word stood for together, so that none of them alone was spoken of."""
        return frozenset(
            one for meant in self.meant.values() if len(meant) > 1 for one in meant if self.answers != (one,)
        )

    def entities(self, kind: str = "") -> list[int]:
        """Return all entities, the likeliest to be meant by a further question first.

        First comes the answer to a question about several, one of which it is. Then come the entities that the same
        kind of word stood for before; then the answer if there is only one, as it was named last. «It» does not mean
        one of several answers.
        """
        named = [name.entity for name in self.names]
        listed = [*self.answers, *named] if len(self.answers) == 1 else [*named, *self.answers]
        meant = self.meant.get(kind, ())
        return list(dict.fromkeys([*(meant if len(meant) == 1 else ()), *listed, *meant]))


@dataclass(frozen=True)
class Completed:
    """A question completed by a rule.

    Attributes:
        question: The complete question.
        entities: The entities that were put into it.
        reason: The change, in words.
        meant: The entities that each kind of word stands for.
        is_certain: Whether nothing else can be meant. A language model is not asked then, if the rules can also answer
            the question.
    """

    question: str
    entities: tuple[int, ...]
    reason: str
    meant: Mapping[str, Sequence[int]] = field(default_factory=dict)
    is_certain: bool = False


def fits(graph: Any, one: Reference, entity: int) -> bool:
    """Return whether the types of an entity, if it has any, let a word stand for it."""
    types = type_words(graph, entity)
    if one.kind == "that":  # «that» alone may begin a clause: «countries that border Kenya»
        return root(one.noun.lower()) in types or (not types and not one.text.lower().startswith("that"))
    if not types or one.kind not in ("he", "she", "it", "there"):
        return True
    if one.kind == "there":
        return bool(types & _PLACES) or any(map(_is_where, graph.types(entity)))
    kinds = list(map(member_of, graph.types(entity)))
    if not types & _PERSONS and _EITHER in kinds:
        return True
    is_person = bool(types & _PERSONS) or forms.PERSON in kinds
    return is_person == (one.kind in ("he", "she"))


@lru_cache(maxsize=1024)
def _is_where(label: str) -> bool:
    """Return whether one can be or work at the members of a class: offices, departments."""
    noun = " ".join(WORD.findall(spaced(label))).lower()
    return forms.is_installed() and bool(noun) and (forms.is_place(noun) or forms.kind_of(noun) == forms.GROUP)


@lru_cache(maxsize=1024)
def member_of(label: str) -> str:
    """Return "person" for a class of people, "either" for one of people or companies; "" for others.

    >>> member_of("Employee"), member_of("Supplier"), member_of("Product")
    ('person', 'either', '')
    """
    if not forms.is_installed():
        return ""
    noun = forms.head_of(" ".join(WORD.findall(spaced(label))).lower())
    if root(noun) in _COMPANIES:
        return _EITHER
    return forms.PERSON if noun in STAFF or forms.kind_of(noun) == forms.PERSON else ""
