"""The public names of the package of judges."""

from __future__ import annotations

import graphbrick.judge as package


def test_every_public_name_can_be_imported_from_the_package() -> None:
    homes = {name: getattr(package, name).__module__ for name in package.__all__}
    assert all(home.startswith("graphbrick.judge.") for home in homes.values())
    assert sorted(package.__all__) == list(package.__all__)
