"""Contract tests for bricks: rules that every brick keeps, including third-party bricks."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Sequence
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace
from typing import Any, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.rerank.rerank import Rerank
from graphbrick.bricks.retrieve.paths.shortest_paths import ShortestPaths
from graphbrick.core import Evidence
from graphbrick.core.errors import LinkError, PipelineError
from graphbrick.core.graph import capabilities_of
from graphbrick.core.trace import Trace
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.pipeline import Pipeline, Stage
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.catalog import ENTRY_POINTS, all_bricks
from graphbrick.pipeline.parsing import parse_brick
from graphbrick.testing.cases import CASES, QUESTION, Case, carried, contract_graph, plain

T = TypeVar("T")

_TEXTS = (
    "Kenya -> currency -> Kenyan shilling",
    "",
    "Kenya -> borders -> Uganda",
    "内罗毕 é\u0301 😀 \n\t",
    "shilling " * 9,
)
_NONSENSE: dict[str, tuple[object, ...]] = {
    "int": ("a lot", 1.5),
    "float": ("a lot",),
    "str": (b"bytes",),
    "bool": ("no", None),
}


def check_brick(brick: Brick, *, installed: bool = True) -> None:
    """Check that a brick keeps the contract that pipelines, recipes and traces rely on.

    Every brick: its text reads back as the same brick; it is frozen, hashable, pickled and documented; its constructor
    refuses nonsense. A scorer: one finite number for any text, independent of its position. A stage: the right type
    for any input, an empty result for an empty one, the same result twice, the input untouched, ids and paths that
    exist in the graph, an entry in the trace. A stage that needs more than a folder graph gives, such as a query
    language, is not run. A brick that uses a language model is checked against a `ScriptedLLM`.

    Args:
        brick: The brick, with parameters of your choice.
        installed: Whether the brick's package declares it as an entry point, as recipe text needs; give False for
            one that lives in a test.

    Raises:
        AssertionError: A rule is broken; the message names the rule, the result, and the fix.

    Example:
        >>> from graphbrick import PPR
        >>> check_brick(PPR(k=3))
    """
    _check_value(brick)
    _check_docs(brick)
    _check_text(brick, installed=installed)
    _check_nonsense(brick)
    if isinstance(brick, Scorer):
        _check_scorer(brick)
    if isinstance(brick, Stage):
        if brick.kind not in CASES:
            _fail(brick, f"is of the kind {brick.kind!r}; derive it from one of {', '.join(CASES)}")
        if not brick.needs <= capabilities_of(contract_graph()):
            return
        for case in CASES[brick.kind](brick):
            _check_case(brick, case)
        _check_carrying(brick)
    _check_trace(brick)


def _fail(brick: Brick, message: str) -> NoReturn:
    # A brick that is not a dataclass cannot print itself.
    name = repr(brick) if is_dataclass(brick) else type(brick).__name__
    raise AssertionError(f"{name}: {message}")


def _require(condition: bool, brick: Brick, message: str) -> None:
    if not condition:
        _fail(brick, message)


def _try(brick: Brick, title: str, action: Callable[[], T]) -> T:
    try:
        return action()
    except Exception as error:
        told = f"raised {type(error).__name__}: {error}"
        if isinstance(error, ValueError) and "read-only" in str(error):  # numpy's words
            told = "changed its input; copy what you change"
        raise AssertionError(f"{brick!r}: {title} {told}") from error


def _with(brick: Brick, **changes: Any) -> Brick:
    return replace(brick, **changes)  # type: ignore[type-var]


def _parameters(brick: Brick) -> dict[str, str]:
    """Return the type of each parameter as text."""
    return {
        field.name: field.type if isinstance(field.type, str) else getattr(field.type, "__name__", str(field.type))
        for field in fields(brick)  # type: ignore[arg-type]
    }


def _check_value(brick: Brick) -> None:
    """Check that the brick is a frozen dataclass that is equal to its copies."""
    kind = type(brick)
    declared = vars(kind).get("__dataclass_params__")
    right = declared is not None and declared.frozen
    _require(right, brick, "is not a frozen dataclass; put @dataclass(frozen=True, repr=False) before the class")
    printed = kind.__repr__ is Brick.__repr__
    _require(printed, brick, "has a repr of its own; declare the class with @dataclass(frozen=True, repr=False)")
    twin = _try(brick, "copying", lambda: _with(brick))
    _require(twin == brick and copy.copy(brick) == brick, brick, "does not equal its copy; leave eq to the dataclass")
    same = _try(brick, "hash()", lambda: hash(twin) == hash(brick))
    _require(same, brick, "its copy has another hash; leave __hash__ to the dataclass")
    for name in _parameters(brick):
        try:
            setattr(twin, name, getattr(brick, name))
        except FrozenInstanceError:
            continue
        _fail(brick, f"parameter {name} can be set after construction; leave __setattr__ to the dataclass")
    loaded = _try(brick, "pickling", lambda: pickle.loads(pickle.dumps(brick)))
    _require(loaded == brick, brick, f"comes back from pickle as {loaded!r}; leave pickling to the dataclass")


def _check_docs(brick: Brick) -> None:
    kind = type(brick)
    # A dataclass without docstring gets its signature as one.
    documented = bool(kind.summary().strip()) and not kind.summary().startswith(f"{kind.__name__}(")
    _require(documented, brick, "has no docstring; the first line is shown in the list of bricks")
    missing = [parameter.name for parameter in kind.parameters() if not parameter.doc]
    _require(not missing, brick, f"does not say in the Args of its docstring what these are: {', '.join(missing)}")


def _check_text(brick: Brick, *, installed: bool) -> None:
    """Check that the brick's text parses to the same brick."""
    name = type(brick).__name__
    if installed:
        advice = (
            f'declare it in pyproject.toml ([project.entry-points."{ENTRY_POINTS}"] {name} = "{type(brick).__module__}'
            f':{name}") and install the package, or use check_brick(..., installed=False)'
        )
        _require(all_bricks().get(name) is type(brick), brick, f"cannot be read from recipe text by name; {advice}")
    read = _try(brick, "reading its repr", lambda: parse_brick(repr(brick), bricks={} if installed else _names(brick)))
    _require(read == brick, brick, f"reads back from its text as {read!r}; parameters must be literals or bricks")


def _names(brick: Brick) -> dict[str, type[Brick]]:
    """Return the classes of the brick and of the bricks inside it, by name."""
    classes = {type(brick).__name__: type(brick)}
    for name in _parameters(brick):
        value = getattr(brick, name)
        if isinstance(value, Brick):
            classes |= _names(value)
    return classes


def _check_nonsense(brick: Brick) -> None:
    """Check that the constructor refuses values that are wrong for the type of the parameter."""
    for name, declared in _parameters(brick).items():
        types = {part.strip() for part in declared.split("|")}
        if not types <= {*_NONSENSE, "None"}:
            continue
        # 1.5 is nonsense for "int", but not for "int | float".
        allowed = types | {"NoneType"} if "None" in types else types
        values = [v for part in sorted(types - {"None"}) for v in _NONSENSE[part] if type(v).__name__ not in allowed]
        if types & {"int", "float"}:
            values += [float("nan"), float("inf")]
        for value in values:
            _check_refused(brick, name, value)


def _check_refused(brick: Brick, name: str, value: object) -> None:
    advice = "declare it with graphbrick.core.parameters.parameter"
    try:
        _with(brick, **{name: value})
    except PipelineError as error:
        _require(name in str(error), brick, f"the refusal of {name}={value!r} does not name the parameter: {error}")
    except Exception as error:
        raise AssertionError(
            f"{brick!r}: {name}={value!r} raises {type(error).__name__}, not PipelineError; {advice}"
        ) from error
    else:
        _fail(brick, f"{name}={value!r} is not refused; {advice}")


def _check_scorer(scorer: Scorer) -> None:
    """Check for one finite number for any text, independent of its position."""
    texts = list(_TEXTS)
    for query in (QUESTION, "", "内罗毕 😀"):
        scores = _scores(scorer, query, texts)
        again = _scores(scorer, query, texts)
        _require(np.array_equal(scores, again), scorer, f"score({query!r}, ...) differs the second time")
        turned = _scores(scorer, query, texts[::-1])[::-1]
        same = np.allclose(scores, turned, rtol=0, atol=1e-5)
        _require(same, scorer, f"scores depend on the order of the texts: {scores}, turned round {turned}")
    _require(texts == list(_TEXTS), scorer, "changed the list of texts it was given; copy what you change")
    _scores(scorer, QUESTION, [])


def _scores(scorer: Scorer, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
    scores: object = _try(scorer, f"score({query!r}, {len(texts)} texts)", lambda: scorer.score(query, texts))
    if not (isinstance(scores, np.ndarray) and scores.dtype == np.float64 and scores.shape == (len(texts),)):
        _fail(scorer, f"score must give float64 [{len(texts)}], got {scores!r}")
    _require(bool(np.isfinite(scores).all()), scorer, f"scores must be finite, got {scores}")
    return scores


def _check_case(stage: Stage, case: Case) -> None:
    """Call the stage twice; check that both results are right and equal, and the input is unchanged."""
    method: Callable[..., object] = getattr(stage, stage.kind)

    def call() -> object:
        try:
            return method(*case.arguments)
        except LinkError as error:
            if stage.kind == "link":
                return error  # this error means that nothing was found
            raise

    before = plain(case.arguments)
    name = f"{stage.kind} with {case.title}"
    first, second = _try(stage, name, call), _try(stage, name, call)
    # A stage that changes its input may break everything else, so this is reported first.
    _require(plain(case.arguments) == before, stage, f"{name} changed its input; copy what you change")
    wrong = case.check(first)
    _require(wrong is None, stage, f"{name}: {wrong}")
    advice = "break ties by id, and seed what is random"
    _require(plain(first) == plain(second), stage, f"{name} gives another result the second time; {advice}")


def _check_carrying(stage: Stage) -> None:
    """Check that a stage loses nothing that evidence carries besides its items."""
    for title, before, after in carried(stage):
        lost = _lost(before, after)
        _require(not lost, stage, f"{stage.kind} with {title} lost {lost}; return replace(evidence, items=...)")


def _lost(before: Evidence, after: Evidence) -> str:
    """Name the properties that evidence lost in a stage; empty if none."""
    if not before.symmetric <= after.symmetric:
        return "which relations are symmetric"
    same_first = before.items and after.items and before.items[0].identity == after.items[0].identity
    if same_first and before.confidence is not None and after.confidence is None:
        return "the confidence in the first item"
    return ""


def _check_trace(brick: Brick) -> None:
    """Run the brick in a pipeline; check that its stage is in the trace and the trace is plain JSON."""
    stage: Pipeline
    if isinstance(brick, Scorer):
        stage, kind = Rerank(brick, n=3), "rerank"
    elif isinstance(brick, Stage):
        stage, kind = brick, brick.kind
    else:
        return
    pipeline = ShortestPaths(max_hops=2) >> stage if kind in ("rerank", "generate") else stage
    trace = _try(brick, f"running {pipeline!r}", lambda: _run(pipeline, linking=kind == "link"))
    if trace is None:
        return
    entry = trace.stages[-1]
    right = entry.stage == repr(stage) and entry.seconds >= 0
    _require(right, brick, f"the trace must end with this stage, got {entry!r}")
    _try(brick, "writing its trace as JSON (give fact() plain numbers)", lambda: json.dumps(trace.to_dict()))


def _run(pipeline: Pipeline, *, linking: bool) -> Trace | None:
    """Return the trace of a run; None if a link stage found nothing."""
    try:
        return pipeline.run(contract_graph(), QUESTION, seeds=() if linking else ("Nairobi",)).trace
    except LinkError:
        if linking:
            return None
        raise
