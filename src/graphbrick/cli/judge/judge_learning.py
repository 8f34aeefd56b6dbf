"""The commands that make, train and check judges; `graphbrick.cli.app` puts them into the group `judge`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphbrick.cli.judge.judge_options import LabelNames, judge_of, labels_named
from graphbrick.cli.llm import BudgetText, CacheFile, CacheMode, limits
from graphbrick.cli.options import Json

# Everything else is imported where it is used, so that help is shown at once.
if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphbrick.core.compute import Progress
    from graphbrick.judge.judges.classifier.training import TrainedLabel
    from graphbrick.judge.synthetic.passages import Passage
    from graphbrick.judge.synthetic.questions import Pair, QuestionWriter
    from graphbrick.judge.verdicts import Label


def data(
    sources: Annotated[
        list[Path],
        typer.Argument(metavar="SOURCE...", help="Files or folders of documents, or one graph.", show_default=False),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="The folder to make.")],
    llm: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Writes the questions; without it they are made by rules.")
    ] = None,
    n: Annotated[int, typer.Option("-n", "--passages", metavar="N", help="Passages that are asked about.")] = 500,
    searched: Annotated[
        int, typer.Option(metavar="N", help="Passages that questions are searched in, and negatives are drawn from.")
    ] = 2000,
    each: Annotated[int, typer.Option(metavar="N", help="Questions about each passage.")] = 2,
    negatives: Annotated[
        str | None,
        typer.Option(
            metavar="KINDS",
            help="Kinds of negatives, as in 'random,retrieved,answer removed' [all; easy and hard name groups].",
        ),
    ] = None,
    all_questions: Annotated[
        bool, typer.Option("--all-questions", help="Keep questions whose passage a search does not find first, too.")
    ] = False,
    text: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Tables: columns of text, as in title,sections.answer.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of what is drawn.")] = 0,
    budget: BudgetText = None,
    cache: CacheMode = "off",
    cache_file: CacheFile = None,
    as_json: Json = False,
) -> None:
    """Make data that a judge learns from.

    Questions about passages, with right and wrong passages and answers.

    A graph gives passages of its documents, or of its facts. After a kill or the end of the budget, the same command
    goes on.
    """
    from graphbrick.cli.compare.ending import model_of
    from graphbrick.cli.printing.judges import print_data
    from graphbrick.cli.progress import progress
    from graphbrick.core.trace import Trace, record
    from graphbrick.judge.synthetic.making import Selection, write_data
    from graphbrick.judge.synthetic.questions import QuestionWriter
    from graphbrick.models.embedders.minilm import MiniLM

    trace = Trace()
    with limits(budget, cache, cache_file), progress(f"making {out}") as report, record(trace, "data", "data"):
        writer = None if llm is None else QuestionWriter(model_of(llm), each)
        passages, pairs = _material(sources, writer, (n, searched, each), text, seed, report)
        made = write_data(
            out, passages, pairs, MiniLM(),
            Selection(_kinds(negatives), seed, found_again=not (all_questions or _is_by_graph(passages, pairs))),
            about={"sources": [str(source) for source in sources]}, n=n, progress=report,
        )  # fmt: skip
    for text_of_event in trace.events:
        typer.echo(f"note: {text_of_event}", err=True)
    print_data(out, made, as_json=as_json)


def train(
    data: Annotated[
        list[Path],
        typer.Argument(
            metavar="DATA...", help="Data sets of graphbrick judge data, or tables of ARES (TSV).", show_default=False
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="The folder of the judge to make.")],
    method: Annotated[
        str,
        typer.Option(metavar="KIND", help="classifier (without torch), encoder or llm (LoRA; graphbrick[train])."),
    ] = "classifier",
    base: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="encoder: a BERT, an embedding model or a re-ranker [all-minilm-l6-v2]; llm: an instruct model, best "
            "as a GGUF file [qwen2.5-coder-1.5b].",
            show_default=False,
        ),
    ] = None,
    trials: Annotated[int, typer.Option(metavar="N", help="encoder: settings that optuna tries.")] = 0,
    reranker: Annotated[
        str,
        typer.Option(metavar="SCORER", help="reranker (models fetch reranker), CrossEncoder(...), or none."),
    ] = "reranker",
    label: LabelNames = None,
    embedder: Annotated[str, typer.Option(metavar="EMBEDDER", help="What embeds texts.")] = "MiniLM()",
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the folds.")] = 0,
    as_json: Json = False,
) -> None:
    """Train a judge on the data of graphbrick judge data.

    It takes minutes without torch; with torch, a model that reads can be trained.

    Use it as --judge FOLDER, and look first at what graphbrick judge check says of it.
    """
    from graphbrick.cli.printing.judges import print_trained
    from graphbrick.cli.progress import progress
    from graphbrick.core.errors import InputError
    from graphbrick.judge.judges.classifier.learned import description, reader_of
    from graphbrick.judge.judges.classifier.training import train_classifier
    from graphbrick.judge.judges.folder import new_judge
    from graphbrick.judge.synthetic.rows import read_rows, require_new

    if method not in ("classifier", "encoder", "llm"):
        raise InputError(f"--method must be classifier, encoder or llm, got {method!r}")
    require_new(out)
    labels = labels_named(label)
    rows = [row for place in data for row in read_rows(place) if labels is None or row.label in labels]
    about = {"data": [str(place) for place in data], "seed": seed}
    with progress(f"training {out}") as report:
        made: Mapping[Label, TrainedLabel]
        left_out: Mapping[str, str] | None = None
        if method == "encoder":
            from graphbrick.judge.training.judge_encoder import BASE, EncoderParameters, train_judge_encoder

            how = EncoderParameters(seed=seed)
            made = train_judge_encoder(
                rows, out, base=base or BASE, parameters=how, trials=trials, about=about, progress=report
            )
        elif method == "llm":
            from graphbrick.judge.training import judge_llm

            settings = judge_llm.JudgeSettings(seed=seed)
            made = judge_llm.train_judge_llm(
                rows, out, base=base or judge_llm.BASE, settings=settings, about=about, progress=report
            )
        else:
            readers = embedder, "" if reranker == "none" else reranker
            trained = train_classifier(rows, reader_of(*readers), seed=seed, progress=report)
            with new_judge(out, description(trained.models, trained.rarity, readers, {**about, **trained.report()})):
                made, left_out = trained.reports, trained.left_out
    print_trained(out, made, left_out, as_json=as_json)


def check(
    judge: Annotated[
        str,
        typer.Argument(
            metavar="JUDGE",
            help="The folder of a judge, a language model, one-word:MODEL, likelihood:MODEL, or a baseline.",
        ),
    ],
    labels: Annotated[
        list[Path],
        typer.Argument(metavar="LABELS...", help="Labelled rows: data sets, JSON lines, or tables of ARES (TSV)."),
    ],
    budget: BudgetText = None,
    cache: CacheMode = "off",
    cache_file: CacheFile = None,
    as_json: Json = False,
) -> None:
    """Say how good a judge is on labelled rows.

    Length, shared words, cosine and a re-ranker are shown beside it.

    For the labels of a study, graphbrick judge RUNS --labels FILE says it with the scores of its systems.
    """
    from graphbrick.cli.printing.judges import print_check
    from graphbrick.cli.progress import progress
    from graphbrick.judge.report.checking import check_judge
    from graphbrick.judge.synthetic.rows import read_rows

    rows = [row for place in labels for row in read_rows(place)]
    with limits(budget, cache, cache_file), progress() as report:
        checked = check_judge(judge, judge_of(judge), rows, progress=report)
    print_check(checked, as_json=as_json)


def _kinds(text: str | None) -> tuple[str, ...]:
    """Return the kinds of negatives that ``--negatives`` names."""
    from graphbrick.judge.synthetic.negatives import EASY, HARD, KINDS, check_kinds

    if text is None:
        return KINDS
    groups = {"easy": EASY, "hard": HARD}
    names = [name.strip() for name in text.split(",") if name.strip()]
    return check_kinds([kind for name in names for kind in groups.get(name, (name,))])


def _is_by_graph(passages: list[Passage], pairs: QuestionWriter | list[Pair]) -> bool:
    """Return whether questions were written from facts, so that they are certainly about their passages."""
    from graphbrick.judge.synthetic.passages import WINDOW

    return isinstance(pairs, list) and bool(passages) and passages[0].kind != WINDOW


def _material(
    sources: list[Path],
    writer: QuestionWriter | None,
    sizes: tuple[int, int, int],
    text: str | None,
    seed: int,
    report: Progress,
) -> tuple[list[Passage], QuestionWriter | list[Pair]]:
    """Return the passages, and the questions about them or the writer of such questions."""
    n, searched, each = sizes
    from graphbrick.cli.options import open_graph
    from graphbrick.core.errors import InputError
    from graphbrick.graphs.corpus import TextGraph
    from graphbrick.judge.synthetic.facts import facts_of
    from graphbrick.judge.synthetic.making import chosen
    from graphbrick.judge.synthetic.passages import passages_of, windows_of
    from graphbrick.judge.synthetic.questions import pairs_by_rule
    from graphbrick.judge.synthetic.written import written_about
    from graphbrick.text.sources.tables import SourceOptions

    for option, number in zip(("--passages", "--searched", "--each"), sizes, strict=True):
        if number < 1:
            raise InputError(f"{option} must be at least 1, got {number}")
    graphs = [source for source in sources if (source / "manifest.json").is_file()]
    if graphs and len(sources) > 1:
        raise InputError(f"{graphs[0]} is a graph; give one graph, or documents")
    if graphs:
        graph = open_graph(graphs[0])
        if not isinstance(graph, TextGraph):
            if writer is None:
                return written_about(graph, n * each, seed=seed)
            return facts_of(graph, max(n, searched), seed=seed), writer
        passages = passages_of(graph, graph)
    else:
        report("reading documents", 0, None)
        passages = windows_of(sources, SourceOptions(text=text))
    passages = [passages[i] for i in chosen(passages, max(n, searched), seed)]
    if writer is not None:
        return passages, writer
    places = chosen(passages, n, seed)
    pairs = pairs_by_rule([passages[i] for i in places], each, seed=seed)
    return passages, [pair._replace(passage=places[pair.passage]) for pair in pairs]
