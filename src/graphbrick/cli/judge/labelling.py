"""The commands about labels by people; `graphbrick.cli.judge.judging` gives them their names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphbrick.cli.compare.evaluate import StudyFile
from graphbrick.cli.judge.judge_options import (
    Groups,
    LabelNames,
    SampleSize,
    Seed,
    judge_of,
    labels_from,
    labels_named,
    rater_of,
)
from graphbrick.cli.options import Json

# Everything else is imported where it is used, so that help is shown at once.
_Labels = Annotated[Path, typer.Argument(metavar="LABELS", help="A file of labels.", show_default=False)]


def sample(
    runs: StudyFile,
    out: Annotated[Path, typer.Option("--out", "-o", help="The table to write.")] = Path("labels.csv"),
    n: SampleSize = 150,
    label: LabelNames = None,
    seed: Seed = 0,
    by: Groups = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the table, with its labels.")] = False,
    as_json: Json = False,
) -> None:
    """Draw answers at random for people to label.

    They come from every system and kind of question.

    Write 1 or 0 into the column of each label, skip, or nothing; or use graphbrick judge label. The first rows are a
    random sample too, so that labelling can stop anywhere. Without --label: the three labels of ARES.
    """
    from graphbrick.cli.printing.terminal import print_json
    from graphbrick.core.errors import InputError
    from graphbrick.judge.cases import cases_of, notes_of
    from graphbrick.judge.labels.files import write_cases
    from graphbrick.judge.labels.sampling import draw
    from graphbrick.judge.verdicts import Label
    from graphbrick.study.store.reader import Study

    if out.resolve() == runs.resolve():
        raise InputError(f"--out {out} would overwrite the study; name another file")
    labels = labels_named(label) or [one for one in Label if one is not Label.CORRECTNESS]
    with Study.open(runs) as study:
        cases = cases_of(study, by=by)
    drawn = draw(cases, labels, n, seed=seed)
    write_cases(drawn, labels, out, overwrite=overwrite)
    strata: dict[tuple[str, str], int] = {}
    for case in drawn:
        strata[case.system, case.group] = strata.get((case.system, case.group), 0) + 1
    if as_json:
        listed = [{"system": system, "group": group, "n": count} for (system, group), count in sorted(strata.items())]
        print_json({"file": str(out), "n": len(drawn), "labels": labels, "strata": listed})
        return
    for text in notes_of(drawn):
        typer.echo(f"note: {text}", err=True)
    for (system, group), count in sorted(strata.items()):
        typer.echo(f"{count:>6,}  {system}{f', {group}' if group else ''}")
    typer.echo(f"{len(drawn):,} answers to label are in {out}; graphbrick judge label {out} shows them on a page")


def agree(first: _Labels, second: _Labels, as_json: Json = False) -> None:
    """Say how well two labellers of the same answers agree.

    The measure is Cohen's kappa, with its interval.
    """
    from graphbrick.cli.printing.terminal import console, print_json, table
    from graphbrick.judge.labels.agreeing import agreements

    compared = agreements(first, second)
    if as_json:
        print_json([one.to_dict() for one in compared])
        return
    rows = table("label", "both", "same, %", "kappa [95 % interval]", "apart on")
    for one in compared:
        kappa = one.agreement
        shown = "" if kappa.kappa is None else f"{kappa.kappa:.2f} [{kappa.low:.2f}, {kappa.high:.2f}]"
        apart = ", ".join(one.apart[:5]) + f" and {len(one.apart) - 5} more" * (len(one.apart) > 5)
        rows.add_row(one.label.value, f"{kappa.n:,}", f"{100 * kappa.same:.1f}", shown or "one label only", apart)
    console().print(rows)


def power(
    runs: Annotated[
        Path | None, typer.Argument(metavar="[RUNS]", help="A study with a judge and some labels.", show_default=False)
    ] = None,
    labels: Annotated[str | None, typer.Option(metavar="FILE|gold", help="Labels so far.")] = None,
    judge: Annotated[str | None, typer.Option(metavar="JUDGE", help="The judge, if several rated the study.")] = None,
    n: Annotated[int, typer.Option("--n", help="With --labels gold: number of answers that count as labelled.")] = 150,
    seed: Annotated[int, typer.Option(help="With --labels gold: which answers are drawn.")] = 0,
    width: Annotated[float, typer.Option(help="Wished length of the interval; 0.1 is 5 points up and down.")] = 0.1,
    share: Annotated[float, typer.Option(help="Without RUNS: about what share of answers the label holds for.")] = 0.5,
    correlation: Annotated[float, typer.Option(help="Without RUNS: of judge and labels.")] = 0.5,
    answers: Annotated[int, typer.Option(help="Without RUNS: number of answers of a system.")] = 1000,
    label_cost: Annotated[
        float | None, typer.Option(help="Cost of a label; with --rating-cost the cheapest mixture is shown.")
    ] = None,
    rating_cost: Annotated[float, typer.Option(help="Cost of a verdict of the judge.")] = 0.0,
    level: Annotated[float, typer.Option(help="Confidence level.")] = 0.95,
    as_json: Json = False,
) -> None:
    """Say how many labels an interval of a wished length needs.

    With a judge and without one.

    With a study, variance and correlation are those of its labels so far; otherwise they are what you expect.
    """
    from graphbrick.cli.printing.terminal import console, print_json, table
    from graphbrick.core.errors import InputError
    from graphbrick.judge.cases import cases_of
    from graphbrick.judge.report.buying import Costs, Wish, expected, needs_of
    from graphbrick.study.store.encoding import plain_json
    from graphbrick.study.store.reader import Study

    costs = None if label_cost is None else Costs(label_cost, rating_cost)
    if runs is None:
        if labels is not None or judge is not None:
            raise InputError("--labels and --judge are of a study; name its file, or leave them out")
        needs = [expected(Wish(width, level, costs), share, correlation, answers)]
    else:
        if labels is None:
            raise InputError("--labels is needed with a study: the labels so far tell what a judge saves")
        with Study.open(runs) as study:
            cases = cases_of(study)
            rater = rater_of(study, None if judge is None else judge_of(judge))
            known, _ = labels_from(labels, cases, None, n, seed)
            assert known is not None
            needs = needs_of(study, cases, known, rater, Wish(width, level, costs))
    if as_json:
        print_json(plain_json(needs))
        return
    title = f"labels of a system for an interval of {width:g} ({level:.0%})"
    rows = table(
        "label", "system", "answers", "correlation", "without judge", "with judge", "cheapest mixture", title=title
    )
    for one in needs:
        mixture = ""
        if one.purchase is not None:
            verdicts = one.purchase.n + one.purchase.others
            mixture = f"{one.purchase.n:,} labels and {verdicts:,} verdicts for {one.purchase.cost:,.2f}"
        figures = [f"{one.cases:,}", f"{one.correlation:.2f}", _count(one.alone), _count(one.judged), mixture]
        rows.add_row(one.label, one.system, *figures)
    console().print(rows)


def _count(n: int | None) -> str:
    return "more than there are" if n is None else f"{n:,}"


def label(
    labels: _Labels,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on this machine [any that is free].")] = 0,
    show: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Label answers on a page of this machine.

    The keys are 1, 0, s and the arrows. Ctrl-C ends it.

    Every label is written into LABELS at once, so that nothing is lost whatever ends it; the same command goes on.
    """
    import webbrowser

    from graphbrick.judge.labels.labelling import labelling_page

    with labelling_page(labels, port=port) as server:
        typer.echo(f"label at {server.address} (Ctrl-C, or Finish on the page, ends it)")
        if show:
            webbrowser.open(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            typer.echo("", err=True)
        info = server.labelling.info()
    labelled = sum(value != "" for value in info["values"])
    typer.echo(f"{labelled:,} of {len(info['values']):,} labels are in {labels}")
