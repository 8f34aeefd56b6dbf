"""Tuning a language model for one module of a pipeline, on questions with answers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from graphbrick.bricks.extract.planned_relations import PlannedRelations
from graphbrick.bricks.generate.generate import Generate
from graphbrick.core import __version__
from graphbrick.core.compute import Progress, part_of, silent
from graphbrick.core.errors import InputError
from graphbrick.core.files.digests import sha256
from graphbrick.core.parameters import parameter
from graphbrick.graphs.graph import Graph
from graphbrick.learn.train.epochs import check_parameters
from graphbrick.learn.train.folder import check_place, writing
from graphbrick.learn.train.llms.llm_examples import DEFAULT_TEXTS, TEXTS, Lost, Tuned, lessons
from graphbrick.learn.train.llms.llm_fit import (
    MERGED,
    Base,
    Quality,
    Settings,
    Tokens,
    adapt,
    encode,
    find_base,
    fit,
    open_base,
    require_packages,
    save,
)
from graphbrick.learn.train.path_examples import collect, grounded, split
from graphbrick.learn.train.torch_tools import seeded
from graphbrick.models.llm.llm import LLM
from graphbrick.models.onnx_text import torch_weights
from graphbrick.models.scorers.llm_listwise import LLMListwiseScorer
from graphbrick.models.scorers.llm_scorer import LLMScorer
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.brick import Brick
from graphbrick.questions.grounding import Grounded
from graphbrick.questions.question import Question

KIND = "language model"
MODULES: dict[str, type[PlannedRelations] | type[LLMScorer] | type[Generate]] = {
    "plan": PlannedRelations,
    "rank": LLMScorer,
    "answer": Generate,
}


@dataclass(frozen=True, slots=True)
class LLMReport:
    """Result of a tuning.

    Attributes:
        module: "plan", "rank" or "answer".
        brick: Text of the brick whose prompts were learned.
        questions: Number of questions given.
        unseeded: Questions without a seed in the graph.
        unanswered: Questions without an answer in the graph.
        unreached: Questions with no path to an answer.
        unshown: Questions whose prompts contain nothing right, or nothing wrong although there is a choice.
        unread: Prompts left out because the brick would misread their right reply.
        too_long: Prompts that were left out because they, or their replies, have too many tokens.
        longest: Tokens of the longest prompt with its reply, the ones left out included.
        learned: Prompts that were learned from.
        epochs: Passes over them.
        losses: Mean loss per token of the replies, for every epoch.
        weights: Number of trained weights.
        untrained: Quality of the base on the held-out prompts; None if there were too few.
        trained: The same after training on the others.
        seconds: Duration.
    """

    module: str
    brick: str
    questions: int
    unseeded: int
    unanswered: int
    unreached: int
    unshown: int
    unread: int
    too_long: int
    longest: int
    learned: int
    epochs: int
    losses: tuple[float, ...]
    weights: int
    untrained: Quality | None
    trained: Quality | None
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON types."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [
            f"{self.questions:,} questions gave {self.learned:,} prompts to learn from, as {self.brick} asks",
            f"  {self.unseeded:,} questions have no seed in the graph, {self.unanswered:,} no answer, "
            f"{self.unreached:,} one that no path leads to; {self.unshown:,} teach nothing by their prompt",
            f"  {self.too_long:,} prompts were left out as too long (the longest has {self.longest:,} tokens), "
            f"{self.unread:,} as their reply would be read differently",
            f"{self.epochs} epochs, {self.weights:,} weights, {self.seconds:.0f} s; loss of each epoch "
            + ", ".join(f"{loss:.3f}" for loss in self.losses),
        ]
        if self.untrained is not None and self.trained is not None:
            lines.append(
                f"on prompts in wordings kept apart: loss {self.untrained.loss:.3f} -> {self.trained.loss:.3f}, "
                f"replies as wanted {self.untrained.exact:.1%} -> {self.trained.exact:.1%}"
            )
            if self.trained.loss >= self.untrained.loss:
                lines.append("no epoch was better than the base, whose weights are kept as they were")
        return "\n".join(lines)


def train_llm(
    graph: Graph,
    questions: Sequence[Question] | Grounded,
    out: str | PathLike[str],
    *,
    module: str,
    base: str,
    brick: Brick | Pipeline | None = None,
    max_hops: int = 3,
    least: float = 0.8,
    texts: Sequence[str] = DEFAULT_TEXTS,
    n: int = 32,
    nothing: float = 0.1,
    epochs: int = 2,
    learning_rate: float = 2e-4,
    warm_up: float = 0.1,
    batch_size: int = 8,
    patience: int = 1,
    rank: int = 16,
    alpha: int = 32,
    dropout: float = 0.05,
    context: int = 4096,
    gguf: bool = False,
    seed: int = 0,
    device: str | None = None,
    overwrite: bool = False,
    watch: Progress = silent,
) -> LLMReport:
    """Tune a language model for one module of a pipeline (LoRA), on questions with answers.

    The model learns the right replies to exactly the prompts that a brick will send; only reply tokens count.
    The right replies come from the graph: paths from the seeds to the answers whose relation pattern leads to the
    answers nearly as well as the best one. A tenth of the wordings is held out; training ends when their loss no longer
    improves, and the weights with the lowest loss are kept. With fewer than 30 questions, or 10 wordings, nothing is
    held out. The same seed gives the same adapter on the same machine, on a CPU with the same number of threads.

    The folder holds ``adapter/`` (peft), ``merged/`` (the whole model, for transformers, vLLM, or the converter of
    llama.cpp), ``training.json``, and with ``gguf`` ``model.gguf``, which `LocalLLM` runs.

    Args:
        graph: The graph.
        questions: Questions with answers, or the result of `ground`; those without seeds are linked by labels.
        out: The folder to write.
        module: "plan" for the relation paths of PlannedRelations, "rank" for the choices of an LLMScorer, "answer" for
            the answers of Generate.
        base: The instruct model to tune: a folder of transformers, a name of the hub, a GGUF file, or a name that
            ``graphbrick models list`` shows.
        brick: The brick as the pipeline will use it, with its parameters and its language model: prompts depend on
            whether that model is ``structured``, and on its context. None for the brick with default parameters.
        max_hops: The longest path to an answer, from 1 to 10.
        least: Paths are right if the F1 of their pattern is at least this share of the best pattern's F1; in [0, 1).
        texts: What an LLMScorer is to rank: "path", "step" (paths that grow in a beam search), "relation"; "pattern"
            (by pattern), "triple" (by triple), "entity".
        n: Candidates, or paths of the evidence, in a prompt at most, at least 2.
        nothing: Share of the prompts that contain nothing right, so that the model learns to say so; in [0, 1).
        epochs: Passes at most, at least 1.
        learning_rate: Highest learning rate of AdamW, above 0 and below 1; it rises for ``warm_up`` of the steps,
            then falls.
        warm_up: Share of the steps in which the learning rate rises, in [0, 1).
        batch_size: Prompts a step, at least 1. They go through the model in as many passes as memory needs.
        patience: Epochs without a better held-out loss after which training ends, at least 1.
        rank: Rank of the adapter, at least 1.
        alpha: Scale of the adapter, at least 1.
        dropout: Dropout of the adapter, in [0, 1).
        context: Tokens of a prompt with its reply at most, at least 256; longer ones are left out, never cut.
        gguf: Also write ``model.gguf``; the base must be a GGUF file.
        seed: Seed of everything that is drawn at random, at least 0.
        device: Such as "cpu" or "cuda:0"; None for a CUDA GPU if there is one, otherwise the CPU.
        overwrite: Replace an existing tuned model.
        watch: Called with (name of the step, number done, total).

    Returns:
        Counts, losses, and the quality of the replies before and after training.

    Raises:
        InputError: There is nothing to learn from, or a parameter is out of range.
        ModelError: A package is missing, the base cannot be loaded, or the place cannot be written.

    Example::

        from graphbrick.questions.loading import load
        base = "Qwen/Qwen2.5-1.5B-Instruct"
        train_llm(graph, load("questions.jsonl"), "planner", module="plan", base=base)
    """
    started, place = time.perf_counter(), Path(out).expanduser()
    tuned = _brick(module, brick, context)
    settings = Settings(
        epochs=epochs, learning_rate=learning_rate, warm_up=warm_up, batch_size=batch_size, patience=patience,
        rank=rank, alpha=alpha, dropout=dropout, seed=seed,
    )  # fmt: skip
    how = Parameters(settings, tuple(texts), device, max_hops, least, n, nothing, context)
    is_gguf = find_base(base)[1] is not None
    if gguf and not is_gguf:
        raise InputError(
            f"a GGUF file is written from the one that was tuned, but {base} is none; tune a GGUF file, or convert "
            f"{place / MERGED} with convert_hf_to_gguf.py of llama.cpp"
        )
    check_place(place, KIND, overwrite=overwrite)
    require_packages(gguf=is_gguf)
    watch("loading the model", 0, 1)
    opened = open_base(base, device)
    watch("loading the model", 1, 1)
    learned, held, counts = _lessons(graph, questions, tuned, opened, how, watch)
    with seeded(seed, opened.device):
        model = adapt(opened, settings)
        fitted = fit(model, learned, held, settings, watch)
    report = LLMReport(
        module=module, brick=repr(tuned), **counts, learned=len(learned), epochs=len(fitted.losses),
        losses=fitted.losses, weights=sum(p.numel() for p in model.parameters() if p.requires_grad),
        untrained=fitted.untrained, trained=fitted.trained, seconds=time.perf_counter() - started,
    )  # fmt: skip
    with writing(place, KIND, _about(graph, opened, how, report), overwrite=overwrite) as folder:
        watch("writing", 0, 1)
        save(opened, model, folder, gguf=gguf)
        watch("writing", 1, 1)
    return report


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a tuning, all within their ranges; see `train_llm`."""

    settings: Settings
    texts: tuple[str, ...]
    device: str | None
    max_hops: int = parameter(3, at_least=1, at_most=10)
    least: float = parameter(0.8, at_least=0, below=1)
    n: int = parameter(32, at_least=2, at_most=1_000)
    nothing: float = parameter(0.1, at_least=0, below=1)
    context: int = parameter(4096, at_least=256, at_most=10_000_000)

    def __post_init__(self) -> None:
        for parameters in (self.settings, self):
            check_parameters("train_llm", parameters)
        unknown = [kind for kind in self.texts if kind not in TEXTS]
        if unknown or not self.texts:
            raise InputError(
                f"train_llm texts must be some of {', '.join(TEXTS)}, got {', '.join(self.texts) or 'none'}"
            )


def _brick(module: str, brick: Brick | Pipeline | None, context: int) -> Tuned:
    """Return the brick whose prompts are learned."""
    kind = MODULES.get(module) if isinstance(module, str) else None
    if kind is None:
        raise InputError(f"train_llm module must be one of {', '.join(MODULES)}, got {module!r}; try 'plan'")
    if brick is None:
        return (LLMListwiseScorer if kind is LLMScorer else kind)(LLM("tuned", context=context))
    if not isinstance(brick, kind):
        raise InputError(f"the module {module} is that of {kind.__name__}, got the brick {brick!r}")
    return brick


def _lessons(
    graph: Graph, questions: Sequence[Question] | Grounded, brick: Tuned, base: Base, how: Parameters, tell: Progress
) -> tuple[list[Tokens], list[Tokens], dict[str, int]]:
    """Return the training lessons, the held-out lessons, and the counts of questions that give none."""
    seed, total = how.settings.seed, len(questions)
    paths = collect(
        graph, grounded(graph, questions, how.max_hops), max_hops=how.max_hops, least=how.least, seed=seed,
        watch=part_of(tell, "questions searched"),
    )  # fmt: skip
    parts, lost, too_long, longest = list[list[Tokens]](), Lost(), 0, 0
    context = min(how.context, base.context or how.context)
    done = 0
    for examples in split(paths.all, seed):
        made = lessons(
            brick, graph, examples, lost, n=how.n, nothing=how.nothing, texts=how.texts, seed=seed,
            watch=part_of(tell, "prompts written", len(paths.all), before=done),
        )  # fmt: skip
        done += len(examples)
        encoded, most = encode(base, made, context=context, longest=brick.llm.max_tokens)
        parts.append([tokens for tokens in encoded if tokens is not None])
        too_long, longest = too_long + len(encoded) - len(parts[-1]), max(longest, most)
    learned, held = parts
    if not learned:
        why = "none has a path to an answer; are they questions of this graph?"
        if too_long:
            why = (
                f"all {too_long:,} prompts are too long ({longest:,} tokens the longest); raise context, or the "
                "max_tokens of the brick's language model"
            )
        elif paths.all:
            why = (
                f"the prompts of all {len(paths.all):,} that have a path to an answer show nothing of it; raise "
                "context, or what the brick shows"
            )
        raise InputError(f"there is nothing to learn from {total:,} questions: {why}")
    counts = {name: getattr(paths, name) for name in ("questions", "unseeded", "unanswered", "unreached")}
    return learned, held, {**counts, **asdict(lost), "too_long": too_long, "longest": longest}


def _about(graph: Graph, base: Base, how: Parameters, report: LLMReport) -> dict[str, Any]:
    """Return the content of ``training.json``; it is the same for two equal trainings."""
    from importlib.metadata import version

    told = report.to_dict()
    del told["seconds"]
    weights = [base.gguf] if base.gguf else torch_weights(Path(base.name)) if Path(base.name).is_dir() else []
    return {
        "made_by": f"graphbrick {__version__}",
        "packages": {name: version(name) for name in ("torch", "transformers", "peft")},
        "graph": graph.hash,
        "base": base.name,
        "base_sha256": [sha256(file) for file in weights],
        "device": str(base.device),
        "parameters": asdict(how),
        "report": told,
    }
