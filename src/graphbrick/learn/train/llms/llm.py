"""Tuning a language model for one module of a pipeline, on questions with answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

from graphbrick.bricks.extract.planned_relations import PlannedRelations
from graphbrick.bricks.generate.generate import Generate
from graphbrick.core.compute import Progress, part_of
from graphbrick.core.errors import InputError
from graphbrick.core.parameters import parameter
from graphbrick.graphs.graph import Graph
from graphbrick.learn.train.epochs import check_parameters
from graphbrick.learn.train.folder import check_place, writing
from graphbrick.learn.train.frame import (
    TorchOptions,
    Training,
    TrainingReport,
    held_out,
    linked_questions,
    provenance,
)
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
    require_llm_packages,
    save,
)
from graphbrick.learn.train.path_examples import PathRules, collect
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
_CONTEXT = 4096
_FIT: dict[str, Any] = {"epochs": 2, "patience": 1}  # where the defaults differ from those of other models
MODULES: dict[str, type[PlannedRelations] | type[LLMScorer] | type[Generate]] = {
    "plan": PlannedRelations,
    "rank": LLMScorer,
    "answer": Generate,
}


class LLMOptions(TorchOptions, total=False):
    """Options of `train_llm`.

    By default there are 2 epochs of 8 prompts a step, the highest learning rate is 2e-4, and training ends after one
    epoch that is no better.

    Attributes:
        max_hops: The longest path to an answer, from 1 to 10; 3 by default.
        least: Paths are right if the F1 of their pattern is at least this share of the best pattern's F1; in [0, 1),
            0.8 by default.
        texts: What an LLMScorer is to rank: "path", "step" (paths that grow in a beam search), "relation", the default;
            "pattern" (by pattern), "triple" (by triple), "entity".
        n: Candidates, or paths of the evidence, in a prompt at most, at least 2; 32 by default.
        nothing: Share of the prompts that contain nothing right, so that the model learns to say so; in [0, 1), 0.1 by
            default.
        rank: Rank of the adapter, at least 1; 16 by default.
        alpha: Scale of the adapter, at least 1; 32 by default.
        dropout: Dropout of the adapter, in [0, 1); 0.05 by default.
        context: Tokens of a prompt with its reply at most, at least 256; longer ones are left out, never cut. 4096 by
            default.
        gguf: Also write ``model.gguf``; the base must be a GGUF file.
    """

    max_hops: int
    least: float
    texts: Sequence[str]
    n: int
    nothing: float
    rank: int
    alpha: int
    dropout: float
    context: int
    gguf: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LLMReport(TrainingReport[Quality]):
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

    def lines(self) -> list[str]:
        """Return what to tell the user."""
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
                f"on prompts in wordings kept apart: loss {self.change('loss')}, "
                f"replies as wanted {self.change('exact', '.1%')}"
            )
            if self.trained.loss >= self.untrained.loss:
                lines.append("no epoch was better than the base, whose weights are kept as they were")
        return lines


def train_llm(
    graph: Graph,
    questions: Sequence[Question] | Grounded,
    out: str | PathLike[str],
    *,
    module: str,
    base: str,
    brick: Brick | Pipeline | None = None,
    **options: Unpack[LLMOptions],
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
        **options: See `LLMOptions`.

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
    training = Training("train_llm", out, options, LLMOptions)
    place, progress = training.place, training.progress
    tuned = _brick(module, brick, options.get("context", _CONTEXT))
    how, gguf = _parameters(training), options.get("gguf", False)
    is_gguf = find_base(base)[1] is not None
    if gguf and not is_gguf:
        raise InputError(
            f"a GGUF file is written from the one that was tuned, but {base} is not one; tune a GGUF file, or convert "
            f"{place / MERGED} with convert_hf_to_gguf.py of llama.cpp",
            code="train_llm.no_gguf_base",
        )
    check_place(place, KIND, overwrite=training.overwrite)
    require_llm_packages(gguf=is_gguf)
    progress("loading the model", 0, 1)
    opened = open_base(base, how.device)
    progress("loading the model", 1, 1)
    learned, held, counts = _lessons(graph, questions, tuned, opened, how, progress)
    with seeded(how.settings.seed, opened.device):
        model = adapt(opened, how.settings)
        fitted = fit(model, learned, held, how.settings, progress)
    report = LLMReport(
        module=module, brick=repr(tuned), **counts, learned=len(learned), epochs=len(fitted.losses),
        losses=fitted.losses, weights=sum(p.numel() for p in model.parameters() if p.requires_grad),
        untrained=fitted.untrained, trained=fitted.trained, seconds=training.seconds,
    )  # fmt: skip
    weights = [opened.gguf] if opened.gguf else torch_weights(Path(base)) if Path(base).is_dir() else []
    packages, device = ("torch", "transformers", "peft"), str(opened.device)
    about = provenance(graph, base, weights, packages, asdict(how), report, device=device)
    with writing(place, KIND, about, overwrite=training.overwrite) as folder:
        progress("writing", 0, 1)
        save(opened, model, folder, gguf=gguf)
        progress("writing", 1, 1)
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
    context: int = parameter(_CONTEXT, at_least=256, at_most=10_000_000)

    def __post_init__(self) -> None:
        for parameters in (self.settings, self):
            check_parameters("train_llm", parameters)
        unknown = [kind for kind in self.texts if kind not in TEXTS]
        if unknown or not self.texts:
            raise InputError(
                f"train_llm texts must be some of {', '.join(TEXTS)}, got {', '.join(self.texts) or 'none'}",
                code="train_llm.bad_texts",
            )


def _parameters(training: Training) -> Parameters:
    """Return the parameters of a tuning, checked."""
    names = {one.name for one in fields(Settings)}
    values = training.parameters("gguf")
    settings = Settings(**_FIT | {name: value for name, value in values.items() if name in names})
    others = {name: value for name, value in values.items() if name not in names}
    texts = tuple(others.pop("texts", DEFAULT_TEXTS))
    return Parameters(settings, texts, training.options.get("device"), **others)


def _brick(module: str, brick: Brick | Pipeline | None, context: int) -> Tuned:
    """Return the brick whose prompts are learned."""
    kind = MODULES.get(module) if isinstance(module, str) else None
    if kind is None:
        raise InputError(
            f"train_llm module must be one of {', '.join(MODULES)}, got {module!r}; try 'plan'",
            code="train_llm.bad_module",
            module=module,
        )
    if brick is None:
        return (LLMListwiseScorer if kind is LLMScorer else kind)(LLM("tuned", context=context))
    if not isinstance(brick, kind):
        raise InputError(
            f"the module {module} is that of {kind.__name__}, got the brick {brick!r}",
            code="train_llm.other_brick",
            module=module,
        )
    return brick


def _lessons(
    graph: Graph,
    questions: Sequence[Question] | Grounded,
    brick: Tuned,
    base: Base,
    how: Parameters,
    progress: Progress,
) -> tuple[list[Tokens], list[Tokens], dict[str, int]]:
    """Return the training lessons, the held-out lessons, and the counts of questions that give none."""
    seed, total = how.settings.seed, len(questions)
    paths = collect(
        graph, linked_questions(graph, questions, how.max_hops), PathRules(how.max_hops, least=how.least, seed=seed),
        progress=part_of(progress, "questions searched", total),
    )  # fmt: skip
    parts, lost, too_long, longest = list[list[Tokens]](), Lost(), 0, 0
    context = min(how.context, base.context or how.context)
    done = 0
    for examples in held_out(paths.all, lambda example: example.wording, seed):
        made = lessons(
            brick, examples, lost, n=how.n, nothing=how.nothing, texts=how.texts, seed=seed,
            progress=part_of(progress, "prompts written", len(paths.all), before=done),
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
        raise InputError(
            f"there is nothing to learn from {total:,} questions: {why}", code="train_llm.nothing_to_learn", total=total
        )
    return learned, held, {**paths.lost(), **asdict(lost), "too_long": too_long, "longest": longest}
