"""Options that the commands about judges share, and the objects that they name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphbrick.cli.compare.ending import model_of

# Everything else is imported where it is used, so that help is shown at once.
if TYPE_CHECKING:
    from graphbrick.judge.cases import StudyCase
    from graphbrick.judge.labels.files import Labels
    from graphbrick.judge.verdicts import Judge, Label
    from graphbrick.study.store.reader import Study
    from graphbrick.study.store.records import RatingJudge

GOLD = "gold"
"""Value of ``--labels`` in the place of a file."""

LabelNames = Annotated[
    list[str] | None,
    typer.Option(
        "--label",
        metavar="LABEL",
        help="context_relevance, answer_faithfulness, answer_relevance or correctness; may be repeated.",
    ),
]
SampleSize = Annotated[int, typer.Option("--n", help="Number of answers to label, of all systems together.")]
Seed = Annotated[int, typer.Option(help="Which answers are drawn.")]
Groups = Annotated[
    str | None,
    typer.Option(
        "--by",
        help="Kinds of questions: hops, dataset, distance, or a fact of them [complexity, else data sets, else one "
        "hop and more].",
    ),
]


def judge_of(text: str) -> Judge:
    """Return the judge that ``--judge`` names: a language model, the folder of a trained judge, or a baseline.

    Raises:
        InputError: It names none of them.
    """
    from graphbrick.judge.judges.named import judge_of as named

    return named(text, model_of)


def labels_named(names: list[str] | None) -> list[Label] | None:
    """Return the labels of these names; None for None.

    Raises:
        InputError: There is no such label.
    """
    from graphbrick.core.errors import InputError
    from graphbrick.judge.verdicts import Label

    for name in names or ():
        if name not in set(Label):
            raise InputError(f"--label is one of {', '.join(Label)}, got {name!r}")
    return [Label(name) for name in dict.fromkeys(names)] if names else None


def rater_of(study: Study, judge: Judge | None) -> RatingJudge | None:
    """Return what a study knows of a judge; without one, of the only judge that rated it, or None.

    Raises:
        InputError: The judge has not rated the study, or none is named and several have.
    """
    from graphbrick.core.errors import InputError

    known = study.rating_judges()
    names = ", ".join(one.name for one in known)
    if judge is not None:
        rater = next((one for one in known if one.identity == judge.identity), None)
        if rater is None:
            raise InputError(
                f"the judge {judge.identity} has rated no answer of this study; judges that have: {names or 'none'}; "
                "graphbrick judge RUNS --judge lets one rate it",
                study.path,
            )
        return rater
    if len(known) > 1:
        raise InputError(f"several judges rated this study; name one with --judge: {names}", study.path)
    return known[0] if known else None


def labels_from(
    source: str | None, cases: list[StudyCase], names: list[Label] | None, n: int, seed: int
) -> tuple[Labels | None, Labels | None]:
    """Return the labels that ``--labels`` names, and labels of all cases if they follow from a rule.

    Labels by rule are used as if people had given those of a sample, so that the others show whether that was right.
    """
    from graphbrick.judge.labels.files import Labels, labels_by_rule, read_labels
    from graphbrick.judge.labels.sampling import draw
    from graphbrick.judge.verdicts import Label

    if source is None:
        return None, None
    if source != GOLD:
        return read_labels(Path(source), cases), None
    rule = labels_by_rule(cases, names or list(Label))
    drawn = draw([case for case in cases if case.gold], list(rule.values), n, seed=seed)
    values = {
        label: {
            key: known[key] for case in drawn if not case.lacks(label) and (key := (case.run, case.question)) in known
        }
        for label, known in rule.values.items()
    }
    note = f"a random sample of {len(drawn):,} answers counts as labelled (--n); the column truth has all of them"
    return Labels(values, rule.source, notes=(*rule.notes, note)), rule
