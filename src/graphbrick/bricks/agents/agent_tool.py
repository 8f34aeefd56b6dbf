"""Tools of agents: typed Python functions with a JSON schema of their arguments."""

from __future__ import annotations

import difflib
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, overload

from graphbrick.core import Item
from graphbrick.core.errors import GraphbrickError, PipelineError
from graphbrick.models.llm.messages import Tool
from graphbrick.pipeline.brick import parameter_docs

Given: TypeAlias = Mapping[str, Any] | Sequence[Any]
"""Arguments as a model wrote them: by name, or in order."""


_LONGEST_TEXT, _LONGEST_LIST = 10_000, 200  # characters, and names, of one argument


class AdviceError(GraphbrickError):
    """Wrong arguments of a tool; the model reads the message, which says what to do instead."""


class Walked(NamedTuple):
    """A triple as a tool followed it.

    Attributes:
        start: The entity it was followed from.
        relation: The relation.
        end: The entity it leads to.
        forward: Whether it was followed from head to tail.
    """

    start: int
    relation: int
    end: int
    forward: bool

    @property
    def triple(self) -> tuple[int, int, int]:
        """Head, relation and tail."""
        return (self.start, self.relation, self.end) if self.forward else (self.end, self.relation, self.start)


@dataclass(frozen=True)
class Observation:
    """The result of a tool.

    Attributes:
        text: What the model reads. If there are nodes, the name of their list is put before it.
        nodes: The nodes of the result, which become a named list; None if the result is not a set of nodes.
        walked: The triples that were followed; those from ``n_shown`` on stand in the list but not in the text.
        n_shown: How many of ``walked`` are shown in the text; None for all.
        items: Other evidence that the text shows, such as rows.
        answer: What the agent named as its answer; None for every tool but ``finish``.
        note: A note for the scratch pad.
    """

    text: str
    nodes: tuple[int, ...] | None = None
    walked: tuple[Walked, ...] = ()
    n_shown: int | None = None
    items: tuple[Item, ...] = ()
    answer: tuple[str, ...] | None = None
    note: str = ""


class Argument(NamedTuple):
    """An argument of a tool.

    Attributes:
        name: Its name.
        kind: The type: str, int, bool or list; a list holds texts.
        choices: The texts that are allowed; empty for any.
        default: The default; `inspect.Parameter.empty` if it must be given.
        doc: What it is.
    """

    name: str
    kind: type
    choices: tuple[str, ...]
    default: Any
    doc: str

    @property
    def is_required(self) -> bool:
        """True if a call must give it."""
        return self.default is inspect.Parameter.empty

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema."""
        names = {str: "string", int: "integer", bool: "boolean", list: "array"}
        schema: dict[str, Any] = {"type": names[self.kind], "description": self.doc}
        if self.kind is list:
            schema["items"] = {"type": "string"}
        if self.choices:
            schema["enum"] = list(self.choices)
        if not self.is_required:
            schema["default"] = self.default
        return schema


@dataclass(frozen=True)
class AgentTool:
    """A tool that an agent can call; `tool` makes one of a function.

    Attributes:
        name: The name that models use.
        description: What it does and when to use it.
        arguments: Its arguments, in order.
        function: Called with the workspace and the arguments by name; returns an `Observation`.
        needs_query_language: Whether it works only on graphs with a query language.
        needs_properties: Whether it works only on graphs with properties of entities.
    """

    name: str
    description: str
    arguments: tuple[Argument, ...]
    function: Callable[..., Observation]
    needs_query_language: bool = False
    needs_properties: bool = False

    def declaration(self) -> Tool:
        """Return the tool as a model with tool calls of its own reads it."""
        schema = {
            "type": "object",
            "properties": {argument.name: argument.schema() for argument in self.arguments},
            "required": [argument.name for argument in self.arguments if argument.is_required],
            "additionalProperties": False,
        }
        return Tool(self.name, self.description, schema)

    @property
    def usage(self) -> str:
        """The form of a call, such as ``search[text, n=10]``."""
        parts = [a.name if a.is_required else f"{a.name}={a.default!r}" for a in self.arguments]
        return f"{self.name}[{', '.join(parts)}]"

    def bind(self, given: Given) -> dict[str, Any]:
        """Return the arguments of a call by name, each with its type.

        Args:
            given: What the model wrote, by name or in order.

        Raises:
            AdviceError: An argument is missing, unknown or of a wrong type.
        """
        named = given if isinstance(given, Mapping) else self._in_order(given)
        known = {argument.name: argument for argument in self.arguments}
        lowered = {name.lower(): name for name in known}
        bound: dict[str, Any] = {}
        for name, value in named.items():
            right = name if name in known else lowered.get(str(name).lower().strip())
            if right is None:
                raise AdviceError(
                    f"{self.name} has no argument {name!r}{did_you_mean(name, known)}; use {self.usage}",
                    code="tool.unknown_argument",
                    argument=name,
                )
            if value is not None:
                bound[right] = _coerced(self, known[right], value)
        missing = [name for name, argument in known.items() if argument.is_required and name not in bound]
        if missing:
            raise AdviceError(
                f"{self.name} needs {' and '.join(missing)}; use {self.usage}",
                code="tool.missing_arguments",
                arguments=tuple(missing),
            )
        return bound

    def _in_order(self, written: Sequence[Any]) -> dict[str, Any]:
        """Return arguments given in order by name; commas of names make too many of them, which are joined."""
        values = list(written)
        if self.arguments and self.arguments[0].kind is list and not any(isinstance(v, list) for v in values):
            values = [values]  # finish["a", "b"]
        while len(values) > 1 and not self._fits(values) and all(isinstance(value, str) for value in values[:2]):
            values[:2] = [", ".join(values[:2])]  # a name with a comma
        if len(values) > len(self.arguments):
            raise AdviceError(
                f"{self.name} takes {len(self.arguments)} arguments, got {len(values)}; use {self.usage}",
                code="tool.too_many_arguments",
                n=len(values),
            )
        return {argument.name: value for argument, value in zip(self.arguments, values, strict=False)}

    def _fits(self, values: Sequence[Any]) -> bool:
        """Return whether values in order can be arguments, by their number and kind."""
        return len(values) <= len(self.arguments) and all(
            (argument.kind is not int or str(value).strip().isdigit())
            and (not argument.choices or str(value).strip().lower() in argument.choices)
            for argument, value in zip(self.arguments, values, strict=False)
        )


@overload
def tool(function: Callable[..., Observation]) -> AgentTool: ...


@overload
def tool(
    *, name: str = "", needs_query_language: bool = False, needs_properties: bool = False
) -> Callable[[Callable[..., Observation]], AgentTool]: ...


def tool(
    function: Callable[..., Observation] | None = None,
    *,
    name: str = "",
    needs_query_language: bool = False,
    needs_properties: bool = False,
) -> AgentTool | Callable[[Callable[..., Observation]], AgentTool]:
    """Make a tool of a function whose first parameter is the workspace.

    The name of the function is the name of the tool, the first paragraph of its docstring the description, and the
    ``Args`` section tells what the arguments are. Arguments are ``str``, ``int``, ``bool``, ``list[str]`` or a
    ``Literal`` of texts.

    Args:
        function: The function; returns an `Observation`, or raises `AdviceError` if the arguments are wrong.
        name: The name of the tool; by default that of the function.
        needs_query_language: Whether it works only on graphs with a query language.
        needs_properties: Whether it works only on graphs with properties of entities.

    Example:
        >>> @tool
        ... def label(work, entity: str) -> Observation:
        ...     '''Return the label of a node.
        ...
        ...     Args:
        ...         entity: The node.
        ...     '''
        ...     return Observation(work.graph.label(work.entity(entity)))
        >>> label.usage, label.declaration().schema["required"]
        ('label[entity]', ['entity'])
    """
    if function is None:
        return lambda decorated: _made(decorated, name, needs_query_language, needs_properties)
    return _made(function, name, needs_query_language, needs_properties)


def _made(
    function: Callable[..., Observation], name: str, needs_query_language: bool, needs_properties: bool
) -> AgentTool:
    doc = inspect.getdoc(function) or ""
    docs = parameter_docs(doc)
    parameters = list(inspect.signature(function).parameters.values())[1:]
    hints = typing.get_type_hints(function, localns={"Workspace": Any})
    arguments = tuple(
        Argument(p.name, *_kind(function.__name__, p.name, hints.get(p.name, str)), p.default, docs.get(p.name, ""))
        for p in parameters
    )
    description = " ".join(doc.split("\n\n", 1)[0].split())
    return AgentTool(
        name or function.__name__, description, arguments, function, needs_query_language, needs_properties
    )


def _kind(owner: str, name: str, hint: Any) -> tuple[type, tuple[str, ...]]:
    """Return the type of an argument and its choices."""
    if typing.get_origin(hint) is Literal:
        return str, typing.get_args(hint)
    if typing.get_origin(hint) is list:
        return list, ()
    if hint in (str, int, bool):
        return hint, ()
    raise PipelineError(
        f"argument {name} of the tool {owner} has the type {hint!r}; tools take str, int, bool, list[str] and Literal",
        code="tool.bad_type",
        argument=name,
    )


def _coerced(owner: AgentTool, argument: Argument, value: Any) -> Any:
    """Return a value with the type of its argument."""
    if isinstance(value, list | tuple) and argument.kind is not list and len(value) == 1:
        value = value[0]
    if argument.kind is list:
        values = value if isinstance(value, list | tuple) else [value]
        if len(values) > _LONGEST_LIST:
            raise AdviceError(
                f"{argument.name} of {owner.name} takes at most {_LONGEST_LIST:,} names, got {len(values):,}; give the "
                "name of a list, such as L1",
                code="tool.long_list",
                argument=argument.name,
                n=len(values),
            )
        return [_text(owner, argument, entry) for entry in values]
    if argument.kind is str:
        text = _text(owner, argument, value)
        if argument.choices and text not in argument.choices:
            near = next((choice for choice in argument.choices if choice == text.lower()), None)
            if near is None:
                raise AdviceError(
                    f"{argument.name} of {owner.name} is one of {', '.join(argument.choices)}, got {text!r}",
                    code="tool.bad_choice",
                    argument=argument.name,
                )
            return near
        return text
    try:
        if argument.kind is bool:
            return {"true": True, "false": False}[str(value).lower().strip()]
        is_whole = isinstance(value, float) and value.is_integer()
        number = int(value) if is_whole else int(str(value).strip())
    except (KeyError, ValueError):
        wanted = "true or false" if argument.kind is bool else "a whole number"
        raise AdviceError(
            f"{argument.name} of {owner.name} is {wanted}, got {value!r:.80}; use {owner.usage}",
            code="tool.bad_value",
            argument=argument.name,
        ) from None
    if not 1 <= number <= 10_000:
        raise AdviceError(
            f"{argument.name} of {owner.name} is a whole number from 1 to 10,000, got {number!r:.80}",
            code="tool.bad_number",
            argument=argument.name,
        )
    return number


def _text(owner: AgentTool, argument: Argument, value: Any) -> str:
    if isinstance(value, str | int | float | types.NoneType):
        text = "" if value is None else str(value).strip()
        if len(text) > _LONGEST_TEXT:
            raise AdviceError(
                f"{argument.name} of {owner.name} takes at most {_LONGEST_TEXT:,} characters, got {len(text):,}",
                code="tool.long_text",
                argument=argument.name,
                n=len(text),
            )
        return text
    raise AdviceError(
        f"{argument.name} of {owner.name} is a text, got {value!r:.80}; use {owner.usage}",
        code="tool.not_text",
        argument=argument.name,
    )


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return a hint at the nearest names, to end a message with; empty if none is near.

    >>> did_you_mean("capitol", ["capital", "currency"])
    '; did you mean capital?'
    """
    forms = {str(known).lower(): str(known) for known in names}
    near = difflib.get_close_matches(str(name).lower(), forms, n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(forms[form] for form in near)}?" if near else ""
