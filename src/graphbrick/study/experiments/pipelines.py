"""The pipelines of an experiment file: recipes and texts with sweeps, language models and repetitions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from string import Template
from typing import Any

from graphbrick.core.errors import GraphbrickError, InputError
from graphbrick.models.llm.naming import model_text
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.parsing import parse
from graphbrick.recipes import Recipe, recipe
from graphbrick.study.experiments.tables import Table

RUN = {"name": str, "recipes": list, "pipeline": str, "set": dict, "models": list, "sweep": dict, "data": list,
       "repetitions": int}  # fmt: skip
"""The keys of a table ``[[run]]``."""
_MODEL = "llm"  # the name of a model in texts with a $


@dataclass(frozen=True)
class PlannedRun:
    """A pipeline that answers the questions of some data sets.

    Attributes:
        name: Its name in tables.
        pipeline: The pipeline.
        data: Names of the data sets.
        values: What it takes from sweeps: ``{"k": "300"}``.
        model: The language model of ``models`` that it asks; empty if it asks none.
        recipe: The name of its recipe; empty if the file gives a pipeline.
        group: The name of its table ``[[run]]``, as the file has it; empty if it has none.
        base: The name without its repetition; equal to ``name`` for the first one.
    """

    name: str
    pipeline: Pipeline
    data: tuple[str, ...]
    values: Mapping[str, str]
    model: str = ""
    recipe: str = ""
    group: str = ""
    base: str = ""


def runs_of_table(table: Table, top: Table, names: Sequence[str]) -> list[PlannedRun]:
    """Return the pipelines of one table ``[[run]]``: for each recipe, model, combination of values, and repetition.

    Args:
        table: The table.
        top: The whole file.
        names: Names of the data sets.

    Raises:
        InputError: It says something that cannot be done.
    """
    runs = list(_runs(table, top, names))
    if table.has("models") and not any(run.model for run in runs):
        model = table.texts("models")[0]
        raise table.refused(f"has the model {model!r}, which no pipeline asks", "experiment.unused_models")
    times = table.number("repetitions") or top.number("repetitions") or 1
    repeated = [one for run in runs for one in _repetitions(replace(run, base=run.name), times)]
    if table.has("repetitions") and times > 1 and len(repeated) == len(runs):
        raise table.refused(
            f"has repetitions = {times}, and nothing in its pipelines has a seed, so that each would be the same again",
            "experiment.nothing_by_chance",
        )
    return repeated


def _repetitions(run: PlannedRun, times: int) -> Iterator[PlannedRun]:
    """Yield a pipeline, and its repetitions with other seeds; it alone if nothing in it has a seed."""
    yield run
    for turn in range(1, times):
        pipeline = with_seeds(run.pipeline, turn)
        if repr(pipeline) != repr(run.pipeline):
            yield replace(run, name=f"{run.name}, repetition {turn + 1}", pipeline=pipeline)


def with_seeds(value: Any, more: int) -> Any:
    """Return a pipeline whose bricks have a seed that is so much higher.

    >>> with_seeds(parse("PPR() >> ShortestPaths() >> RandomSample(n=8, seed=2) >> PathAnswer()"), 3)
    PPR(k=1000) >> ShortestPaths() >> RandomSample(n=8, seed=5) >> PathAnswer()
    """
    if isinstance(value, tuple):
        return tuple(with_seeds(item, more) for item in value)
    if not is_dataclass(value) or not isinstance(value, Brick | Pipeline):
        return value
    changed = {}
    for entry in fields(value):
        old = getattr(value, entry.name)
        new = old + more if entry.name == "seed" and isinstance(old, int) else with_seeds(old, more)
        if new is not old:
            changed[entry.name] = new
    return replace(value, **changed) if changed else value


def _runs(table: Table, top: Table, names: Sequence[str]) -> Iterator[PlannedRun]:
    if table.has("pipeline") == table.has("recipes"):
        raise table.refused("has a pipeline or recipes, one of them", "experiment.no_pipeline")
    data = table.texts("data") or tuple(names)
    stranger = next((one for one in data if one not in names), None)
    if stranger is not None:
        raise table.refused(f"is for the data {stranger!r}; there is {', '.join(names)}", "experiment.no_data")
    models, sweep = table.texts("models") or top.texts("models"), table.lists("sweep")
    parts = {**top.named("set"), **table.named("set")}
    texts = (table.text("pipeline"), *parts.values())
    for name in sweep:
        if not any(name in _names_in(text) for text in texts):
            raise table.refused(f"has sweep.{name}; write ${name} where its values go", "experiment.unused_sweep")
    try:
        sources = [recipe(one) for one in table.texts("recipes")]
        unused = next((part for part in table.named("set") if not any(part in one.parts for one in sources)), None)
        if unused is not None:
            raise table.refused(f"has set.{unused}, which is a part of none of its recipes", "experiment.unused_part")
        for values in _combinations(sweep):
            if not sources:
                yield from _of_text(table, models, values, data)
            for source in sources:
                yield from _of_recipe(source, table, parts, models, values, data)
    except GraphbrickError as error:
        if error.code.startswith("experiment."):
            raise
        raise table.refused(f"cannot be read: {error}", "experiment.bad_run") from error


def _combinations(sweep: Mapping[str, Sequence[str]]) -> Iterator[dict[str, str]]:
    """Yield every combination of the values of a sweep; one without values if there is none.

    >>> list(_combinations({"k": ["1", "2"]}))
    [{'k': '1'}, {'k': '2'}]
    """
    for values in itertools.product(*sweep.values()):
        yield dict(zip(sweep, values, strict=True))


def _of_text(
    table: Table, models: Sequence[str], values: Mapping[str, str], data: tuple[str, ...]
) -> Iterator[PlannedRun]:
    """Yield the pipeline of a text for each model that it asks."""
    text, name = table.text("pipeline"), table.text("name")
    asks = _MODEL in _names_in(text)
    if asks and not models:
        raise table.refused("has $llm; name language models as models", "experiment.no_models")
    for model in models if asks else ("",):
        filled = {**values, **({_MODEL: model_text(model)} if model else {})}
        pipeline = parse(_filled(text, filled))
        called = _name(name or repr(pipeline), name, values, model, models)
        yield PlannedRun(called, pipeline, data, values, model, group=name)


def _of_recipe(
    source: Recipe,
    table: Table,
    parts: Mapping[str, str],
    models: Sequence[str],
    values: Mapping[str, str],
    data: tuple[str, ...],
) -> Iterator[PlannedRun]:
    """Yield a recipe with its parts, for each model if it asks one."""
    own = {part: _filled(text, values) for part, text in parts.items() if part in source.parts}
    asks = any(part not in own for part in source.by_model("any"))
    needed = [part for part in source.needs if part not in own]
    if needed and not models:
        raise table.refused(
            f"has recipe {source.name}, which needs {needed[0]}; give it under set", "experiment.needs_part"
        )
    for model in models if asks and models else ("",):
        chosen = {**(source.by_model(model) if model else {}), **own}
        group = table.text("name")
        called = _name(f"{group} {source.name}" if group else f"recipe {source.name}", "", values, model, models)
        yield PlannedRun(called, source.pipeline(**chosen), data, values, model, source.name, group)


def _name(name: str, template: str, values: Mapping[str, str], model: str, models: Sequence[str]) -> str:
    """Return the name of a run: the template with its values, or the name with what tells it from others."""
    if _names_in(template):
        return _filled(template, {**values, _MODEL: model})
    told = [f"{key}={value}" for key, value in values.items()] + [f"llm={model}"] * bool(model and models[1:])
    return ", ".join([name, *told])


def _names_in(text: str) -> set[str]:
    return set(Template(text).get_identifiers())


def _filled(text: str, values: Mapping[str, str]) -> str:
    """Return a text with values for its names.

    Raises:
        InputError: It has a name without a value, or a lone dollar sign.
    """
    try:
        return Template(text).substitute(values)
    except KeyError as error:
        raise InputError(
            f"${error.args[0]} has no values; give them as sweep = {{{error.args[0]} = [1, 2]}}",
            code="experiment.no_values",
        ) from error
    except ValueError as error:
        raise InputError(f"{text!r} has a lone $; write $$ for the character", code="experiment.lone_dollar") from error
