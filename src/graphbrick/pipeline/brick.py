"""The base class of everything that a recipe can name: checked parameters, printed as recipe text."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Container
from dataclasses import MISSING, Field, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NoReturn

from graphbrick.core.parameters import Declared, declared, default_of, refuse

if TYPE_CHECKING:
    from graphbrick.core.graph import Graph

# Sizes decide what a pipeline costs, so they are written even if they are the default.
_ALWAYS_WRITTEN = ("k", "n")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a brick, as `Brick.parameters` lists it.

    Attributes:
        name: The keyword.
        type: The annotation as text.
        default: The default as recipe text; None where the parameter must be given.
        doc: The line of the docstring about it.
        allowed: What is allowed, in words, such as "a whole number of at least 1"; empty where nothing is declared.
        example: An allowed value as recipe text.
        at_least: The lowest number allowed.
        at_most: The highest number allowed.
        above: Numbers must be higher than this.
        below: Numbers must be lower than this.
        choices: The texts allowed; any text where there are none.
        parts: The kinds of brick allowed, such as "Scorer".
        search: Values that an automatic search should try, as recipe text.
        changes_results: Whether another value can lead to other results.
        path: Whether a text may name a file or folder.
    """

    name: str
    type: str
    default: str | None
    doc: str
    allowed: str = ""
    example: str | None = None
    at_least: float | None = None
    at_most: float | None = None
    above: float | None = None
    below: float | None = None
    choices: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    search: tuple[str, ...] = ()
    changes_results: bool = True
    path: bool = False


class Brick:
    """A frozen dataclass of parameters whose ``repr`` is its recipe text.

    Subclasses are declared with ``@dataclass(frozen=True, repr=False)``, name the ``paper`` they come from, and declare
    each parameter with `graphbrick.core.parameters.parameter`, which says what is allowed. A rule about several
    parameters together is checked in ``__post_init__``, after ``super().__post_init__()``.
    """

    paper: ClassVar[str] = ""
    asks_model: ClassVar[bool] = False
    """True if it is a language model, whose calls take seconds and may cost."""

    def __post_init__(self) -> None:
        for entry in declared(type(self)):
            entry.check(self)

    def __repr__(self) -> str:
        text = self.__dict__.get("_repr")  # traces and items of evidence ask for it at every question
        if text is None:
            text = self.__dict__["_repr"] = self.text(lambda _, value: literal(value))
        return str(text)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_repr"}

    def text(
        self, write: Callable[[str, object], str], *, always: Container[str] = (), never: Container[str] = ()
    ) -> str:
        """Return the recipe text: required parameters, sizes, and those that differ from the default.

        Args:
            write: Gives the text of a parameter's value, from its name and the value.
            always: Parameters that are written even if they have their default.
            never: Parameters that are left out.
        """
        arguments = []
        for field in _fields(type(self)):
            value = getattr(self, field.name)
            if field.name in never:
                continue
            if _required(field):
                arguments.append(write(field.name, value))
            elif field.name in _ALWAYS_WRITTEN or field.name in always or value != default_of(field):
                arguments.append(f"{field.name}={write(field.name, value)}")
        return f"{type(self).__name__}({', '.join(arguments)})"

    def files(self) -> dict[str, Path]:
        """Return the existing files and folders that parameters name, by parameter.

        Their contents are part of the identity of the brick (`graphbrick.pipeline.identity`). Those are the parameters
        declared with ``path=True``; a brick that finds its files in another way overrides this.
        """
        names = {entry.name: getattr(self, entry.name) for entry in declared(type(self)) if entry.declaration.path}
        paths = {name: _existing(value) for name, value in names.items() if isinstance(value, str) and value}
        return {name: path for name, path in paths.items() if path is not None}

    def note_on(self, graph: Graph) -> str:
        """Return a note on the brick on a graph, such as that its model is older; empty for none.

        The interpreter records it as an event of the stage that the brick is, or is a part of.
        """
        return ""

    @classmethod
    def summary(cls) -> str:
        """Return the first line of the docstring."""
        return inspect.getdoc(cls).split("\n", 1)[0] if cls.__doc__ else ""  # type: ignore[union-attr]

    @classmethod
    def parameters(cls) -> list[Parameter]:
        """Return the parameters in order: type, default, range and line of the docstring of each."""
        docs = parameter_docs(inspect.getdoc(cls) or "")
        declarations = {entry.name: entry for entry in declared(cls)}
        return [_listed(field, declarations.get(field.name), docs.get(field.name, "")) for field in _fields(cls)]

    def refuse(self, name: str, allowed: str, example: object) -> NoReturn:
        """Raise the error about a parameter that contradicts others; for ``__post_init__``.

        Args:
            name: The parameter.
            allowed: The allowed values, as they follow «must be».
            example: An allowed value.
        """
        refuse(self, name, allowed, repr(example))


def _fields(cls: type[Brick]) -> tuple[Field[object], ...]:
    return fields(cls)  # type: ignore[arg-type]


def _listed(field: Field[object], entry: Declared | None, doc: str) -> Parameter:
    default = None if _required(field) else literal(default_of(field))
    if entry is None:
        return Parameter(field.name, str(field.type), default, doc)
    declaration = entry.declaration
    return Parameter(
        field.name,
        str(field.type),
        default,
        doc,
        allowed=entry.allowed(),
        example=entry.example(),
        at_least=declaration.at_least,
        at_most=declaration.at_most,
        above=declaration.above,
        below=declaration.below,
        choices=declaration.choices,
        parts=tuple(kind.__name__ for kind in entry.parts),
        search=tuple(map(literal, declaration.search)),
        changes_results=declaration.changes_results,
        path=declaration.path,
    )


def _required(field: Field[object]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _existing(text: str) -> Path | None:
    """Return the file or folder that a text names; None for a text that is not a path."""
    try:
        path = Path(text).expanduser()
        return path if path.exists() else None
    except PermissionError:
        return path  # it is reported when it is read
    except (OSError, ValueError, RuntimeError):
        return None  # too long for a name, a null character, or the home of an unknown user


def literal(value: object) -> str:
    """Return a value as recipe text."""
    # Numbers and texts of numpy print their type; recipe text has only plain literals.
    if isinstance(value, float):
        return repr(float(value))
    return repr(str(value)) if isinstance(value, str) else repr(value)


def parameter_docs(doc: str) -> dict[str, str]:
    """Return the entries of a docstring's ``Args`` section by name."""
    section = re.search(r"^Args:\n((?:[ ]+.*\n?|\n)+)", doc, re.MULTILINE)
    if section is None:
        return {}
    entries = re.findall(r"^ {4}(\w+): ((?:.+\n?)(?:^ {5,}.+\n?)*)", section.group(1) + "\n", re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in entries}
