"""The plan of an experiment: what a file says, checked as a whole before anything runs."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import Template

from graphbrick.core.errors import GraphbrickError, InputError
from graphbrick.models.llm.naming import model_text
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.parsing import parse
from graphbrick.questions.fetching import named_files
from graphbrick.recipes import Recipe, recipe
from graphbrick.study.experiments.tables import Table, arrays, read_toml
from graphbrick.study.runs.inputs import named_pipelines

_FILE = {"title": str, "about": str, "out": str, "report": str, "seed": int, "link": bool, "judge": str, "budget": str,
         "limit": int, "each": int, "by": str, "models": list, "set": dict, "data": object, "run": object}  # fmt: skip
_DATA = {"name": str, "graph": str, "build": list, "labels": str, "preset": str, "questions": list, "limit": int,
         "each": int, "by": str}  # fmt: skip
_RUN = {"name": str, "recipes": list, "pipeline": str, "set": dict, "models": list, "sweep": dict, "data": list}
_MODEL = "llm"  # the name of a model in texts with a $


@dataclass(frozen=True)
class DataSet:
    """Questions over one graph.

    Attributes:
        name: Its name in tables of the plan.
        graph: The folder of the graph, or a name that the caller knows.
        build: What the graph is built from if the folder is not there; empty if it has to be there.
        labels: A table of keys and labels for the build; empty for none.
        preset: The rules of the build, such as "freebase"; empty for none.
        questions: Files, or splits of fetched data sets such as "webqsp:test".
        limit: Questions that are drawn in proportion to `by`; None for all.
        each: Questions that are drawn of each group of `by`; None for all.
        by: Groups of the sample: "hops", or a fact of the questions such as "complexity".
        no_graph: Why there is no graph, and none can be built; empty if there is.
        no_questions: Why there are no questions; empty if there are.
    """

    name: str
    graph: Path
    build: tuple[str, ...] = ()
    labels: str = ""
    preset: str = ""
    questions: tuple[str, ...] = ()
    limit: int | None = None
    each: int | None = None
    by: str = "hops"
    no_graph: str = ""
    no_questions: str = ""


@dataclass(frozen=True)
class PlannedRun:
    """A pipeline that answers the questions of some data sets.

    Attributes:
        name: Its name in tables.
        pipeline: The pipeline.
        data: Names of the data sets.
        values: What it takes from sweeps: ``{"k": "300"}``.
    """

    name: str
    pipeline: Pipeline
    data: tuple[str, ...]
    values: Mapping[str, str]


@dataclass(frozen=True)
class Experiment:
    """What an experiment file says.

    Attributes:
        file: The file.
        title: Title of the report.
        about: What it is, in a sentence or two.
        out: The study that it writes, or continues.
        report: The page that it ends with.
        seed: Seed of all samples.
        link: Whether seeds are found in the questions, also where the files give them.
        judge: The language model that judges first answers; empty for none.
        budget: Its limits, as for ``--budget``; empty for none.
        data: The data sets.
        runs: The pipelines, with every sweep and model.
    """

    file: Path
    title: str
    about: str
    out: Path
    report: Path
    seed: int
    link: bool
    judge: str
    budget: str
    data: tuple[DataSet, ...]
    runs: tuple[PlannedRun, ...]

    @classmethod
    def read(cls, file: Path, folder: Path | None = None, known: Collection[str] = ()) -> Experiment:
        """Read a file and check all of it: keys, recipes, pipelines, samples. `checked` looks for its files.

        Args:
            file: The TOML file.
            folder: What its paths are relative to; the folder of the file by default.
            known: Names that stand for graphs and questions of the caller.

        Raises:
            InputError: The file cannot be read, or says something that cannot be done; file, table and key are named.
        """
        content = read_toml(file)
        if "system" in content:
            raise InputError(
                f"it has systems for documents; run graphbrick rag DOCUMENTS --systems {file.name}",
                file,
                code="experiment.of_documents",
            )
        top = Table(file, "the file", content, _FILE)
        folder = folder or file.parent
        data = [
            _data(Table(file, f"data {number}", table, _DATA), top, folder, known)
            for number, table in enumerate(arrays(content, "data", file), 1)
        ]
        _distinct(top, "data sets", [one.name for one in data])
        names = [one.name for one in data]
        runs = [
            run
            for number, table in enumerate(arrays(content, "run", file), 1)
            for run in _runs(Table(file, f"run {number}", table, _RUN), top, names)
        ]
        _distinct(top, "pipelines", [run.name for run in runs])
        _check_set(top, [name for table in content["run"] for name in Table(file, "run", table, _RUN).texts("recipes")])
        for name in names:
            own = {run.name: run.pipeline for run in runs if name in run.data}
            if own:
                named_pipelines(own)
        return cls(
            file,
            top.text("title", file.stem),
            " ".join(top.text("about").split()),
            folder / top.text("out", f"{file.stem}.sqlite"),
            folder / top.text("report", f"{file.stem}.html"),
            top.number("seed", 0) or 0,
            top.is_true("link"),
            top.text("judge"),
            top.text("budget"),
            tuple(data),
            tuple(runs),
        )

    def checked(self) -> Experiment:
        """Return the experiment, all of whose graphs and questions are there.

        Raises:
            InputError: A graph is not there and cannot be built, or there are no questions.
        """
        for number, one in enumerate(self.data, 1):
            for reason, code in ((one.no_graph, "experiment.no_graph"), (one.no_questions, "experiment.no_file")):
                if reason:
                    raise InputError(f"data {number} ({one.name}): {reason}", self.file, code=code)
        return self

    def only(self, words: Sequence[str]) -> Experiment:
        """Return the part of an experiment whose runs, or data sets, have one of some words in their names.

        Raises:
            InputError: There is none.
        """
        if not words:
            return self
        names = [*(one.name for one in self.data), *(one.name for one in self.runs)]
        stranger = next((word for word in words if not any(word in name for name in names)), None)
        if stranger is not None:
            raise InputError(
                f"nothing in {self.file} has {stranger!r} in its name; there is {', '.join(names)}",
                code="experiment.nothing_called",
            )
        data = [one for one in self.data if any(word in one.name for word in words)] or list(self.data)
        runs = [one for one in self.runs if any(word in one.name for word in words)] or list(self.runs)
        asked = [one for one in data if any(one.name in run.data for run in runs)]
        if not asked:
            raise InputError(
                f"no pipeline of {self.file} with such a name is for data with such a name: {', '.join(words)}",
                code="experiment.nothing_asked",
            )
        return replace(self, data=tuple(asked), runs=tuple(runs))


def _check_set(top: Table, recipes: Sequence[str]) -> None:
    """Refuse parts of the whole file that none of its recipes has."""
    parts = {part for name in recipes for part in recipe(name).parts}
    unused = next((part for part in top.named("set") if part not in parts), None)
    if unused is not None:
        raise top.refused(f"has set.{unused}, which is a part of none of its recipes", "experiment.unused_set")


def _distinct(top: Table, what: str, names: Sequence[str]) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise top.refused(f"has two {what} called {twice!r}; give each a name of its own", "experiment.name_twice")


def _data(table: Table, top: Table, folder: Path, known: Collection[str]) -> DataSet:
    """Read one table ``[[data]]``."""
    for key in ("graph", "questions"):
        if not table.has(key):
            raise table.refused(f"has no {key}", "experiment.no_key")
    graph, build = table.text("graph"), tuple(str(folder / one) for one in table.texts("build"))
    is_known = graph in known
    if len(build) > 1:
        raise table.refused(
            "is built from one file or folder; put several files into a folder", "experiment.many_sources"
        )
    questions = [name if name in known else _questions(name, folder) for name in table.texts("questions")]
    own_sample = table.has("limit") or table.has("each")
    sample = table if own_sample else top
    if sample.has("limit") and sample.has("each"):
        raise sample.refused(
            "has limit and each; give the questions of all groups together, or of each", "experiment.samples"
        )
    return DataSet(
        table.text("name") or Path(graph).stem,
        Path(graph) if is_known else folder / graph,
        build,
        str(folder / table.text("labels")) if table.has("labels") else "",
        table.text("preset"),
        tuple(questions),
        sample.number("limit"),
        sample.number("each"),
        table.text("by") or top.text("by", "hops"),
        "" if is_known else _missing(folder / graph, build),
        next(filter(None, (_missing_questions(one) for one in questions if one not in known)), ""),
    )


def _questions(name: str, folder: Path) -> str:
    """Return a file of questions beside the experiment file, or the name of a split."""
    return name if re.fullmatch(r"[\w.-]+:\w+", name) and not (folder / name).exists() else str(folder / name)


def _missing(graph: Path, build: Sequence[str]) -> str:
    """Return why there is no graph; empty if there is one, or can be."""
    if graph.exists() or (build and Path(build[0]).exists()):
        return ""
    told = f"to build it from, {build[0]} is not there either" if build else "give what to build it from as build"
    return f"{graph} is not there; {told}"


def _missing_questions(name: str) -> str:
    """Return why there are no questions; empty if there are."""
    try:
        return "" if named_files(name) or Path(name).exists() else f"{name} is not there"
    except InputError as error:  # a split that was not fetched
        return str(error)


def _runs(table: Table, top: Table, names: Sequence[str]) -> Iterator[PlannedRun]:
    """Yield the pipelines of one table ``[[run]]``: for each recipe, model, and combination of values."""
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
        yield PlannedRun(_name(name or repr(pipeline), name, values, model, models), pipeline, data, values)


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
        name = f"{table.text('name')} {source.name}".strip() if table.has("name") else f"recipe {source.name}"
        yield PlannedRun(_name(name, "", values, model, models), source.pipeline(**chosen), data, values)


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
