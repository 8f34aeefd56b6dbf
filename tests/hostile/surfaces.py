"""The surfaces by name, in the order in which they are tried."""

from __future__ import annotations

from asked import Questions, Recipes
from asked_models import Models
from attacked import Server
from changed_files import Documents, Readers
from damaged import Damages
from killed import Kills
from paid import Paid
from queried import Queries
from trying import Surface

SURFACES: dict[str, type[Surface]] = {
    "readers": Readers,
    "documents": Documents,
    "recipes": Recipes,
    "questions": Questions,
    "kills": Kills,
    "paid": Paid,
    "damage": Damages,
    "models": Models,
    "queries": Queries,
    "server": Server,
}
