"""Plug-ins as if a package that declares them were installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

Install = Callable[..., None]


class Point(NamedTuple):
    """An entry point as far as it is used; an error among the values is raised when it is loaded."""

    name: str
    loaded: object

    @property
    def value(self) -> str:
        return f"plugin:{self.name}"

    def load(self) -> object:
        if isinstance(self.loaded, Exception):
            raise self.loaded
        return self.loaded


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Return a function that installs values in a group, by name; they are gone after the test."""

    from graphbrick import recipes
    from graphbrick.core import plugins

    def forget() -> None:
        for cached in (plugins.plugins, plugins._accepted, recipes.all_recipes):
            cached.cache_clear()

    def put(kind: str, **values: object) -> None:
        points = [Point(name, value) for name, value in values.items()]
        monkeypatch.setattr(plugins, "entry_points", lambda group: points if group == f"graphbrick.{kind}" else [])
        forget()

    yield put
    monkeypatch.undo()
    forget()
