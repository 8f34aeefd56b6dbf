"""Errors and events by their codes and values, not by their words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.trace import Event


@contextmanager
def fails(
    code: str, kind: type[GraphbrickError] = GraphbrickError, **values: object
) -> Iterator[pytest.ExceptionInfo[GraphbrickError]]:
    """Expect an error with a code and, among its values, those given.

    Args:
        code: Such as "link.no_entity".
        kind: The class of the error.
        **values: Some or all of its values.
    """
    with pytest.raises(kind) as caught:
        yield caught
    error = caught.value
    assert error.code == code, f"{error.code!r} is not {code!r}: {error}"
    actual = {name: error.values.get(name) for name in values}
    assert actual == values, f"{actual} is not {values}: {error}"


def told(events: Iterable[str]) -> list[tuple[str, dict[str, Any]]]:
    """Return the codes and values of events."""
    return [(event.code, event.values) if isinstance(event, Event) else ("", {}) for event in events]
