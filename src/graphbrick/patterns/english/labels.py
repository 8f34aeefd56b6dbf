"""Relation labels read as English: what the head is to the tail, and which verb joins them."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Any

from graphbrick.language import forms
from graphbrick.patterns.dotted import DottedName, dotted_name, spoken_part
from graphbrick.patterns.text import in_words, local_name
from graphbrick.patterns.words_file import HEAD, TAIL, RelationWords

PREPOSITIONS = frozenset("by in at with for to from on into of as under over near about within through".split())
_SKIPPED = frozenset("has have is was are were be been the a an".split())
_GENERAL = frozenset(
    "place date time day number name part kind type title code value amount line side order point".split()
)
_PLACES = frozenset(("country", "nation", "state"))  # which are groups of people in the first place
_COPIES = frozenset("clone copy fork replica duplicate mirror remake imitation".split())
_NOT_ACTS = frozenset("second".split())
# Most compounds begin with a singular: «treats disease» is a verb with its object, «sports team» is not.
_PLURALS_IN_COMPOUNDS = frozenset(
    "sports arms sales goods news works savings customs games parts records rights".split()
)


def read_label(label: str) -> RelationWords:
    """Read a relation label.

    >>> read_label("directed_by").tail, read_label("directed_by").verb, read_label("directed_by").subject
    (['director', 'filmmaker'], 'direct', 'tail')
    >>> read_label("people.person.place_of_birth").tail, read_label("capital of").head
    (['place of birth', 'birthplace'], ['capital'])
    >>> read_label("leads").head, read_label("leads").verb, read_label("leads").subject
    (['leader', 'head', 'chief'], 'lead', 'head')
    >>> read_label("CbG").is_empty
    True
    >>> read_label("film.actor.film..film.performance.film").head, read_label("organizations founded").verb
    (['actor'], 'found')
    """
    dotted = dotted_name(label)
    return _read_plain(label) if dotted is None else _read_dotted(dotted)


def _read_dotted(name: DottedName) -> RelationWords:
    """Read «domain.type.property»: the type is what the head is to the tail, the property what the tail is to it.

    Of two properties the last one says what the tail is, and the first one, or else it, what joins both.
    """
    first, last = (_read_plain(spoken_part(part)) for part in (name.properties[0], name.properties[-1]))
    relation = last if last.tail or not first.tail else first
    if not relation.verb and first.verb:
        relation.verb, relation.subject, relation.preposition = first.verb, first.subject, first.preposition
    relation.tail = list(dict.fromkeys([*relation.tail, *first.tail]))
    kind = forms.singular(name.kind)
    if not relation.head and kind not in ("person", *relation.tail):
        relation.head = [kind]
    return relation


def _read_plain(label: str) -> RelationWords:
    """Read a label that has no parts."""
    tokens, is_noun = _tokens(label)
    if not tokens:
        return RelationWords()
    if len(tokens) == 1 and tokens[0] in PREPOSITIONS:  # «is on»
        return RelationWords(preposition=tokens[0])
    relation = _noun(tokens) if is_noun else _read(tokens)
    table = english_table("relations")
    usual = table.get(_key(tokens, relation)) or table.get(" ".join(tokens), {})  # «headquarters» is a noun
    relation.tail = list(dict.fromkeys([*relation.tail, *usual.get("tail", [])]))
    agents = forms.agents(relation.verb) if relation.verb else []
    # «reporter» is not what somebody who reports to a person is called.
    known = [noun for noun in relation.head if not usual.get("head") or noun not in agents or noun in usual["head"]]
    relation.head = list(dict.fromkeys([*known, *usual.get("head", [])]))
    if "verb" in usual:
        relation.verb, relation.subject, relation.preposition = usual["verb"], usual["subject"], usual["preposition"]
    return relation


def kind_in(noun: str) -> str:
    """Return the noun for a kind of thing in one for a role; "" if there is none, or it says little.

    >>> kind_in("winning team"), kind_in("country of birth"), kind_in("capital"), kind_in("release date")
    ('team', 'country', '', '')
    """
    kind = forms.head_of(noun)
    is_compound = kind != noun and forms.is_noun(kind)
    return kind if is_compound and kind not in _GENERAL and forms.kind_of(kind) != forms.PERSON else ""


def names_kind_of_tails(label: str) -> bool:
    """Return whether a label names the kind of its tails, not their role for the head.

    >>> [label for label in ("on_album", "hasWard", "director", "capital", "located_in") if names_kind_of_tails(label)]
    ['on_album', 'hasWard']
    """
    return _tokens(label)[1]


def _tokens(label: str) -> tuple[list[str], bool]:
    """Return the words of a label with a meaning, and whether they are a noun: «has tags», «on album».

    There are none if the label has no words.
    """
    local = local_name(label)
    last = local.rpartition(".")[2] if " " not in local else local
    tokens = [token for token in in_words(last).split() if not token.isdigit()]
    if is_code(last) or not any(token.isalpha() for token in tokens):
        return [], False
    is_noun = False  # what follows "has" is a thing, not something that is done
    while len(tokens) > 1 and (tokens[0] in _SKIPPED or (tokens[0] in PREPOSITIONS and len(tokens) == 2)):
        is_noun |= tokens[0] in ("has", "have") or tokens[0] in PREPOSITIONS
        tokens = tokens[1:]
    while is_noun and len(tokens) > 1 and tokens[-1] in PREPOSITIONS:
        tokens = tokens[:-1]  # "has headquarters in"
    return tokens, is_noun


def is_code(label: str) -> bool:
    """Return whether a label is letters without words, such as «CbG», «GiG» or «P31».

    >>> [label for label in ("CbG", "P31", "GPCR", "OWNS", "LED") if is_code(label)]
    ['CbG', 'P31', 'GPCR']
    """
    if re.fullmatch(r"[A-Z]+[a-z>]{1,2}[A-Z]+|[A-Za-z]{1,2}\d+", label):
        return True
    return label.isupper() and len(label) <= 4 and not forms.is_word(label.lower())


@lru_cache
def english_table(name: str) -> dict[str, Any]:
    """Return the contents of a TOML file of this package: "relations", "classes" or "frames"."""
    return tomllib.loads((files("graphbrick.patterns.english") / f"{name}.toml").read_text(encoding="utf-8"))


def _key(tokens: list[str], relation: RelationWords) -> str:
    """Return the name of a relation in relations.toml: «direct by», «place of birth», «star actor»."""
    is_verb = relation.subject == HEAD or (relation.verb and forms.participle_of(tokens[0]))
    first = relation.verb if is_verb else tokens[0]
    return forms.singular(" ".join([first, *tokens[1:]])) if len(tokens) > 1 or not relation.verb else first


def _read(tokens: list[str]) -> RelationWords:
    if len(tokens) > 1 and tokens[-1] == "of":
        return _head_of_tail(tokens[:-1])
    verb = forms.participle_of(tokens[0])
    if verb and (len(tokens) > 1 or not forms.is_noun(tokens[0])):
        return _active(verb, tokens) if _is_done_by_head(verb, tokens) else _participle(verb, tokens[1:])
    verb = forms.gerund_of(tokens[0]) if len(tokens) == 2 else ""
    if verb and forms.is_noun(tokens[1]) and forms.kind_of(tokens[1]) in (forms.PERSON, forms.GROUP):
        return RelationWords(tail=[forms.singular(" ".join(tokens))], verb=verb, subject=TAIL)  # «winning team»
    done = _done_to_several(tokens)
    if done is not None:
        return done
    verb = forms.third_person_of(tokens[0])
    has_object = len(tokens) > 1 and forms.is_noun(tokens[-1]) and tokens[0] not in _PLURALS_IN_COMPOUNDS
    if verb and (len(tokens) == 1 or tokens[1] in PREPOSITIONS or not forms.is_noun(tokens[0]) or has_object):
        return _active(verb, tokens)
    if len(tokens) == 2 and tokens[1] in PREPOSITIONS:
        return RelationWords(
            head=[forms.singular(tokens[0])] if forms.is_noun(tokens[0]) else [], preposition=tokens[1]
        )
    return _noun(tokens)


def _done_to_several(tokens: list[str]) -> RelationWords | None:
    """Read «organizations founded», «countries spoken in» and «people with this profession»; None for others."""
    if len(tokens) > 3 and tokens[-2] == "this" and tokens[-3] in (*PREPOSITIONS, "of"):
        return RelationWords(tail=[forms.singular(" ".join(tokens[:-3]))], head=[tokens[-1]])
    end = len(tokens) - (tokens[-1] in PREPOSITIONS)
    nouns, verb = " ".join(tokens[: end - 1]), forms.participle_of(tokens[end - 1]) if end > 1 else ""
    if not verb or forms.singular(nouns) == nouns or not forms.is_noun(tokens[end - 2]):
        return None
    tail, preposition = [forms.singular(nouns)], "".join(tokens[end:])
    return RelationWords(tail=tail, verb=verb, subject="" if preposition else HEAD, preposition=preposition)


def _is_done_by_head(verb: str, tokens: list[str]) -> bool:
    """Return whether a past tense says what the head did: «drove for», «played for», not «based in»."""
    if len(tokens) < 2 or tokens[1] not in PREPOSITIONS or tokens[1] == "by":
        return False
    return tokens[0] != forms.participle(verb) or verb in english_table("classes")["done_by_heads"].split()


def _head_of_tail(tokens: list[str]) -> RelationWords:
    """Read «capital of»: the head is the capital of the tail."""
    verb = forms.participle_of(tokens[0])
    return RelationWords(head=[forms.singular(" ".join(tokens[1:] if verb and len(tokens) > 1 else tokens))])


def _participle(verb: str, rest: list[str]) -> RelationWords:
    """Read «directed by», «located in», «starred actors», «born in city»."""
    if rest[:1] == ["by"]:
        nouns = [forms.singular(" ".join(rest[1:]))] if rest[1:] else []
        return RelationWords(tail=nouns or forms.agents(verb), verb=verb, subject=TAIL)
    if rest[:1] and rest[0] in PREPOSITIONS:
        nouns = [forms.singular(" ".join(rest[1:]))] if rest[1:] else forms.acts(verb)
        return RelationWords(tail=nouns, verb=verb, preposition=rest[0])
    if rest:
        noun = forms.singular(" ".join(rest))
        is_person = forms.kind_of(noun) == forms.PERSON
        words = RelationWords(tail=[noun], verb=verb, subject=TAIL if is_person else "", preposition="in")
        if is_person:  # a film that starred actors
            words.tail_questions = [f"@ {forms.past(verb)} who", f"@ {forms.past(verb)} which {forms.plural(noun)}"]
        return words
    return RelationWords(head=forms.agents(verb), verb=verb, subject=HEAD)


def _active(verb: str, tokens: list[str]) -> RelationWords:
    """Read «leads», «works in», «borders» (which may be a noun in the plural as well)."""
    rest = tokens[1:]
    preposition = rest[0] if rest and rest[0] in PREPOSITIONS else ""
    noun = " ".join(rest[1:] if preposition else rest)
    tail = [forms.singular(noun)] if noun else []
    head, noun = forms.agents(verb), forms.singular(tokens[0])
    if not rest and noun in _COPIES:
        head = [noun]  # what clones e0 is a clone of it
    elif not rest and forms.is_noun(tokens[0]) and not head:
        tail = [noun]
    return RelationWords(tail=tail, head=head, verb=verb, subject=HEAD, preposition=preposition)


def _noun(tokens: list[str]) -> RelationWords:
    """Read «spouse», «starring actors», «place of birth», «release year»."""
    noun = forms.singular(" ".join(tokens))
    relation = RelationWords(tail=[noun])
    if "of" in tokens:
        kind, act = tokens[tokens.index("of") - 1], tokens[-1]
        if forms.is_noun(act + kind) or kind == "place":
            relation.tail.append(act + kind)
    elif len(tokens) == 2:
        act, kind = tokens
    else:
        verb = forms.verb_behind(noun) if noun.endswith(("er", "or")) else ""
        if verb and verb != noun and noun in forms.agents(verb):  # «composer»: somebody who composes the head
            relation.verb, relation.subject = verb, TAIL
        return relation
    verb = forms.verb_behind(act)
    is_of_noun = verb.startswith(act) and verb != act  # «capitalize», of the noun
    if (
        verb
        and not is_of_noun
        and act not in _NOT_ACTS
        and forms.kind_of(act) != forms.PLACE
        and verb != "time"
        and (forms.kind_of(kind) in (forms.PLACE, forms.TIME) or kind in _PLACES)
    ):
        relation.verb, relation.preposition = verb, "in"
    return relation
