"""The triples of a small organisation."""

from __future__ import annotations

PEOPLE = ("Ada Marsh", "Ben Okoro", "Carla Diaz", "Dev Patel", "Erik Holm", "Fiona Reed", "Gus Lind", "Hana Sato")
TRIPLES = [
    *((person, "works in", f"Team {number % 3}") for number, person in enumerate(PEOPLE)),
    *((person, "reports to", PEOPLE[number // 2]) for number, person in enumerate(PEOPLE) if number),
    *((f"Team {number}", "part of", ("Engineering", "Finance")[number % 2]) for number in range(3)),
    ("Erik Holm", "leads", "Engineering"),
    ("Fiona Reed", "leads", "Finance"),
    *((f"Team {number}", "owns", f"Service {number}{letter}") for number in range(3) for letter in "ab"),
]
