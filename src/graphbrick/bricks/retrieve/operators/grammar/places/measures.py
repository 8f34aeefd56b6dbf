"""How far entities are from one of them: by a number at triples that join them, or by their coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from graphbrick.bricks.retrieve.operators.measures import Attribute, Floats, Measure
from graphbrick.bricks.retrieve.operators.sets import Ints, Listed, Place
from graphbrick.bricks.retrieve.operators.triples.columns import numbers_of_triples, triple_properties
from graphbrick.bricks.retrieve.operators.triples.edges import Edges, proofs_of
from graphbrick.core.items import Item
from graphbrick.language.stems import stem
from graphbrick.patterns.properties.sources import Source, sources_of

_RADIUS = 6371.0088  # km, mean radius of the earth (IUGG)
_MILES = 1 / 1.609344  # of a km
_LATITUDE = frozenset(map(stem, "latitude lat".split()))
_LONGITUDE = frozenset(map(stem, "longitude lon lng long".split()))
_DISTANCE = frozenset(map(stem, "distance dist km kilometers kilometres miles mileage".split()))


@dataclass(frozen=True)
class AlongTriples(Measure):
    """A number at the triples that join entities to one entity, in either direction: the length of a route."""

    relation: int
    name: str
    entity: int

    def text(self, place: Place) -> str:
        """Return the measure as people read it."""
        return f"{self.name} from {place.graph.label(self.entity)}"

    def _triples(self, place: Place) -> tuple[Ints, Ints]:
        """Return the triples at the entity, and what each joins it to; those that leave it first."""
        here = Listed((self.entity,))
        out, into = Edges(self.relation, here, None), Edges(self.relation, None, here)
        triples = np.concatenate([out.run(place), into.run(place)])
        return triples, np.concatenate([out.ends(place, heads=False), into.ends(place, heads=True)])

    def of(self, place: Place, entities: Ints) -> Floats:
        """Return the number of each entity, NaN where there is none."""
        triples, others = self._triples(place)
        values = numbers_of_triples(place.graph, self.name, triples)
        others, first = np.unique(others[~np.isnan(values)], return_index=True)
        values = values[~np.isnan(values)][first]
        if not len(others):
            return np.full(len(entities), np.nan)
        at = np.minimum(np.searchsorted(others, entities), len(others) - 1)
        return np.where(others[at] == entities, values[at], np.nan)

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return the triples with their numbers."""
        triples, others = self._triples(place)
        return proofs_of(place, triples[np.isin(others, entities)], [self.name])


@dataclass(frozen=True)
class AsTheCrowFlies(Measure):
    """The great-circle distance from one entity, by degrees of latitude and longitude (haversine formula).

    Attributes:
        latitude: The latitude, in degrees.
        longitude: The longitude, in degrees.
        entity: The entity.
        in_miles: Whether it is in miles, and not in km.
    """

    is_own: ClassVar[bool] = True
    latitude: Attribute
    longitude: Attribute
    entity: int
    in_miles: bool = False

    def text(self, place: Place) -> str:
        """Return the measure as people read it."""
        return f"distance in {self.unit(place)} from {place.graph.label(self.entity)}"

    def unit(self, place: Place) -> str:
        """Return the unit."""
        return "miles" if self.in_miles else "km"

    def of(self, place: Place, entities: Ints) -> Floats:
        """Return the distance of each entity, NaN where it has no coordinates."""
        every = np.append(entities, self.entity)
        latitude, longitude = (np.radians(one.of(place, every)) for one in (self.latitude, self.longitude))
        north, east = (latitude - latitude[-1]) / 2, (longitude - longitude[-1]) / 2
        chord = np.sin(north) ** 2 + np.cos(latitude) * np.cos(latitude[-1]) * np.sin(east) ** 2
        distances: Floats = 2 * _RADIUS * (_MILES if self.in_miles else 1.0) * np.arcsin(np.sqrt(np.clip(chord, 0, 1)))
        return distances[:-1]

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return the coordinates."""
        every = np.append(entities, self.entity)
        return self.latitude.proofs(place, every) + self.longitude.proofs(place, every)


def distance_from(place: Place, entity: int, members: Ints) -> Measure | None:
    """Return how far members of a class are from an entity; None if the graph does not tell.

    It is a number at triples, unless more of the members have coordinates: routes join few of all airports.

    Args:
        place: The graph.
        entity: The entity.
        members: The members, ascending.
    """
    measures = [*_along(place, entity), *_by_coordinates(place, entity)]
    known = [int((~np.isnan(measure.of(place, members))).sum()) for measure in measures]
    return measures[known.index(max(known))] if max(known, default=0) else None


def _along(place: Place, entity: int) -> Iterator[Measure]:
    for one in triple_properties(place.graph):
        if one.is_number and _DISTANCE & one.words:
            yield from (AlongTriples(relation, one.name, entity) for relation in sorted(one.relations))


def _by_coordinates(place: Place, entity: int) -> Iterator[Measure]:
    numbers = [source for source in sources_of(place.graph) if source.literal is not None and not source.is_date]
    for latitude in (source for source in numbers if _LATITUDE.intersection(source.stems)):
        for longitude in (source for source in numbers if _LONGITUDE.intersection(source.stems)):
            if _are_alike(latitude, longitude):
                yield AsTheCrowFlies(Attribute(latitude), Attribute(longitude), entity)


def _are_alike(latitude: Source, longitude: Source) -> bool:
    """Return whether two names differ in the coordinate alone: `stop_lat`, `stop_lon`."""
    return set(latitude.stems) - _LATITUDE == set(longitude.stems) - _LONGITUDE
