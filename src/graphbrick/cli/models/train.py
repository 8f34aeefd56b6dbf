"""The commands that train models; `graphbrick.cli.app` gives them their name."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from graphbrick.cli.options import GraphFolder, Json, chosen_embedder, open_graph

# Everything else is imported where it is used, so that help is shown at once.
_Questions = Annotated[
    list[Path],
    typer.Argument(
        metavar="QUESTIONS...",
        help="Files of questions with answers, or data sets such as webqsp:train.",
        show_default=False,
    ),
]
_Folder = Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="Folder to make.", show_default=False)]
_Form = Annotated[str, typer.Option(help="Form of the files, such as metaqa or webqsp.")]
_By = Annotated[str, typer.Option(help="Texts learned from: path, pattern, or both.")]
_Epochs = Annotated[int, typer.Option(help="Passes at most.")]
_Rate = Annotated[float, typer.Option(help="At its highest.")]
_Device = Annotated[str | None, typer.Option(help="Such as cpu or cuda:0 [a GPU of CUDA, else the cpu].")]
_Seed = Annotated[int, typer.Option(help="The same seed gives the same weights.")]
_Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the model that is there.")]

app = typer.Typer(
    name="train",
    help="Train what a pipeline ranks with, on your own questions.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


@app.callback()
def start() -> None:
    """Train what a pipeline ranks with, on your own questions."""


@app.command()
def patterns(
    graph: GraphFolder,
    questions: _Questions,
    out: _Folder,
    form: _Form = "auto",
    max_hops: Annotated[int, typer.Option(help="The longest pattern.")] = 3,
    embedder: Annotated[str, typer.Option(metavar="BRICK", help="What makes vectors of questions.")] = "MiniLM()",
    seed: _Seed = 0,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the patterns that are there.")] = False,
    as_json: Json = False,
) -> None:
    """Learn which relation patterns answer a question.

    Patterns(PatternScorer('FOLDER')) then ranks by them.
    """
    from graphbrick.learn.learned import pipeline_over

    _train(
        "patterns", graph, questions, form, out, lambda: f"use it as {pipeline_over(str(out))!r}", as_json=as_json,
        max_hops=max_hops, embedder=embedder, seed=seed, overwrite=overwrite,
    )  # fmt: skip


@app.command()
def sizes(
    graph: GraphFolder,
    questions: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[QUESTIONS]...", help="Files of questions with answers, or data sets; not needed with --feedback."
        ),
    ] = None,
    *,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="File to write.", show_default=False)],
    form: _Form = "auto",
    feedback: Annotated[
        bool, typer.Option("--feedback", help="Learn from questions that graphbrick feedback marked, too.")
    ] = False,
    most: Annotated[int, typer.Option("--most", metavar="K", help="Entities that are ranked at most.")] = 2000,
    seed: Annotated[int, typer.Option(help="Which questions are held back.")] = 0,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file that is there.")] = False,
    as_json: Json = False,
) -> None:
    """Learn how many entities a question needs.

    SizedPPR(LearnedSizer('FILE')) then cuts subgraphs by it.
    """
    from graphbrick.bricks.extract.ppr import PPR
    from graphbrick.core.errors import InputError

    files = questions or []
    if not files and not feedback:
        raise InputError("there are no questions to learn from; give files of questions, or --feedback")
    _check_file(out, files)
    ppr = PPR(k=most)
    use = f"use it as SizedPPR(LearnedSizer({str(out)!r}, recall=0.9), {ppr!r})"
    _train(
        "sizes", graph, files, form, out, lambda: use, title="learning", feedback=feedback, as_json=as_json, ppr=ppr,
        seed=seed, overwrite=overwrite,
    )  # fmt: skip


def _train(
    name: str,
    graph: Path,
    questions: list[Path],
    form: str,
    out: Path,
    use: Callable[[], str],
    *,
    title: str = "training",
    feedback: bool = False,
    as_json: bool,
    **options: Any,
) -> None:
    """Run a training, and print its report and what to do with the model.

    Args:
        name: ``train_NAME`` does the work.
        graph: The graph.
        questions: Files of questions.
        form: Their form.
        out: Folder or file of the model.
        use: Tells what to do with it.
        title: Name of the work, for progress.
        feedback: Whether to learn from questions that users marked, too.
        as_json: Print the report as JSON.
        **options: Options of the training; an embedder as text.
    """
    from graphbrick.cli.printing.terminal import console, print_json
    from graphbrick.cli.progress import progress
    from graphbrick.learn import train
    from graphbrick.questions.fetching import load_all

    loaded = list(load_all(questions, form)) if questions else []
    opened = open_graph(graph)
    if feedback:
        from graphbrick.learn.feedback import feedback_questions, read_feedback

        loaded += feedback_questions(read_feedback(opened))
    if "embedder" in options:
        options["embedder"] = chosen_embedder(options["embedder"], "--embedder")
    with progress(title) as shown:
        report = getattr(train, f"train_{name}")(opened, loaded, out, progress=shown, **options)
    if as_json:
        print_json(report.to_dict())
    else:
        console().print(f"{report}\n{use()}")


def _check_file(out: Path, questions: list[Path]) -> None:
    """Raise InputError if the file of a model is one of the questions it learns from."""
    from graphbrick.core.errors import InputError

    if any(out.resolve() == file.resolve() for file in questions):
        raise InputError(f"--out {out} would overwrite the questions; name another file")


def _text_model(name: str, base: str, losses: str, batch_size: int, brick: str) -> Callable[..., None]:
    """Return the command that trains one kind of text model.

    Args:
        name: Name of the command; ``train_NAME`` does the work.
        base: Base model by default.
        losses: Names of the losses, the default first, as the help shows them.
        batch_size: Questions a step by default.
        brick: Name of the brick that uses the model.
    """

    def command(
        graph: GraphFolder,
        questions: _Questions,
        out: _Folder,
        form: _Form = "auto",
        base: Annotated[
            str, typer.Option(metavar="MODEL", help="Trained on: a folder, a name of graphbrick models, or of the hub.")
        ] = base,
        loss: Annotated[str, typer.Option(help=f"{losses}.")] = losses.replace(",", "").split()[0],
        by: _By = "both",
        max_hops: Annotated[int, typer.Option(help="The longest path.")] = 3,
        epochs: _Epochs = 4,
        batch_size: Annotated[int, typer.Option(help="Questions a step.")] = batch_size,
        learning_rate: _Rate = 5e-5,
        device: _Device = None,
        seed: _Seed = 0,
        overwrite: _Overwrite = False,
        as_json: Json = False,
    ) -> None:
        import graphbrick
        from graphbrick import PathAnswer, Rerank, ShortestPaths

        def use() -> str:
            reranked = Rerank(getattr(graphbrick, brick)(str(out)), by="path" if by == "path" else "pattern")
            return f"use it as {ShortestPaths(max_hops=max_hops) >> reranked >> PathAnswer()!r}"

        _train(
            name, graph, questions, form, out, use, as_json=as_json, base=base, loss=loss, by=by, max_hops=max_hops,
            epochs=epochs, batch_size=batch_size, learning_rate=learning_rate, device=device, seed=seed,
            overwrite=overwrite,
        )  # fmt: skip

    return command


app.command("embedder", help="Train an embedding model.\n\nRerank(EmbeddingModel('FOLDER')) then ranks by it.")(
    _text_model(
        "embedder", "sentence-transformers/all-MiniLM-L6-v2", "multiple_negatives or margin", 16, "EmbeddingModel"
    )
)
app.command("reranker", help="Train a cross-encoder.\n\nRerank(CrossEncoder('FOLDER')) then ranks by it.")(
    _text_model("reranker", "cross-encoder/ms-marco-MiniLM-L6-v2", "binary, softmax or margin", 8, "CrossEncoder")
)


def _relation_model(name: str, max_hops: int, epochs: int, use: str) -> Callable[..., None]:
    """Return the command that trains one kind of small model over relations.

    Args:
        name: Name of the command; ``train_NAME`` does the work.
        max_hops: The longest pattern by default.
        epochs: Passes by default.
        use: The pipeline that uses the model, with ``{}`` for its file.
    """

    def command(
        graph: GraphFolder,
        questions: _Questions,
        out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="File to write.", show_default=False)],
        form: _Form = "auto",
        max_hops: Annotated[int, typer.Option(help="The longest pattern.")] = max_hops,
        embedder: Annotated[str, typer.Option(metavar="BRICK", help="What makes vectors of texts.")] = "MiniLM()",
        epochs: Annotated[int, typer.Option(help="Passes over the questions.")] = epochs,
        seed: _Seed = 0,
        overwrite: _Overwrite = False,
        as_json: Json = False,
    ) -> None:
        _check_file(out, questions)
        _train(
            name, graph, questions, form, out, lambda: f"use it as {use.format(repr(str(out)))}", as_json=as_json,
            max_hops=max_hops, embedder=embedder, epochs=epochs, seed=seed, overwrite=overwrite,
        )  # fmt: skip

    return command


app.command(
    "towers", help="Train two towers, of questions and of paths (KELP).\n\nPathTowers('FILE') then scores by them."
)(_relation_model("towers", 2, 10, "Patterns(PathTowers({}), n=32, max_hops=2) >> PathAnswer()"))
app.command("writer", help="Train a small model that writes relations (GSR).\n\nWrittenRelations('FILE') uses it.")(
    _relation_model("writer", 3, 30, "WrittenRelations({}) >> PathAnswer()")
)


@app.command()
def llm(
    graph: GraphFolder,
    questions: _Questions,
    out: _Folder,
    module: Annotated[
        str,
        typer.Option(
            help="What it is tuned for: plan (PlannedRelations), rank (LLMListwiseScorer) or answer (Generate).",
            show_default=False,
        ),
    ],
    base: Annotated[
        str,
        typer.Option(
            metavar="MODEL",
            help="Tuned: a folder of transformers, a name of the hub, a GGUF file, or a name of graphbrick models.",
            show_default=False,
        ),
    ],
    form: _Form = "auto",
    brick: Annotated[
        str | None,
        typer.Option(metavar="BRICK", help='The brick to tune, such as "LLMListwiseScorer(LLM(structured=False))".'),
    ] = None,
    max_hops: Annotated[int, typer.Option(help="The longest path to an answer.")] = 3,
    texts: Annotated[
        str, typer.Option(help="What is ranked: some of path, step, relation, pattern, triple, entity.")
    ] = "path,step,relation",
    n: Annotated[int, typer.Option("-n", help="Candidates or paths in a prompt at most.")] = 32,
    epochs: _Epochs = 2,
    rank: Annotated[int, typer.Option(help="Of the adapter (LoRA); alpha is twice as much.")] = 16,
    learning_rate: _Rate = 2e-4,
    batch_size: Annotated[int, typer.Option(help="Prompts a step.")] = 8,
    context: Annotated[int, typer.Option(help="Tokens of a prompt with its reply; longer ones are left out.")] = 4096,
    gguf: Annotated[bool, typer.Option("--gguf", help="Also write model.gguf; the base must be a GGUF file.")] = False,
    device: _Device = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same adapter.")] = 0,
    overwrite: _Overwrite = False,
    as_json: Json = False,
) -> None:
    """Tune a language model for one module of a pipeline.

    It is trained on the prompts that its brick will send.
    """
    from graphbrick.pipeline.parsing import parse_brick

    part = None if brick is None else parse_brick(brick)
    use = f"serve it with vllm serve {out / 'merged'}"
    use += f"\nuse it as LocalLLM({str(out / 'model.gguf')!r})" * gguf
    _train(
        "llm", graph, questions, form, out, lambda: use, title="tuning", as_json=as_json, module=module, base=base,
        brick=part, max_hops=max_hops, texts=[text.strip() for text in texts.split(",")], n=n, epochs=epochs, rank=rank,
        alpha=2 * rank, learning_rate=learning_rate, batch_size=batch_size, context=context, gguf=gguf, device=device,
        seed=seed, overwrite=overwrite,
    )  # fmt: skip
