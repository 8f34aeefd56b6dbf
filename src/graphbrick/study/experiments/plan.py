"""The plan of an experiment: what a file says, checked as a whole before anything runs."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.questions.fetching import named_files
from graphbrick.recipes import recipe
from graphbrick.study.experiments.papers import paper_of, paper_tables
from graphbrick.study.experiments.pipelines import RUN, PlannedRun, runs_of_table
from graphbrick.study.experiments.tables import Seed, Table, arrays, read_toml
from graphbrick.study.runs.inputs import named_pipelines
from graphbrick.study.store.plans import PaperTable

_FILE = {"title": str, "about": str, "out": str, "report": str, "seed": Seed, "link": bool, "judge": list,
         "budget": str, "limit": int, "each": int, "by": str, "repetitions": int, "models": list, "set": dict,
         "data": object, "run": object, "paper": object, "table": object}  # fmt: skip
_DATA = {"name": str, "graph": str, "build": list, "labels": str, "preset": str, "questions": list, "limit": int,
         "each": int, "by": str}  # fmt: skip


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
        runs: The pipelines, with every sweep, model and repetition.
        paper: The paper that it reproduces: ``name``, and what it measured with; empty for none.
        tables: The tables and figures of the paper.
        planned: All pipelines of the file, also where ``runs`` are a part of them (`only`).
        name: What ``graphbrick evaluate`` finds the file by.
        further_judges: Language models that judge first answers beside ``judge``.
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
    paper: Mapping[str, str] = field(default_factory=dict)
    tables: tuple[PaperTable, ...] = ()
    planned: tuple[PlannedRun, ...] = ()
    name: str = ""
    further_judges: tuple[str, ...] = ()

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
        beside = folder or file.parent
        data = [
            _data(Table(file, f"data {number}", table, _DATA), top, beside, known)
            for number, table in enumerate(arrays(content, "data", file), 1)
        ]
        _distinct(top, "data sets", [one.name for one in data])
        names = [one.name for one in data]
        runs = [
            run
            for number, table in enumerate(arrays(content, "run", file), 1)
            for run in runs_of_table(Table(file, f"run {number}", table, RUN), top, names)
        ]
        _distinct(top, "pipelines", [run.name for run in runs])
        _check_set(top, [name for table in content["run"] for name in Table(file, "run", table, RUN).texts("recipes")])
        _distinct(top, "judges", top.texts("judge"))
        asked = {run.model for run in runs}
        unused = next((model for model in top.texts("models") if model not in asked), None)
        if unused is not None:
            raise top.refused(f"has the model {unused!r}, which no pipeline asks", "experiment.unused_models")
        for name in names:
            own = {run.name: run.pipeline for run in runs if name in run.data}
            if own:
                named_pipelines(own)
        return cls(
            file,
            top.text("title", file.stem),
            " ".join(top.text("about").split()),
            beside / top.text("out", f"{file.stem}.sqlite"),
            beside / top.text("report", f"{file.stem}.html"),
            top.number("seed", 0) or 0,
            top.is_true("link"),
            next(iter(top.texts("judge")), ""),
            top.text("budget"),
            tuple(data),
            tuple(runs),
            paper_of(content, file),
            paper_tables(content, file, runs, names),
            tuple(runs),
            str(file) if folder is None else file.name,
            top.texts("judge")[1:],
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

        A word that is a whole name stands for that alone, so that "recipe 1" does not stand for "recipe 12" too.

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
        data = [one for one in self.data if _has_word(one.name, words, names)] or list(self.data)
        runs = [one for one in self.runs if _has_word(one.name, words, names)] or list(self.runs)
        asked = [one for one in data if any(one.name in run.data for run in runs)]
        if not asked:
            raise InputError(
                f"no pipeline of {self.file} with such a name is for data with such a name: {', '.join(words)}",
                code="experiment.nothing_asked",
            )
        return replace(self, data=tuple(asked), runs=tuple(runs))


def _has_word(name: str, words: Sequence[str], names: Sequence[str]) -> bool:
    return any(name == word if word in names else word in name for word in words)


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
