"""The commands `learn` and `feedback`; `graphbrick.cli.app` gives them their names."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from graphbrick.cli.llm import BudgetText, CacheFile, CacheMode, limits
from graphbrick.cli.options import GraphFolder, Json, chosen_embedder, open_graph


def learn(
    graph: GraphFolder,
    questions: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[QUESTIONS]...", help="Questions with answers to learn from as well; none are needed."),
    ] = None,
    call: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RELATION=NAMES",
            help="What entities with a relation are called, such as directed_by=film,movie; <-RELATION for those it "
            "points to. May be repeated.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FOLDER", help="Folder to write [GRAPH.patterns].")
    ] = None,
    n: Annotated[
        int, typer.Option("--questions", metavar="N", help="Questions to write; 0: learn from QUESTIONS alone.")
    ] = 4_000,
    max_hops: Annotated[int, typer.Option(help="The longest pattern.")] = 3,
    embedder: Annotated[
        str, typer.Option(metavar="BRICK", help="What makes vectors of words and questions; USE() for other languages.")
    ] = "MiniLM()",
    llm: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Let a language model suggest words, which are checked: a model of this machine (graphbrick models "
            "list, or a GGUF file), or one of the server that OPENAI_BASE_URL names.",
        ),
    ] = None,
    budget: BudgetText = None,
    cache_mode: CacheMode = "off",
    cache_file: CacheFile = None,
    form: Annotated[str, typer.Option(help="Form of the question files, such as metaqa or webqsp.")] = "auto",
    seed: Annotated[int, typer.Option(help="The same seed gives the same result.")] = 0,
    as_json: Json = False,
) -> None:
    """Learn which relations of a graph answer which questions.

    It learns from the graph itself, and ask then uses what was learned.
    """
    from graphbrick.cli.printing.terminal import console, print_json
    from graphbrick.cli.progress import note_events, progress
    from graphbrick.core.errors import InputError
    from graphbrick.learn.learned import learned_place, pipeline_over
    from graphbrick.learn.learning import learn as run
    from graphbrick.models.llm.naming import chat_model
    from graphbrick.patterns.words_file import WORDS

    names: dict[str, list[str]] = {}
    for entry in call or []:
        relation, equals, text = entry.partition("=")
        if not equals or not text.strip(" ,"):
            raise InputError(f"--call takes RELATION=NAMES, got {entry!r}; try --call directed_by=film,movie")
        names.setdefault(relation.strip(), []).extend(text.split(","))
    loaded = []
    if questions:
        from graphbrick.questions.fetching import load_all  # with the readers of all forms

        loaded = load_all(questions, form)
    opened, brick = open_graph(graph), chosen_embedder(embedder, "--embedder")
    with limits(budget, cache_mode, cache_file), progress("learning") as shown:
        report = run(
            opened,
            out,
            questions=loaded,
            call=names,
            n=n,
            max_hops=max_hops,
            embedder=brick,
            llm=None if llm is None else chat_model(llm),
            seed=seed,
            progress=shown,
        )
    place = out or learned_place(opened)
    note_events(() if report.by_model is None else report.by_model.events)
    if as_json:
        print_json(report.to_dict() | {"folder": str(place)})
        return
    console().print(f"{report}\nwords and names are in {place / WORDS}; correct them and learn again", highlight=False)
    if loaded:
        console().print(f"the best pipeline is {pipeline_over(str(place))!r}", highlight=False)
    if out is None:
        from graphbrick.cli.printing.runs import print_examples
        from graphbrick.learn.examples import example_questions

        console().print(f'ask it: graphbrick ask {shlex.quote(str(graph))} "your question"', highlight=False)
        examples = example_questions(opened)
        if examples:
            print_examples([one.to_dict() for one in examples])


def feedback(
    graph: GraphFolder,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The question.", show_default=False)],
    right: Annotated[bool, typer.Option("--right/--wrong", help="Whether its answers are right.", show_default=False)],
    answer: Annotated[
        list[str] | None,
        typer.Option("--answer", "-a", metavar="ENTITY", help="A right answer: key or label; may be repeated."),
    ] = None,
    pipeline: Annotated[
        str | None, typer.Option("--pipeline", "-p", help="Recipe text of what answered [as for ask].")
    ] = None,
    seed: Annotated[
        list[str] | None, typer.Option("--seed", "-s", help="Where to start: a key or label; may be repeated.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Mark the answers to a question right or wrong.

    The next graphbrick learn uses the marks.
    """
    from dataclasses import asdict

    from graphbrick.cli.pipelines import chosen_pipeline
    from graphbrick.cli.printing.terminal import console, plain, print_json
    from graphbrick.learn.feedback import add_feedback, feedback_place

    opened = open_graph(graph)
    chosen = chosen_pipeline(pipeline, None, [], None, opened)
    run = chosen.run(opened, question, seeds=seed or ())
    marked = add_feedback(run, chosen, right=right, correct=answer or ())
    place = feedback_place(opened)
    if as_json:
        print_json(asdict(marked) | {"file": str(place)})
        return
    answered = "no answer" if run.answer is None or not run.answer.texts else ", ".join(run.answer.texts)
    console().print(plain(f"marked {'right' if right else 'wrong'}: {answered}"), highlight=False, markup=False)
    if marked.correct:
        named = ", ".join(opened.label(opened.entity(key)) for key in marked.correct)
        console().print(plain(f"right answers: {named}"), highlight=False, markup=False)
    if marked.plan:
        use = "nothing is learned from it, because rules computed the answer"
    elif marked.gold:
        use = "the next graphbrick learn uses it"
    else:
        use = "nothing is learned from it until you name the right answers with --answer"
    console().print(plain(f"written to {place}; {use}"), highlight=False, markup=False)
