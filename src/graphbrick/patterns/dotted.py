"""Relation names of the form «domain.type.property», as in Freebase; two of them joined by «..» are one step."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class DottedName:
    """The parts of a dotted name.

    Attributes:
        type_name: The type of its heads with its domain, such as «film.actor».
        properties: What the tail is to the head, such as «film»; two of a relation over an entity without a name.
    """

    type_name: str
    properties: tuple[str, ...]

    @property
    def kind(self) -> str:
        """What a head is called."""
        return spoken_part(self.type_name.rpartition(".")[2])

    @property
    def words(self) -> str:
        """The type without its domain and the properties, each once."""
        return " ".join(dict.fromkeys([self.kind, *map(spoken_part, self.properties)]))


@lru_cache(maxsize=8192)
def dotted_name(label: str) -> DottedName | None:
    """Return the parts of a dotted name; None for a label of another form.

    >>> dotted_name("film.actor.film..film.performance.film")
    DottedName(type_name='film.actor', properties=('film', 'film'))
    >>> dotted_name("people.person.spouse_s..people.marriage.spouse").words
    'person spouse'
    """
    halves = [half.split(".") for half in label.split("..")]
    if " " in label or "/" in label or ":" in label or not all(len(half) > 2 and all(half) for half in halves):
        return None
    return DottedName(".".join(halves[0][:-1]), tuple(half[-1] for half in halves))


def spoken_part(part: str) -> str:
    """Return a part of a dotted name as words; «_s» at its end says that there may be several.

    >>> spoken_part("release_date_s"), spoken_part("place_of_birth")
    ('release date', 'place of birth')
    """
    words = part.lower().replace("_", " ").split()
    return " ".join(words[:-1] if len(words) > 1 and words[-1] == "s" else words)
