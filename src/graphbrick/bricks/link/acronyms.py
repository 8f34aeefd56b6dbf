"""Names by their initials: «ICU» for Intensive Care Unit."""

from __future__ import annotations

from collections.abc import Mapping

from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.language.folding import nfc, tokens
from graphbrick.language.stems import spaced
from graphbrick.language.stop_words import FUNCTION_WORDS

ByInitials = Mapping[str, tuple[int, ...]]
_FEWEST, _MOST = 2, 6  # letters
_MOST_ENTITIES = 300_000  # of a graph whose names are read for their initials: half a second


def meant_by(graph: Graph, text: str) -> list[int]:
    """Return the entities whose initials are a word in capitals, such as «ICU»; none for another word.

    Small words of a name may have a letter or none: «UoC» and «UC» for University of California. Names of two
    words are left out if they are those of people, or if the graph has no types. In graphs of more than 300,000
    entities nothing is looked for.
    """
    is_one = _FEWEST <= len(text) <= _MOST and text.isalpha() and text.isascii() and text[0].isupper()
    if not is_one or sum(letter.isupper() for letter in text) < _FEWEST:
        return []
    if graph.n_entities > _MOST_ENTITIES:
        message = (
            f"{text!r} was not compared with initials of names, as the graph has more than {_MOST_ENTITIES:,} entities"
        )
        event(message, "link.initials_not_read", name=text, at_most=_MOST_ENTITIES)
        return []
    every, large = _by_initials(graph)
    return list(every.get(text.lower(), ()) or large.get(text.lower(), ()))


def _by_initials(graph: Graph) -> tuple[ByInitials, ByInitials]:
    """Return the entities by the initials of all words of their labels, and by those of large words alone.

    A session reads them once.
    """

    from graphbrick.language.forms import PERSON, kind_of

    def read() -> tuple[ByInitials, ByInitials]:
        found = dict[str, tuple[int, ...]](), dict[str, tuple[int, ...]]()
        for entity in range(graph.n_entities):
            types = graph.types(entity)
            is_person = any(kind_of(spaced(name).lower()) == PERSON for name in types)
            fewest = _FEWEST if types and not is_person else _FEWEST + 1
            for by_initials, initials in zip(found, _initials(graph.label(entity)), strict=True):
                if len(initials) >= fewest:
                    by_initials[initials] = (*by_initials.get(initials, ()), entity)
        return found

    return current_session().get(("initials", graph.place, graph.hash), read, at_most=2)


def _initials(label: str) -> tuple[str, str]:
    """Return the first letters of all words of a label, and of its large words; empty for a label of other forms."""
    words = [token.text for token in tokens(nfc(label))]
    if not _FEWEST <= len(words) <= 2 * _MOST or any(word.isdigit() for word in words):
        return "", ""
    return "".join(word[0] for word in words), "".join(word[0] for word in words if word not in FUNCTION_WORDS)
