"""The commands `graphbrick judge metrics`, `pairs` and `score`; `graphbrick.cli.app` gives them their names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphbrick.cli.llm import BudgetText, CacheFile, CacheMode, limits
from graphbrick.cli.options import Json, chosen_embedder

# Everything else is imported where it is used, so that help is shown at once.
if TYPE_CHECKING:
    from graphbrick.judge.metrics.cases import SystemCase
    from graphbrick.judge.metrics.metric_judge import Metric

Cases = Annotated[
    Path,
    typer.Argument(
        metavar="CASES",
        help="What graphbrick evaluate wrote, or a .jsonl file of question, evidence, answer, reference.",
        show_default=False,
    ),
]
Model = Annotated[
    str,
    typer.Option(
        "--llm",
        metavar="MODEL",
        help="The judge: a model of this machine, one of the server that OPENAI_BASE_URL names, or LLM('gpt-4.1').",
        show_default=False,
    ),
]
Questions = Annotated[
    int | None, typer.Option("--questions", metavar="N", min=1, help="Only N questions, drawn at random.")
]
Seed = Annotated[int, typer.Option(help="Which questions are drawn.")]
Out = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", help="Where what the judge said is kept [beside CASES].")
]
Retry = Annotated[bool, typer.Option("--retry", help="Ask again about what could not be read.")]


def metrics(
    cases: Cases,
    llm: Model,
    metric: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A metric; may be repeated; or all [the usual ones].")
    ] = None,
    embedder: Annotated[
        str, typer.Option(metavar="BRICK", help="Compares texts for answer_relevancy and answer_correctness.")
    ] = "MiniLM()",
    questions: Questions = None,
    seed: Seed = 0,
    out: Out = None,
    retry: Retry = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would cost.")] = False,
    budget: BudgetText = None,
    cache: CacheMode = "off",
    cache_file: CacheFile = None,
    as_json: Json = False,
) -> None:
    """Compute metrics of answers and evidence by a language model.

    Faithfulness, context precision, and others.

    faithfulness, answer_relevancy, context_precision, context_precision_without_reference, context_recall,
    context_entity_recall, answer_correctness, noise_sensitivity, noise_sensitivity_irrelevant. After a kill, Ctrl-C or
    the end of the budget, the same command goes on.
    """
    from graphbrick.cli.printing.judge_metrics import print_metrics, print_plan
    from graphbrick.cli.progress import progress
    from graphbrick.core.compute import part_of
    from graphbrick.judge.metrics.cases import drawn
    from graphbrick.judge.metrics.measuring import measure_cases, plan_metrics
    from graphbrick.judge.metrics.metric_judge import NEEDS_EMBEDDER, MetricJudge
    from graphbrick.models.llm.naming import writing_model

    listed, file = drawn(_cases(cases), questions, seed), out or cases.with_name(f"{cases.name}.metrics.jsonl")
    chosen = _metrics(metric or [], listed)
    brick = chosen_embedder(embedder, "--embedder") if NEEDS_EMBEDDER & set(chosen) else None
    judge = MetricJudge(writing_model(llm), chosen, brick)
    if dry_run:
        print_plan(plan_metrics(listed, judge, file), judge, as_json=as_json)
        return
    with limits(budget, cache, cache_file), progress() as report:
        study = measure_cases(listed, judge, file, retry=retry, progress=part_of(report, "metrics"))
    print_metrics(study, as_json=as_json)
    values = [value for by_metric in study.values for value in by_metric.values()]
    _require_readable(
        [value.reason for value in values if value.unreadable], [v for v in values if v.value is not None]
    )


def pairs(
    cases: Cases,
    first: Annotated[str, typer.Argument(metavar="A", help="A system, by name or number.", show_default=False)],
    second: Annotated[str, typer.Argument(metavar="B", help="The other.", show_default=False)],
    llm: Model,
    questions: Questions = None,
    seed: Seed = 0,
    out: Out = None,
    retry: Retry = False,
    budget: BudgetText = None,
    cache: CacheMode = "off",
    cache_file: CacheFile = None,
    as_json: Json = False,
) -> None:
    """Compare the answers of two systems by a language model.

    The model sees each pair in both orders.

    A win counts only in both orders. After a kill, Ctrl-C or the end of the budget, the same command goes on.
    """
    from graphbrick.cli.printing.judge_metrics import print_pairs
    from graphbrick.cli.progress import progress
    from graphbrick.core.compute import part_of
    from graphbrick.judge.metrics.cases import drawn
    from graphbrick.judge.metrics.comparing import compare_pairs, pairs_of, two_systems
    from graphbrick.judge.metrics.pairs import PairJudge
    from graphbrick.models.llm.naming import writing_model

    answers = drawn(_cases(cases), questions, seed)
    systems = two_systems(answers, first, second)
    listed = pairs_of(answers, *systems)
    with limits(budget, cache, cache_file), progress() as report:
        study = compare_pairs(
            listed, PairJudge(writing_model(llm)), out or cases.with_name(f"{cases.name}.pairs.jsonl"),
            systems=systems, retry=retry, progress=part_of(report, "pairs"),
        )  # fmt: skip
    print_pairs(study, as_json=as_json)
    unread = [verdict.reason for verdict in study.verdicts if verdict.outcome is None]
    _require_readable(unread, [verdict for verdict in study.verdicts if verdict.places])


def score(
    cases: Cases,
    criteria: Annotated[str, typer.Argument(metavar="CRITERIA", help="What is scored, in words.", show_default=False)],
    llm: Model,
    step: Annotated[
        list[str] | None, typer.Option(metavar="TEXT", help="A step of the judge; may be repeated, in order.")
    ] = None,
    write_steps: Annotated[bool, typer.Option("--write-steps", help="Let the model write the steps, once.")] = False,
    scale: Annotated[str, typer.Option(metavar="LOW-HIGH", help="Whole numbers within 0 and 10.")] = "1-5",
    samples: Annotated[int, typer.Option(metavar="N", help="Replies for each case; needs a temperature.")] = 1,
    questions: Questions = None,
    seed: Seed = 0,
    out: Out = None,
    retry: Retry = False,
    budget: BudgetText = None,
    cache: CacheMode = "off",
    cache_file: CacheFile = None,
    as_json: Json = False,
) -> None:
    """Score answers by criteria in words (G-Eval).

    Scores are weighted by their log probabilities.

    After a kill, Ctrl-C or the end of the budget, the same command goes on.
    """
    from graphbrick.cli.printing.judge_metrics import print_scores
    from graphbrick.cli.progress import progress
    from graphbrick.core.compute import part_of
    from graphbrick.core.errors import InputError
    from graphbrick.judge.metrics.cases import drawn
    from graphbrick.judge.metrics.criteria import CriteriaJudge
    from graphbrick.judge.metrics.scoring import score_cases
    from graphbrick.models.llm.naming import writing_model

    low, _, high = (part.strip() for part in scale.partition("-"))
    if not (low.isdecimal() and high.isdecimal()):
        raise InputError(f"--scale is two whole numbers such as 1-5, got {scale!r}")
    try:
        judge = CriteriaJudge(writing_model(llm), criteria, tuple(step or ()), (int(low), int(high)), samples)
    except ValueError as error:
        raise InputError(f"{error} (--scale is such as 1-5)") from error
    with limits(budget, cache, cache_file), progress() as report:
        study = score_cases(
            drawn(_cases(cases), questions, seed), judge, out or cases.with_name(f"{cases.name}.scores.jsonl"),
            write_steps=write_steps, retry=retry, progress=part_of(report, "scores"),
        )  # fmt: skip
    print_scores(study, as_json=as_json)
    unread = [score.reason for score in study.scores if score.value is None]
    _require_readable(unread, [score for score in study.scores if score.value is not None])


def _require_readable(unread: Sequence[str], read: Sequence[object]) -> None:
    """Raise an error if nothing that the model said could be read.

    Raises:
        ModelError: It is so.
    """
    from graphbrick.core.errors import ModelError

    if unread and not read:
        raise ModelError(f"no reply of the model could be read, such as: {unread[0]}")


def _cases(place: Path) -> list[SystemCase]:
    from graphbrick.judge.metrics.cases import cases_in

    return cases_in(place)


def _metrics(names: list[str], cases: list[SystemCase]) -> tuple[Metric, ...]:
    """Return the metrics that the options name, or those that the cases have references for.

    Raises:
        InputError: There is no such metric.
    """
    from graphbrick.core.errors import InputError
    from graphbrick.judge.metrics.metric_judge import USUAL, USUAL_WITHOUT_REFERENCE, Metric

    if not names:
        return USUAL if any(any(map(str.strip, one.case.gold)) for one in cases) else USUAL_WITHOUT_REFERENCE
    if names == ["all"]:
        return tuple(Metric)
    unknown = [name for name in names if name not in set(Metric)]
    if unknown:
        raise InputError(f"there is no metric {unknown[0]!r}; there are {', '.join(Metric)}, or all")
    return tuple(metric for metric in Metric if metric in names)
