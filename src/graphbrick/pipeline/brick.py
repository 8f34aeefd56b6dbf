"""The base of everything that can stand in a recipe: parameters only, checked when made, printed as recipe text."""

from __future__ import annotations

import difflib
import inspect
import re
import sys
from collections.abc import Iterable
from dataclasses import MISSING, Field, dataclass, fields
from typing import ClassVar

from graphbrick.core.errors import PipelineError

# The sizes say what a pipeline costs, so they are written even where they are the default.
_ALWAYS_WRITTEN = ("k", "n")
_LARGEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a brick, as `Brick.parameters` lists it.

    Attributes:
        name: The keyword.
        type: The annotation as text.
        default: The default as recipe text; None where the parameter must be given.
        doc: The line of the docstring about it.
    """

    name: str
    type: str
    default: str | None
    doc: str


class Brick:
    """A frozen dataclass of parameters whose ``repr`` is its recipe text.

    Subclasses are declared with ``@dataclass(frozen=True, repr=False)``, name the ``paper`` they come from, and check
    their parameters in ``__post_init__`` with the ``require_*`` methods.
    """

    paper: ClassVar[str] = ""

    def __repr__(self) -> str:
        arguments = []
        for field in _fields(type(self)):
            value = getattr(self, field.name)
            if _required(field):
                arguments.append(_literal(value))
            elif field.name in _ALWAYS_WRITTEN or value != _default(field):
                arguments.append(f"{field.name}={_literal(value)}")
        return f"{type(self).__name__}({', '.join(arguments)})"

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring."""
        return inspect.getdoc(cls).split("\n", 1)[0] if cls.__doc__ else ""  # type: ignore[union-attr]

    @classmethod
    def parameters(cls) -> list[Parameter]:
        """The parameters in order, with type, default and the line of the docstring about each."""
        docs = _parameter_docs(inspect.getdoc(cls) or "")
        return [
            Parameter(
                field.name,
                str(field.type),
                None if _required(field) else _literal(_default(field)),
                docs.get(field.name, ""),
            )
            for field in _fields(cls)
        ]

    def require_int(self, name: str, *, minimum: int, example: int, maximum: int = _LARGEST) -> None:
        """Raise unless the parameter is a whole number of at least ``minimum``, and small enough for the kernels."""
        value = getattr(self, name)
        if not isinstance(value, int) or isinstance(value, bool) or value < minimum:
            self._refuse(name, f"a whole number of at least {minimum}", example)
        if value > maximum:
            self._refuse(name, f"at most {maximum:,}", example)

    def require_open_unit(self, name: str, *, example: float) -> None:
        """Raise unless the parameter is a number strictly between 0 and 1."""
        value = getattr(self, name)
        if not isinstance(value, int | float) or not 0 < value < 1:
            self._refuse(name, "in (0, 1)", example)

    def require_number(self, name: str, *, minimum: float, example: float, maximum: float = float("inf")) -> None:
        """Raise unless the parameter is a finite number of at least ``minimum`` and at most ``maximum``."""
        value = getattr(self, name)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not minimum <= value <= min(maximum, sys.float_info.max):
            at_most = "" if maximum == float("inf") else f" and at most {maximum:g}"
            self._refuse(name, f"a number of at least {minimum:g}{at_most}", example)

    def require_choice(self, name: str, choices: Iterable[str]) -> None:
        """Raise unless the parameter is one of ``choices``."""
        value, allowed = getattr(self, name), list(choices)
        if value not in allowed:
            near = difflib.get_close_matches(str(value), allowed, n=1) or allowed[:1]
            self._refuse(name, f"one of {', '.join(map(repr, allowed))}", near[0])

    def require_text(self, name: str, *, example: str, may_be_empty: bool = False) -> None:
        """Raise unless the parameter is a text, and not an empty one."""
        value = getattr(self, name)
        if not isinstance(value, str) or not (value.strip() or may_be_empty):
            self._refuse(name, "a text" if may_be_empty else "a text that is not empty", example)

    def require_flag(self, name: str) -> None:
        """Raise unless the parameter is True or False."""
        if not isinstance(getattr(self, name), bool):
            self._refuse(name, "True or False", True)

    def require_part(self, name: str, kind: type[Brick], *, example: str) -> None:
        """Raise unless the parameter is a brick of ``kind``, such as a scorer."""
        value = getattr(self, name)
        if not isinstance(value, kind):
            called = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.__name__).lower()
            raise PipelineError(f"{type(self).__name__} {name} must be a {called}, got {value!r}; try {example}")

    def _refuse(self, name: str, allowed: str, example: object) -> None:
        value = getattr(self, name)
        is_long = isinstance(value, int) and value.bit_length() > 64  # too long to be worth printing, or to be printed
        shown = "a number of more than 64 bits" if is_long else repr(value)
        raise PipelineError(f"{type(self).__name__} {name} must be {allowed}, got {shown}; try {example!r}")


def _fields(cls: type[Brick]) -> tuple[Field[object], ...]:
    return fields(cls)  # type: ignore[arg-type]


def _required(field: Field[object]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _default(field: Field[object]) -> object:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _literal(value: object) -> str:
    # What came from numpy prints its type; recipe text has only plain literals.
    if isinstance(value, float):
        return repr(float(value))
    return repr(str(value)) if isinstance(value, str) else repr(value)


def _parameter_docs(doc: str) -> dict[str, str]:
    """The entries of a docstring's ``Args`` section by name."""
    section = re.search(r"^Args:\n((?:[ ]+.*\n?|\n)+)", doc, re.MULTILINE)
    if section is None:
        return {}
    entries = re.findall(r"^ {4}(\w+): ((?:.+\n?)(?:^ {5,}.+\n?)*)", section.group(1) + "\n", re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in entries}
