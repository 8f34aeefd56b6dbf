"""The space of pipelines of a search: options of stages, models, and parameters of bricks.

An option is recipe text, such as ``PPR(k=1000)`` or ``BeamSearch($scorer) | ShortestPaths()``. ``$scorer`` stands for
one of the models of that name, the same one wherever an option has it. A parameter that the text gives is fixed; every
other one that its brick declares search values for (`graphbrick.core.parameters`) is drawn from these. An empty option
leaves the stage out. All unions (``|``) of a stage together are drawn as often as one option of another form.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod
from pathlib import Path

from graphbrick.core.errors import InputError, PipelineError
from graphbrick.core.parameters import Declared, declared
from graphbrick.pipeline import Pipeline, catalog
from graphbrick.pipeline.brick import literal
from graphbrick.pipeline.parsing import parse, parse_brick
from graphbrick.study.store.identity import bricks_of

Choose = Callable[[str, Sequence[str]], str]
"""Chooses one of some texts, given the name of the choice."""

STAGES = ("link", "extract", "prune", "retrieve", "rerank", "generate")
PLACE = re.compile(r"\$(\w+)")
"""The place of a model in an option."""
UNIONS = "a union"
"""The choice of one of several unions."""
_EXAMPLE = 'retrieve = ["ShortestPaths()", "BeamSearch($scorer)"]'


@dataclass(frozen=True)
class Space:
    """Options of each stage, and the models that ``$name`` stands for.

    Attributes:
        stages: Recipe texts by stage, in the order of the stages; an empty text leaves the stage out.
        models: Recipe texts by name.
        advice: Sentences on how a user can let more take part.
    """

    stages: Mapping[str, tuple[str, ...]]
    models: Mapping[str, tuple[str, ...]]
    advice: tuple[str, ...] = ()

    def draw(self, choose: Choose) -> str:
        """Return the recipe text of one pipeline.

        Args:
            choose: Makes every choice; the same name always comes with the same texts.
        """
        stages = []
        for stage, options in self.stages.items():
            option = _one_of(stage, _with_unions_as_one(options), choose)
            if option == UNIONS:
                option = _one_of(f"{stage} {UNIONS}", _unions(options), choose)
            if option:
                models = {name: _one_of(f"{stage} {name}", self.models[name], choose) for name in places_of(option)}
                stages.append(_with_parameters(stage, filled(option, models), choose))
        return " >> ".join(f"({text})" if "|" in text else text for text in stages)

    def check(self) -> None:
        """Raise an error unless every model, and every option with the first model of each kind, can be read.

        Raises:
            InputError: There is no option, an unknown stage, or a model that is not there.
            PipelineError: An option is not a recipe text.
        """
        for stage, options in self.stages.items():
            if stage not in STAGES:
                raise InputError(
                    f"there is no stage {stage!r} in a search space; there are {', '.join(STAGES)}",
                    code="space.unknown_stage",
                    stage=stage,
                )
            if not options:
                raise InputError(
                    f"the stage {stage} has no option; try {_EXAMPLE}, or leave the stage out",
                    code="space.stage_without_options",
                    stage=stage,
                )
            for option in options:
                for place in PLACE.finditer(option):
                    if not self.models.get(place[1]):
                        known = ", ".join(f"${name}" for name in self.models) or "none"
                        raise InputError(
                            f"there is no model ${place[1]} for {option}; there are {known}",
                            code="space.no_model",
                            model=place[1],
                        )
        if not any(any(options) for options in self.stages.values()):
            raise InputError("the search space has no stage", code="space.no_stage")
        try:
            for models in self.models.values():
                for model in models:
                    parse_brick(model)
            for choose in self.one_by_one(every=True):
                parse(self.draw(choose))
        except PipelineError as error:
            raise PipelineError(
                f"the search space cannot be read: {error}", code="space.not_a_pipeline", reason=error.code
            ) from error

    def one_by_one(self, *, every: bool = False) -> Iterator[Choose]:
        """Yield choices that draw each option of each stage once, beside first options and defaults.

        Args:
            every: Whether to draw every union; else one for each stage that has several.
        """
        for stage, options in self.stages.items():
            later = () if every else _unions(options)[1:]
            for option in [one for one in options if one not in later]:
                wanted = {stage: option, f"{stage} {UNIONS}": option}
                yield lambda name, texts, wanted=wanted: _wanted(wanted.get(name, texts[0]), texts)  # type: ignore[misc]

    @property
    def size(self) -> int:
        """Number of pipelines, those included whose parameters do not go together."""
        return prod(sum(self._ways(stage, option) for option in options) for stage, options in self.stages.items())

    def _ways(self, stage: str, option: str) -> int:
        """Return the number of stages that an option stands for."""
        names = places_of(option)
        total = 0
        for models in product(*(self.models[name] for name in names)):
            counts: list[int] = []
            _with_parameters(
                stage,
                filled(option, dict(zip(names, models, strict=True))),
                lambda _, texts, counts=counts: (counts.append(len(texts)), texts[0])[1],  # type: ignore[misc]
            )
            total += prod(counts)
        return total


def places_of(option: str) -> list[str]:
    """Return the names of the models that an option has places for, each once.

    >>> places_of("BeamSearch($scorer) | Rerank($scorer)")
    ['scorer']
    """
    return list(dict.fromkeys(PLACE.findall(option)))


def filled(option: str, models: Mapping[str, str]) -> str:
    """Return an option with models in their places."""
    return PLACE.sub(lambda place: models[place[1]], option)


def _one_of(name: str, texts: Sequence[str], choose: Choose) -> str:
    return choose(name, texts) if len(texts) > 1 else texts[0]


def _wanted(option: str, texts: Sequence[str]) -> str:
    """Return an option, or the choice of a union if it is one of several."""
    return option if option in texts else UNIONS


def _unions(options: Sequence[str]) -> list[str]:
    return [option for option in options if "|" in option]


def _with_unions_as_one(options: Sequence[str]) -> tuple[str, ...]:
    """Return options of which several unions are one together, as they would be most of what is drawn."""
    unions = _unions(options)
    return tuple(options) if len(unions) < 2 else (*(one for one in options if one not in unions), UNIONS)


def _with_parameters(stage: str, text: str, choose: Choose) -> str:
    """Return recipe text with a chosen value for every parameter that is searched and not given."""
    if not text:
        return ""
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError as error:
        raise PipelineError(
            f"the option {text!r} of the stage {stage} is not a recipe text: {error.msg}",
            code="space.not_a_recipe",
            option=text,
            stage=stage,
        ) from error
    seen = Counter[str]()
    for call in [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]:
        assert isinstance(call.func, ast.Name)
        brick = call.func.id
        entries = declared(catalog.find(brick))
        filled_in = {entry.name for entry in entries[: len(call.args)]} | {one.arg for one in call.keywords}
        seen[brick] += 1
        label = f"{stage} {brick}" + (f" #{seen[brick]}" if seen[brick] > 1 else "")
        skeleton = ast.unparse(call)
        for entry in entries:
            declared_values = _default_first(entry)
            if entry.name in filled_in or not declared_values:
                continue
            values = _usable(skeleton, entry.name, declared_values)
            if values:
                # What can be chosen may depend on the model inside; a choice of one name has one list of values.
                name = f"{label} {entry.name}" + ("" if values == declared_values else f" of {', '.join(values)}")
                value = choose(name, values) if len(values) > 1 else values[0]
                call.keywords.append(ast.keyword(entry.name, ast.parse(value, mode="eval").body))
    return ast.unparse(tree)


def _default_first(entry: Declared) -> tuple[str, ...]:
    """Return the values to search, the default first where it is one of them."""
    values = [literal(value) for value in entry.declaration.search]
    default = literal(entry.default)
    return tuple(sorted(values, key=lambda value: value != default))


@lru_cache(maxsize=4096)
def _usable(brick: str, parameter: str, values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the values that a parameter can have in a brick whose other parameters keep their defaults."""
    usable = []
    for value in values:
        separator = "" if brick.endswith("()") else ", "
        try:
            parse_brick(f"{brick[:-1]}{separator}{parameter}={value})")
        except PipelineError:
            continue
        usable.append(value)
    return tuple(usable)


def read_space(path: Path, default: Space) -> Space:
    """Return the space of a TOML file: tables ``stages`` and ``models`` of lists of recipe texts.

    Args:
        path: The file.
        default: Source of the stages and models that the file does not name.

    Raises:
        InputError: The file cannot be read, or its content is something else.
    """
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(
            f"the search space cannot be read: {error.strerror or error}", path, code="space.unreadable"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(
            f"the search space is not TOML: {error}; it holds lines such as {_EXAMPLE}", path, code="space.not_toml"
        ) from error
    unknown = content.keys() - {"stages", "models"}
    if unknown:
        raise InputError(
            f"the search space has the tables [stages] and [models], got {', '.join(sorted(unknown))}",
            path,
            code="space.unknown_table",
            tables=sorted(unknown),
        )
    tables = {name: _texts(content.get(name, {}), name, path) for name in ("stages", "models")}
    stages = dict(default.stages) | tables["stages"]
    unordered = [stage for stage in stages if stage not in STAGES]
    if unordered:
        raise InputError(
            f"there is no stage {unordered[0]!r}; there are {', '.join(STAGES)}",
            path,
            code="space.unknown_stage_in_file",
            stage=unordered[0],
        )
    return Space({stage: stages[stage] for stage in STAGES if stage in stages}, dict(default.models) | tables["models"])


def _texts(table: object, name: str, path: Path) -> dict[str, tuple[str, ...]]:
    entries = table.items() if isinstance(table, dict) else ()
    if not isinstance(table, dict) or not all(
        isinstance(texts, list) and texts and all(isinstance(text, str) for text in texts) for _, texts in entries
    ):
        raise InputError(
            f"[{name}] holds lists of recipe texts that are not empty, such as {_EXAMPLE}",
            path,
            code="space.bad_table",
            table=name,
        )
    return {key: tuple(dict.fromkeys(text.strip() for text in texts)) for key, texts in entries}


def restricted(space: Space, only: Sequence[str], without: Sequence[str]) -> Space:
    """Return the space with fewer options.

    Args:
        space: The space.
        only: ``STAGE=TEXT``: these options, and no others, for the stage; may be repeated.
        without: Names of bricks; options and models that have one are left out, also as a default of a parameter.

    Raises:
        InputError: An entry is of another form, or leaves a stage without options.
    """
    if not only and not without:
        return space
    stages = dict(space.stages) | {stage: tuple(texts) for stage, texts in only_options(only).items()}
    for name in without:
        catalog.find(name)
    models = {name: [text for text in texts if not _names(text, without)] for name, texts in space.models.items()}
    first = {name: texts[0] for name, texts in models.items() if texts}
    left = {stage: tuple(text for text in texts if _is_left(text, first, without)) for stage, texts in stages.items()}
    empty = [stage for stage, texts in left.items() if not texts]
    if empty:
        raise InputError(
            f"without {', '.join(without)} the stage {empty[0]} has no option; leave out fewer",
            code="space.nothing_left",
            stage=empty[0],
        )
    return Space(
        {stage: left[stage] for stage in STAGES if stage in left}, {name: tuple(models[name]) for name in first}
    )


def _is_left(option: str, models: Mapping[str, str], without: Sequence[str]) -> bool:
    """Return whether an option names none of these bricks, and the models for its places are left."""
    if not without:
        return True
    return models.keys() >= set(places_of(option)) and not _names(filled(option, models), without)


def _names(text: str, bricks: Sequence[str]) -> bool:
    """Return whether a recipe text has one of these bricks, also as a default of a parameter."""
    if any(re.search(rf"\b{re.escape(name)}\(", text) for name in bricks):
        return True
    pipeline = readable(text) if bricks and text else None
    return pipeline is not None and uses(pipeline, bricks)


def uses(pipeline: Pipeline, names: Sequence[str]) -> bool:
    """Return whether a pipeline has a brick of one of these names."""
    return any(type(brick).__name__ in names for brick in bricks_of(pipeline))


def only_options(only: Sequence[str]) -> dict[str, list[str]]:
    """Return the texts of ``STAGE=TEXT`` by stage.

    Raises:
        InputError: An entry is of another form.
    """
    chosen: dict[str, list[str]] = {}
    for entry in only:
        stage, equals, text = entry.partition("=")
        if not equals or stage.strip() not in STAGES:
            raise InputError(
                f'--only takes STAGE=TEXT, got {entry!r}; try --only "extract=PPR()"',
                code="space.bad_only",
                entry=entry,
            )
        chosen.setdefault(stage.strip(), []).append(text.strip())
    return chosen


def readable(text: str) -> Pipeline | None:
    """Return the pipeline of a recipe text; None if its parameters do not go together."""
    try:
        return parse(text)
    except PipelineError:
        return None
