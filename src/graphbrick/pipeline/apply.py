"""A stage made of a function, for a trial that is not worth a brick."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, TypeVar

from graphbrick.core import Answer, Evidence, Query, Subgraph
from graphbrick.core.errors import PipelineError, shown
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.composition import Pipeline
from graphbrick.pipeline.stages import (
    ExpandStage,
    ExtractStage,
    GenerateStage,
    LinkStage,
    PruneStage,
    RerankStage,
    RetrieveStage,
    Stage,
)

if TYPE_CHECKING:
    from graphbrick.graphs.graph import Graph

T = TypeVar("T")
_HINT = "Apply(rerank=lambda query, evidence: evidence)"
_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...))


@dataclass(frozen=True, repr=False, init=False)
class Apply(Stage):
    """A stage that calls a function: ``Apply(rerank=f)``, or another kind of stage in place of rerank.

    It runs in Python wherever a brick does, but recipe text cannot name a function, so it cannot be parsed. A study
    knows it by its name, or, without one, by the compiled code of the function with the values that it uses; another
    version of Python compiles other code, so that everything is measured again.

    Args:
        name: The name of the function in studies; give a new name to a new version of it.
        functions: One function with the arguments of the method of its kind: ``link(graph, query)``,
            ``extract(graph, query)``, ``expand(query, subgraph)``, ``prune(query, subgraph)``,
            ``retrieve(query, subgraph)``, ``rerank(query, evidence)`` or ``generate(query, evidence)``.

    Raises:
        PipelineError: There is not exactly one function, or it is not for a kind of stage.

    >>> from graphbrick import Evidence, PathAnswer, ShortestPaths
    >>> from graphbrick.testing import tiny_graph
    >>> first = Apply(rerank=lambda query, evidence: Evidence(evidence.items[:1]), name="first")
    >>> pipeline = ShortestPaths() >> first >> PathAnswer()
    >>> pipeline, pipeline(tiny_graph(), "Which country has the capital Nairobi?").texts
    (ShortestPaths() >> Apply(rerank='first') >> PathAnswer(), ('Kenya',))
    """

    function: Callable[..., object]
    name: str = ""

    def __new__(cls, *, name: str = "", **functions: Callable[..., object]) -> Apply:
        """Return a stage of the kind that the keyword names."""
        if cls is not Apply:
            return super().__new__(cls)  # unpickled
        if len(functions) != 1:
            raise PipelineError(
                f"Apply takes one function, got {len(functions)}; write {_HINT}",
                code="apply.functions",
                n=len(functions),
            )
        ((kind, function),) = functions.items()
        if kind not in _KINDS:
            raise PipelineError(
                f"Apply takes a function for one of {', '.join(_KINDS)}, got {kind}; write {_HINT}",
                code="apply.kind",
                keyword=kind,
            )
        if not callable(function):
            raise PipelineError(
                f"Apply {kind} must be a function, got {shown(function)}; write {_HINT}", code="apply.no_function"
            )
        return super().__new__(_KINDS[kind])

    def __init__(self, *, name: str = "", **functions: Callable[..., object]) -> None:
        (function,) = functions.values()
        self.__dict__.update(function=function, name=name)

    def text(
        self, write: Callable[[str, object], str], *, always: Container[str] = (), never: Container[str] = ()
    ) -> str:
        """Return a text for people, with the name; it is not recipe text."""
        name = self.name or getattr(self.function, "__qualname__", type(self.function).__name__)
        return f"Apply({self.kind}={name!r})"

    def files(self) -> dict[str, Path]:
        """Return nothing: it has no parameter that names a file."""
        return {}

    @property
    def own_identity(self) -> str:
        """The text that `identity_of` returns.

        Raises:
            PipelineError: It has no name, and the function uses a value that cannot be told again.
        """
        if self.name:
            return f"Apply({self.kind}={self.name!r})"
        if not isinstance(self.function, FunctionType):
            raise PipelineError(
                f"{self!r} has no identity, because {shown(self.function)} has no code of its own; give it a name, as "
                f"in Apply({self.kind}=..., name='first try')",
                code="apply.no_code",
            )
        content = _content(self.function, self, set())
        return f"Apply({self.kind}=sha256:{sha256(content.encode()).hexdigest()})"

    def _call(self, kind: type[T], *values: object) -> T:
        result = self.function(*values)
        if not isinstance(result, kind):
            raise PipelineError(
                f"the function of {self!r} must return a value of {kind.__name__}, got {shown(result)}",
                code="apply.result",
            )
        return result


class _Link(Apply, LinkStage):
    def link(self, graph: Graph, query: Query) -> Query:
        return self._call(Query, graph, query)


class _Extract(Apply, ExtractStage):
    def extract(self, graph: Graph, query: Query) -> Subgraph:
        return self._call(Subgraph, graph, query)


class _Expand(Apply, ExpandStage):
    def expand(self, query: Query, subgraph: Subgraph) -> Subgraph:
        return self._call(Subgraph, query, subgraph)


class _Prune(Apply, PruneStage):
    def prune(self, query: Query, subgraph: Subgraph) -> Subgraph:
        return self._call(Subgraph, query, subgraph)


class _Retrieve(Apply, RetrieveStage):
    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        return self._call(Evidence, query, subgraph)


class _Rerank(Apply, RerankStage):
    writes_items = True

    def rerank(self, query: Query, evidence: Evidence) -> Evidence:
        return self._call(Evidence, query, evidence)


class _Generate(Apply, GenerateStage):
    def generate(self, query: Query, evidence: Evidence) -> Answer:
        return self._call(Answer, query, evidence)


_STAGES: tuple[type[Apply], ...] = (_Link, _Extract, _Expand, _Prune, _Retrieve, _Rerank, _Generate)
_KINDS = {stage.kind: stage for stage in _STAGES}


def _content(value: object, stage: Apply, seen: set[int]) -> str:
    """Return a text that is equal for equal values: for functions their code with the values that it uses."""
    from graphbrick.pipeline.identity import identity_of

    if isinstance(value, _PLAIN):
        return repr(value)
    if isinstance(value, list | dict | FunctionType):  # may hold themselves
        if id(value) in seen:
            return "..."
        seen.add(id(value))
    if isinstance(value, list | tuple | set | frozenset):
        parts = [_content(part, stage, seen) for part in value]
        return f"{type(value).__name__}{sorted(parts) if isinstance(value, set | frozenset) else parts}"
    if isinstance(value, dict):
        return f"dict{[(_content(key, stage, seen), _content(part, stage, seen)) for key, part in value.items()]}"
    if isinstance(value, Brick | Pipeline):
        return identity_of(value)
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, type | BuiltinFunctionType):
        return f"{value.__module__}.{value.__qualname__}"
    if isinstance(value, CodeType):
        return f"{value.co_code!r} {value.co_names} {value.co_varnames} {_content(value.co_consts, stage, seen)}"
    if isinstance(value, FunctionType):
        names = {name for code in _codes(value.__code__) for name in code.co_names} & value.__globals__.keys()
        used = {name: value.__globals__[name] for name in sorted(names)}
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        uses = (value.__defaults__, value.__kwdefaults__, cells, used)
        return f"{_content(value.__code__, stage, seen)} {_content(uses, stage, seen)}"
    raise PipelineError(
        f"{stage!r} has no identity, because its function uses {shown(value)}; give it a name, as in "
        f"Apply({stage.kind}=..., name='first try')",
        code="apply.no_identity",
    )


def _codes(code: CodeType) -> list[CodeType]:
    """Return the code of a function and of those inside it."""
    return [code, *(one for const in code.co_consts if isinstance(const, CodeType) for one in _codes(const))]
