"""Training of embedding models and re-rankers on paths, which differ in their `Trainee`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress
from graphbrick.core.errors import ModelError
from graphbrick.graphs.graph import Graph
from graphbrick.learn.train.epochs import Fitted, fit_epochs
from graphbrick.learn.train.export import WEIGHTS, check_agreement, exported, samples, write_onnx
from graphbrick.learn.train.folder import check_place, writing
from graphbrick.learn.train.frame import Training, provenance, require_packages
from graphbrick.learn.train.texts.text_models import (
    PACKAGES,
    Key,
    Prepared,
    Ranked,
    Row,
    TextOptions,
    TextParameters,
    TextReport,
    base_of,
    prepare,
    ranked,
)
from graphbrick.learn.train.torch_tools import device_of, quiet, seeded
from graphbrick.models.onnx_text import _MOST_TOKENS, first_line, readable, torch_weights
from graphbrick.questions.grounding import Grounded
from graphbrick.questions.question import Question

if TYPE_CHECKING:
    import torch

_NAMED = ("torch", "transformers", "sentence-transformers", "onnxruntime")  # whose versions the folder names
_RATE_QUESTIONS, _RATE_BATCH = 32, 64  # questions, and their texts, that are scored at once
Floats = npt.NDArray[np.float32]
Candidates = tuple[str, Sequence[str]]
"""A question and texts to score against it."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Training data of a row in one epoch: one positive and some negatives, each with its key."""

    row: Row
    texts: tuple[str, ...]
    keys: tuple[Key, ...]


class Trainee(ABC):
    """A model of sentence-transformers in training.

    Args:
        model: The model.
        device: Where it is trained.
        how: Parameters of the training.
        prefixes: What the base expects before a question and before a text, as "query_prefix" and "text_prefix".

    Attributes:
        kind: Kind of model, for its folder and for errors.
        caller: The function that trains it.
        library_class: Class of sentence-transformers, and the options that it is loaded with.
        base: Base model by default.
        losses: Its losses, the default first.
        margin: Margin by default.
        batch_size: Questions a step by default.
        one_sided_losses: Losses that learn from questions around which every path is right.
        outputs: Names of what the model gives in ONNX.
        new_head: Whether its last layer is random; without training it is then not a model to keep.
    """

    kind: ClassVar[str]
    caller: ClassVar[str]
    library_class: ClassVar[tuple[str, dict[str, Any]]]
    base: ClassVar[str]
    losses: ClassVar[tuple[str, ...]]
    margin: ClassVar[float]
    batch_size: ClassVar[int]
    one_sided_losses: ClassVar[tuple[str, ...]] = ()
    outputs: ClassVar[tuple[str, ...]]

    def __init__(self, model: Any, device: torch.device, how: TextParameters, prefixes: Mapping[str, str]) -> None:
        self.model, self.device, self.how, self.prefixes = model.float().to(device), device, how, prefixes
        self.new_head = False
        self.max_tokens = min(int(model.max_seq_length or _MOST_TOKENS), _MOST_TOKENS)  # as it is used afterwards

    @abstractmethod
    def inputs(self, question: str, texts: Sequence[str]) -> list[Any]:
        """Return the input of the model for each text: the text, or the question with it."""

    @abstractmethod
    def forward(self, tokens: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return vectors or scores, one a row."""

    @abstractmethod
    def loss(self, drawn: Sequence[Drawn]) -> torch.Tensor:
        """Return the mean loss of a batch."""

    @abstractmethod
    def rate(self, questions: Sequence[Candidates]) -> list[Floats]:
        """Return the scores of the texts of each question, float32 [texts], without a gradient."""

    @abstractmethod
    def outputs_of(self, tokens: dict[str, torch.Tensor]) -> tuple[torch.Tensor, ...]:
        """Return the `outputs` that are written in ONNX."""

    @staticmethod
    @abstractmethod
    def reopened(folder: str) -> Callable[[str, Sequence[str]], npt.NDArray[Any]]:
        """Return a function from a question and texts to the outputs of the written model for them."""

    def tokens(self, inputs: Sequence[Any]) -> dict[str, torch.Tensor]:
        """Return texts, or pairs of them, as tokens; cut and padded as the model is used after training."""
        tokens = self.model.tokenizer(
            *_sides(inputs), padding=True, truncation=True, max_length=self.max_tokens, return_tensors="pt"
        )
        return {name: values.to(self.device) for name, values in tokens.items()}

    def count_long(self, rows: Sequence[Row]) -> int:
        """Return how many distinct inputs are longer than the model reads."""
        inputs = [one for row in rows for one in self.inputs(row.question, row.positives + row.negatives)]
        ids = self.model.tokenizer(
            *_sides(list(dict.fromkeys(inputs))), padding=False, truncation=False, verbose=False
        )["input_ids"]
        return sum(len(of_text) > self.max_tokens for of_text in ids)

    def infer(self, inputs: Sequence[Any]) -> Floats:
        """Return `forward` of inputs, float32, without a gradient; inputs of like length go together."""
        import torch

        distinct = list(dict.fromkeys(inputs))
        place, rows = {one: i for i, one in enumerate(distinct)}, [np.zeros(0, dtype=np.float32)] * len(distinct)
        self.model.eval()
        with torch.inference_mode():
            for places in _by_length(distinct):
                made = self.forward(self.tokens([distinct[i] for i in places])).cpu().numpy()
                for i, row in zip(places, made, strict=True):
                    rows[i] = row
        return np.stack([rows[place[one]] for one in inputs])

    def write(self, folder: Path, rows: Sequence[Row]) -> None:
        """Write the model, and check that onnxruntime gives what torch gives."""
        import torch

        self.model.to("cpu").eval()
        self.device = torch.device("cpu")
        with quiet():
            self.model.save_pretrained(str(folder), create_model_card=False)
        question = rows[0].question
        texts = list(dict.fromkeys(text for row in rows for text in row.positives + row.negatives))
        tokens = self.tokens(self.inputs(question, [texts[0], texts[-1] + texts[0]]))
        module = exported(self.model, list(tokens), lambda model, tokens: self.outputs_of(tokens))
        write_onnx(module, tokens, self.outputs, folder / WEIGHTS)
        written = self.reopened(str(folder))
        for batch in samples(texts):
            outputs = written(question, batch).astype(np.float32)
            check_agreement(self.infer(self.inputs(question, batch)), outputs, len(batch))


def train_text_model(
    kind: type[Trainee],
    graph: Graph,
    questions: Sequence[Question] | Grounded,
    out: str | PathLike[str],
    options: TextOptions,
    prefixes: Mapping[str, str],
) -> TextReport:
    """Train one kind of text model and write its folder; see `train_embedder` and `train_reranker`."""
    training = Training(kind.caller, out, options, TextOptions)
    own: dict[str, Any] = {"loss": kind.losses[0], "margin": kind.margin, "batch_size": kind.batch_size}
    how = TextParameters(caller=kind.caller, losses=kind.losses, **own | training.parameters("base"))
    place, progress = training.place, training.progress
    check_place(place, kind.kind, overwrite=training.overwrite)
    require_packages(kind.caller, PACKAGES)
    base, device = base_of(options.get("base", kind.base)), device_of(options.get("device"))
    with seeded(how.seed, device):
        model = _open_base(kind, base)
        prepared = prepare(graph, questions, how, progress, alone=how.loss in kind.one_sided_losses)
        trainee, rows = kind(model, device, how, prefixes), prepared.learned + prepared.apart
        long = trainee.count_long(rows)
        fitted = fit(trainee, prepared, progress)
    examples, (learned, apart, alone) = prepared.examples, prepared.questions
    report = TextReport(
        **examples.lost(), learned=learned, apart=apart, cut=examples.cut, alone=alone, positives=how.positives,
        long=long, new_head=trainee.new_head, epochs=len(fitted.losses), best=fitted.best, untrained=fitted.untrained,
        trained=fitted.trained, seconds=training.seconds,
    )  # fmt: skip
    weights = torch_weights(Path(base)) if Path(base).is_dir() else []
    about = provenance(graph, base, weights, _NAMED, {**how.to_dict(), **prefixes}, report)
    with writing(place, kind.kind, about, overwrite=training.overwrite) as folder:
        trainee.write(folder, rows)
    return report


def _open_base(kind: type[Trainee], base: str) -> Any:
    """Load a model of sentence-transformers to train, never one that is shared."""
    import sentence_transformers

    (name, options), is_folder = kind.library_class, Path(base).is_dir()
    try:
        with quiet():
            return getattr(sentence_transformers, name)(
                base, device="cpu", local_files_only=is_folder, trust_remote_code=False, **options
            )
    except Exception as error:  # of the hub, of torch and of a dozen other packages
        hint = (
            "are its files complete?"
            if is_folder
            else "is it a name of the hub, and can that be reached? Otherwise: graphbrick models fetch all-minilm-l6-v2"
        )
        raise ModelError(
            f"sentence-transformers cannot load {base}: {first_line(error)}; {hint}", code="train_texts.not_loadable"
        ) from error


def fit(trainee: Trainee, prepared: Prepared, progress: Progress) -> Fitted[Ranked]:
    """Train a model on rows; it has the best weights afterwards.

    In every epoch each row gives one positive and ``how.negatives`` negatives. ``how.hard`` of these are the ones that
    the model itself scores highest at that time; the others are drawn.
    """
    how, rows, hardest = trainee.how, prepared.learned, list[list[int]]()

    def begin(epoch: int, name: str) -> None:
        if how.hard and (epoch - 1) % how.refresh == 0:
            negatives = [(row.question, row.negatives) for row in rows]
            scores = _rated(trainee, negatives, progress, f"{name}, hard negatives")
            hardest[:] = [np.argsort(-of_row, kind="stable")[: how.hard].tolist() for of_row in scores]

    def learn(places: Sequence[int], rng: np.random.Generator) -> tuple[float, float]:
        loss = trainee.loss([_draw(rows[i], hardest[i] if hardest else [], how, rng) for i in places])
        loss.backward()
        return loss.item(), 1.0

    def evaluate(name: str) -> Ranked | None:
        if not prepared.apart:
            return None
        candidates = [(row.question, row.positives + row.negatives) for row in prepared.apart]
        return ranked(prepared.apart, _rated(trainee, candidates, progress, name))

    return fit_epochs(
        trainee.model, len(rows), how, progress, learn=learn, evaluate=evaluate, begin=begin, new_head=trainee.new_head
    )


def _draw(row: Row, hardest: Sequence[int], how: TextParameters, rng: np.random.Generator) -> Drawn:
    """Draw one positive, and negatives: the hardest, then others."""
    right = len(row.positives)
    others = np.setdiff1d(np.arange(len(row.negatives)), np.array(hardest, dtype=np.int64))
    more = rng.permutation(others)[: how.negatives - len(hardest)].tolist()
    positive = int(rng.integers(right))
    places = [positive, *(right + i for i in (*hardest, *more))]
    texts = row.positives + row.negatives
    return Drawn(row, tuple(texts[i] for i in places), tuple(row.keys[i] for i in places))


def _rated(trainee: Trainee, questions: Sequence[Candidates], progress: Progress, name: str) -> list[Floats]:
    """Return the scores of the texts of each question."""
    scores: list[Floats] = []
    for start in range(0, len(questions), _RATE_QUESTIONS):
        scores += trainee.rate(questions[start : start + _RATE_QUESTIONS])
        progress(name, len(scores), len(questions))
    return scores


def _sides(inputs: Sequence[Any]) -> list[list[str]]:
    """Return texts as one list, pairs as two lists, as a tokenizer takes them."""
    clean = readable(inputs)
    return [clean] if isinstance(clean[0], str) else [list(side) for side in zip(*clean, strict=True)]


def _by_length(inputs: Sequence[Any]) -> Iterator[list[int]]:
    """Yield the indices of inputs in batches of like length."""
    length = [len(one) if isinstance(one, str) else sum(map(len, one)) for one in inputs]
    order = sorted(range(len(inputs)), key=lambda i: (length[i], i))
    for start in range(0, len(order), _RATE_BATCH):
        yield order[start : start + _RATE_BATCH]
