"""What an experiment needs beside its graphs, which must be prepared before the first question."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import GraphbrickError
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.opening import open as open_graph
from graphbrick.study.experiments.pipelines import PlannedRun
from graphbrick.study.experiments.places import Places
from graphbrick.study.experiments.plan import DataSet, Experiment
from graphbrick.text.reporting.reports import reports_of


def unprepared(experiment: Experiment, places: Places, progress: Progress = silent) -> Iterator[str]:
    """Yield a sentence for each data set with a pipeline that reads reports on communities, and a graph without them.

    Args:
        experiment: The plan.
        places: What names in it stand for.
        progress: Told the steps of making a graph of `places`.

    Raises:
        GraphbrickError: A graph cannot be opened.
    """
    for data in experiment.data:
        readers = [
            run
            for run in experiment.runs
            if data.name in run.data and any(stage.reads_reports for stage in run.pipeline.stages_within())
        ]
        if readers:
            reason = _why_not(data, readers[0], places, progress)
            if reason:
                yield f"{data.name}: {readers[0].name} reads reports on the communities of the graph; {reason}"


def _why_not(data: DataSet, run: PlannedRun, places: Places, progress: Progress) -> str:
    """Return why there are no reports, and the commands that write them; empty if there are."""
    path = str(data.graph)
    if path in places:
        graph = places[path].graph(progress)
    elif not data.graph.exists():
        reports = shlex.join(["graphbrick", "prepare", "reports", path])
        build = ["graphbrick", "build", *data.build, path]
        build += ["--labels", data.labels] if data.labels else []
        build += ["--preset", data.preset] if data.preset else []
        return f"build it and write them first: {shlex.join(build)}, then {reports} --llm {_model(run)}"
    else:
        opened = open_graph(data.graph)
        if not isinstance(opened, Graph):
            return ""  # the check of capabilities refuses it
        graph = opened
    try:
        reports_of(graph)
    except GraphbrickError as error:
        return f"{error} (as published, with --llm {_model(run)})"
    return ""


def _model(run: PlannedRun) -> str:
    return shlex.quote(run.model) if run.model else "MODEL"
