"""Declared parameters: one declaration of type, range and search values for all that need it.

Validation, documentation, ``graphbrick bricks``, web forms, the identity of a brick and an automatic search all read
the declaration that `parameter` makes.
"""

from __future__ import annotations

import difflib
import re
import sys
import types
import typing
from collections.abc import Iterable
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import lru_cache
from typing import Any

from graphbrick.core.errors import PipelineError, shown

_METADATA = "graphbrick"
_LARGEST = 2**31 - 1  # kernels count with 32 bits
_EXAMPLES = {"Scorer": "BM25()", "Embedder": "MiniLM()", "ChatModel": "LLM()"}


@dataclass(frozen=True, slots=True)
class Declaration:
    """The declaration made by `parameter`; see there for the attributes."""

    at_least: float | None
    at_most: float | None
    above: float | None
    below: float | None
    choices: tuple[str, ...]
    may_be_empty: bool
    path: bool
    example: object
    search: tuple[object, ...]
    changes_results: bool


_PLAIN = Declaration(None, None, None, None, (), False, False, None, (), True)


def parameter(
    default: Any = MISSING,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    above: float | None = None,
    below: float | None = None,
    choices: Iterable[str] = (),
    may_be_empty: bool = False,
    path: bool = False,
    example: object = None,
    search: Iterable[object] = (),
    changes_results: bool = True,
) -> Any:
    """Declare a parameter of a brick, as the default value of a dataclass field.

    The type comes from the annotation: int, float, str, bool, a kind of brick such as ``Scorer``, and unions of these
    with each other or with None. The text about it comes from the ``Args`` section of the docstring.

    Args:
        default: The default; a parameter without one must be given.
        at_least: The lowest number allowed.
        at_most: The highest number allowed.
        above: Numbers must be higher than this.
        below: Numbers must be lower than this.
        choices: The texts allowed; any text where there are none.
        may_be_empty: Whether an empty text is allowed.
        path: Whether a text may name a file or folder, whose contents are then part of the identity of the brick.
        example: A value that is allowed, for errors; recipe text where the parameter is a brick. The default where it
            is not given.
        search: Values that an automatic search should try.
        changes_results: Whether another value can lead to other results; False for time-outs, tries and concurrency.

    Example:
        >>> from dataclasses import dataclass
        >>> from graphbrick.pipeline.brick import Brick
        >>> @dataclass(frozen=True, repr=False)
        ... class Sample(Brick):
        ...     n: int = parameter(64, at_least=1, search=(16, 64))
        >>> Sample(n=0)
        Traceback (most recent call last):
        graphbrick.core.errors.PipelineError: Sample n must be a whole number of at least 1, got 0; try 64
    """
    declaration = Declaration(
        at_least, at_most, above, below, tuple(choices), may_be_empty, path, example, tuple(search), changes_results
    )
    return field(default=default, metadata={_METADATA: declaration})


@dataclass(frozen=True, slots=True)
class Declared:
    """A declared parameter of one class, with its types.

    Attributes:
        name: The keyword.
        types: The types of the annotation; ``type(None)`` for None.
        declaration: Its range and so on.
        default: The default; `dataclasses.MISSING` without one.
    """

    name: str
    types: tuple[type, ...]
    declaration: Declaration
    default: object

    @property
    def parts(self) -> tuple[type, ...]:
        """The kinds of brick that are allowed, such as ``Scorer``."""
        return tuple(kind for kind in self.types if kind not in (*_CHECKS, type(None)))

    def accepts(self, value: object) -> bool:
        """Return whether a value is allowed."""
        return any(
            _CHECKS[kind](value, self.declaration) if kind in _CHECKS else isinstance(value, kind)
            for kind in self.types
        )

    def allowed(self, value: object = None) -> str:
        """Return what is allowed, as the middle of a sentence; specific to ``value`` if one is refused."""
        parts = [_words(kind, self.declaration, value) for kind in self.types]
        if len(parts) < 3:
            return " or ".join(parts)
        return f"{', '.join(parts[:-1])}, or {parts[-1]}"

    def example(self, value: object = None) -> str:
        """Return an allowed value as recipe text: the choice nearest to a refused value, else the example."""
        declaration = self.declaration
        if declaration.choices and isinstance(value, str):
            return repr((difflib.get_close_matches(value, declaration.choices, n=1) or declaration.choices)[0])
        example = declaration.example if declaration.example is not None else self.default
        if example is MISSING and self.parts:
            example = _EXAMPLES.get(self.parts[0].__name__, f"{self.parts[0].__name__}()")
        return example if isinstance(example, str) and self.parts else repr(example)

    def check(self, owner: object) -> None:
        """Raise `PipelineError` unless the value that an object has is allowed."""
        value = getattr(owner, self.name)
        if not self.accepts(value):
            refuse(owner, self.name, self.allowed(value), self.example(value))


def refuse(owner: object, name: str, allowed: str, example: str) -> typing.NoReturn:
    """Raise the error about a parameter that is not allowed.

    Args:
        owner: The object that has the parameter.
        name: Its name.
        allowed: What would be allowed, after «must be».
        example: An allowed value as recipe text.
    """
    kind, value = type(owner).__name__, shown(getattr(owner, name))
    raise PipelineError(
        f"{kind} {name} must be {allowed}, got {value}; try {example}",
        code="parameter.not_allowed",
        brick=kind,
        name=name,
        allowed=allowed,
        value=value,
        example=example,
    )


def declared(owner: type) -> tuple[Declared, ...]:
    """Return the declared parameters of a dataclass, in order.

    A plain annotation with a kind of brick, as in ``scorer: Scorer``, declares one too: any brick of the kind.

    Raises:
        PipelineError: The type of one cannot be resolved, or is one that recipe text cannot hold.
    """
    return _declared(owner)


@lru_cache(maxsize=1024)
def _declared(owner: Any) -> tuple[Declared, ...]:
    entries = fields(owner)
    is_declared = any(_METADATA in entry.metadata for entry in entries)
    try:
        hints = typing.get_type_hints(owner) if entries else {}
    except NameError as error:
        if not is_declared:
            return ()
        raise PipelineError(
            f"the parameters of {owner.__name__} have a type that cannot be resolved ({error}); import it at the top "
            "of the module, not under TYPE_CHECKING",
            code="parameter.unresolved_type",
        ) from error
    return tuple(
        Declared(
            entry.name,
            _types(owner, entry, hints[entry.name]),
            entry.metadata.get(_METADATA, _PLAIN),
            default_of(entry),
        )
        for entry in entries
        if _METADATA in entry.metadata or _names_a_brick(hints[entry.name])
    )


def _names_a_brick(hint: object) -> bool:
    """Return whether an annotation is a kind of brick, or a union of kinds and None."""
    kinds = [kind for kind in _kinds(hint) if kind is not type(None)]
    return bool(kinds) and all(isinstance(kind, type) and _is_part(kind) for kind in kinds)


def _is_part(kind: type) -> bool:
    """Return whether a class is a kind of brick, which is declared in a part above this one."""
    return any((base.__module__, base.__name__) == ("graphbrick.pipeline.brick", "Brick") for base in kind.__mro__)


def _kinds(hint: object) -> tuple[object, ...]:
    """Return the parts of a union; of another annotation the annotation itself."""
    is_union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    return typing.get_args(hint) if is_union else (hint,)


def _types(owner: type, entry: Field[Any], hint: object) -> tuple[type, ...]:
    """Return the types of an annotation."""
    kinds: tuple[Any, ...] = _kinds(hint)
    for kind in kinds:
        if not isinstance(kind, type):
            raise PipelineError(
                f"{owner.__name__} {entry.name} has the type {entry.type}, which recipe text cannot hold; a parameter "
                "is an int, float, str, bool, brick or None",
                code="parameter.unwritable_type",
                name=entry.name,
            )
    return kinds


def default_of(entry: Field[Any]) -> object:
    """Return the default of a field, made by its factory if it has one."""
    return entry.default if entry.default_factory is MISSING else entry.default_factory()


def _is_int(value: object, range_: Declaration) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value <= _LARGEST and _is_inside(value, range_)


def _is_float(value: object, range_: Declaration) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return abs(value) <= sys.float_info.max and _is_inside(value, range_)  # refuses what is infinite or not a number


def _is_str(value: object, range_: Declaration) -> bool:
    if not isinstance(value, str):
        return False
    return value in range_.choices if range_.choices else bool(value.strip()) or range_.may_be_empty


def _is_bool(value: object, _: Declaration) -> bool:
    return isinstance(value, bool)


def _is_inside(value: float, range_: Declaration) -> bool:
    return (
        (range_.at_least is None or value >= range_.at_least)
        and (range_.at_most is None or value <= range_.at_most)
        and (range_.above is None or value > range_.above)
        and (range_.below is None or value < range_.below)
    )


_CHECKS = {int: _is_int, float: _is_float, str: _is_str, bool: _is_bool}


def _words(kind: type, range_: Declaration, value: object) -> str:
    """Return what one type of a parameter allows, in words."""
    if kind is type(None):
        return "None"
    if kind is bool:
        return "True or False"
    if kind is str:
        if range_.choices:
            return f"{'one of ' * (len(range_.choices) > 1)}{', '.join(map(repr, range_.choices))}"
        return "a text" if range_.may_be_empty else "a text that is not empty"
    if kind is int:
        too_large = isinstance(value, int) and value > _LARGEST and range_.at_most is None
        return f"at most {_LARGEST:,}" if too_large else _range("a whole number", range_)
    if kind is float:
        return _range("a number", range_)
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.__name__).lower()
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _range(noun: str, range_: Declaration) -> str:
    """Return a range of numbers in words, as an interval if its upper end is open."""
    low = range_.at_least if range_.above is None else range_.above
    if low is not None and range_.below is not None:
        return f"in {'[' if range_.above is None else '('}{low:g}, {range_.below:g})"
    limits = {"above": range_.above, "of at least": range_.at_least, "below": range_.below, "at most": range_.at_most}
    bounds = [f"{words} {bound:,}" for words, bound in limits.items() if bound is not None]
    if not bounds:
        return f"{noun} that is finite" if noun == "a number" else noun
    return f"{noun} {' and '.join(bounds)}"
