"""Errors told by their codes and values, not by their words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from graphbrick.core.errors import GraphbrickError


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
    assert {name: error.values.get(name) for name in values} == values
