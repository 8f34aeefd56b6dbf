"""The training loop of text models: mined negatives, AdamW with a warm-up, and the best epoch kept. Needs torch."""

from __future__ import annotations

import logging
import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import InputError, ModelError
from graphbrick.models.onnx_text import _MOST_TOKENS, first_line, readable
from graphbrick.train.patterns import Watch
from graphbrick.train.text_models import Fitted, Fitting, Key, Ranked, Row, ranked

if TYPE_CHECKING:
    import torch

_DECAY, _CLIP = 0.01, 1.0
_RATE_QUESTIONS, _RATE_BATCH = 32, 64  # questions, and their texts, that are scored at once
Floats = npt.NDArray[np.float32]
Asked = tuple[str, Sequence[str]]
"""A question and texts to score against it."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """What is learned from a row in one epoch: one positive and some negatives, each with its key."""

    row: Row
    texts: tuple[str, ...]
    keys: tuple[Key, ...]


class Trainee(ABC):
    """A model of sentence-transformers in training.

    Args:
        model: The model.
        device: Where it is trained.
        new_head: Whether its last layer is random; without training it is then no model to keep.
    """

    def __init__(self, model: Any, device: torch.device, *, new_head: bool = False) -> None:
        self.model, self.device, self.new_head = model.float().to(device), device, new_head
        self.max_tokens = min(int(model.max_seq_length or _MOST_TOKENS), _MOST_TOKENS)  # as it is used afterwards

    @abstractmethod
    def loss(self, drawn: Sequence[Drawn]) -> torch.Tensor:
        """The mean loss of a batch."""

    @abstractmethod
    def rate(self, asked: Sequence[Asked]) -> list[Floats]:
        """The scores of the texts of each question, float32 [texts], without a gradient."""

    def tokens(self, texts: Sequence[Any]) -> dict[str, torch.Tensor]:
        """Texts, or pairs of them, as tokens; cut and padded as the model is used after training."""
        clean = readable(texts)
        sides = [clean] if isinstance(clean[0], str) else [list(side) for side in zip(*clean, strict=True)]
        given = self.model.tokenizer(
            *sides, padding=True, truncation=True, max_length=self.max_tokens, return_tensors="pt"
        )
        return {name: values.to(self.device) for name, values in given.items()}

    def count_long(self, texts: Sequence[Any]) -> int:
        """How many texts, or pairs, are longer than the model reads."""
        clean = readable(texts)
        sides = [clean] if isinstance(clean[0], str) else [list(side) for side in zip(*clean, strict=True)]
        ids = self.model.tokenizer(*sides, padding=False, truncation=False, verbose=False)["input_ids"]
        return sum(len(of_text) > self.max_tokens for of_text in ids)

    def batches(self, texts: Sequence[Any]) -> Iterator[tuple[list[int], dict[str, torch.Tensor]]]:
        """Texts of like length together, for scoring: their places and tokens."""
        length = [len(text) if isinstance(text, str) else sum(map(len, text)) for text in texts]
        order = sorted(range(len(texts)), key=lambda i: (length[i], i))
        for start in range(0, len(order), _RATE_BATCH):
            places = order[start : start + _RATE_BATCH]
            yield places, self.tokens([texts[i] for i in places])


def open_base(kind: str, base: str, **options: Any) -> Any:
    """A model of sentence-transformers to train, loaded anew: one that is shared must not change.

    Args:
        kind: The class, "SentenceTransformer" or "CrossEncoder".
        base: A folder, or a name of the hub.
        **options: Of the class.

    Raises:
        ModelError: It cannot be loaded.
    """
    import sentence_transformers

    here = Path(base).is_dir()
    try:
        with quiet():
            return getattr(sentence_transformers, kind)(base, device="cpu", local_files_only=here, **options)
    except Exception as error:  # the hub's, torch's and a dozen others
        hint = (
            "are its files complete?"
            if here
            else (
                "is that a name of the hub, and can it be reached? Without it: graphbrick models fetch all-minilm-l6-v2"
            )
        )
        raise ModelError(f"sentence-transformers cannot load {base}: {first_line(error)}; {hint}") from error


@contextmanager
def quiet() -> Iterator[None]:
    """Without what transformers and torch say to the terminal while they load, write and export models."""
    from transformers.utils import logging as said

    bars, level = said.is_progress_bar_enabled(), logging.root.manager.disable
    logging.disable(logging.WARNING)
    said.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)
        if bars:
            said.enable_progress_bar()


def device_of(name: str | None) -> torch.device:
    """The device to train on: the one named, or else a GPU of CUDA where there is one.

    Raises:
        InputError: torch knows no such device, or it is not there.
    """
    import torch

    if name is None:
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError, TypeError) as error:
        raise InputError(f"device {name!r} cannot be used: {first_line(error)}; try 'cpu'") from error
    return device


@contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[None]:
    """Random numbers of torch from a seed; those outside go on as if nothing had been drawn."""
    import torch

    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        yield


def fit(trainee: Trainee, rows: Sequence[Row], apart: Sequence[Row], how: Fitting, tell: Watch) -> Fitted:
    """Train a model; it has the best weights afterwards.

    In every epoch each row gives one positive and ``how.negatives`` negatives, of which ``how.hard`` are those that
    the model itself scores highest at that time; the others are drawn. After every epoch the rows kept apart are
    ranked; ``how.patience`` epochs without a better mean reciprocal rank end the training, and of equal ones the last
    is kept. Without rows kept apart all epochs are run.

    Raises:
        ModelError: The loss is no number any more.
    """
    steps = how.epochs * math.ceil(len(rows) / how.batch_size)
    optimizer, schedule = _optimizer(trainee, how, steps)
    untrained = trained = _quality(trainee, apart, partial(tell, "ranking without training"))
    kept, best, better, hardest = _weights(trainee) if apart else {}, 0, 0, list[list[int]]()
    for epoch in range(1, how.epochs + 1):
        rng, of = np.random.default_rng([how.seed, 2, epoch]), f"epoch {epoch} of {how.epochs}"
        if how.hard and (epoch - 1) % how.refresh == 0:
            hardest = _hardest(trainee, rows, how.hard, partial(tell, f"{of}, hard negatives"))
        order = rng.permutation(len(rows)).tolist()
        trainee.model.train()
        for start in range(0, len(order), how.batch_size):
            places = order[start : start + how.batch_size]
            _step(trainee, [_draw(rows[i], hardest[i] if hardest else [], how, rng) for i in places], optimizer)
            schedule.step()
            tell(of, start + len(places), len(order))
        now = _quality(trainee, apart, partial(tell, f"{of}, ranking"))
        if now is None or trained is None:
            best = epoch
            continue
        is_first = trainee.new_head and epoch == 1
        better = epoch if is_first or now.mrr > trained.mrr else better
        if is_first or now.mrr >= trained.mrr:
            kept, best, trained = _weights(trainee), epoch, now
        if epoch - better >= how.patience:
            break
    if apart:
        trainee.model.load_state_dict(kept)
    trainee.model.eval()
    return Fitted(epoch, best, untrained, trained)


def _optimizer(trainee: Trainee, how: Fitting, steps: int) -> tuple[torch.optim.Optimizer, Any]:
    """AdamW and the course of its learning rate; biases and scales of norms, of one dimension, do not decay."""
    import torch

    learned = [value for value in trainee.model.parameters() if value.requires_grad]
    groups = [
        {"params": [value for value in learned if value.ndim > 1], "weight_decay": _DECAY},
        {"params": [value for value in learned if value.ndim < 2], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW([group for group in groups if group["params"]], lr=how.learning_rate)
    return optimizer, torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: share_of_rate(step, steps, how.warm_up))


def share_of_rate(step: int, steps: int, warm_up: float) -> float:
    """Of the learning rate at a step: up in a line, then down in a line to nothing at the end."""
    rising = max(1, round(warm_up * steps))
    return (step + 1) / rising if step < rising else (steps - step) / max(1, steps - rising)


def _step(trainee: Trainee, batch: Sequence[Drawn], optimizer: torch.optim.Optimizer) -> None:
    import torch

    loss = trainee.loss(batch)
    if not torch.isfinite(loss):
        raise ModelError(f"the loss became {loss.item()}; train with a lower learning_rate")
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(trainee.model.parameters(), _CLIP)
    optimizer.step()


def _draw(row: Row, hardest: Sequence[int], how: Fitting, rng: np.random.Generator) -> Drawn:
    """One positive, and negatives: the hardest, then others."""
    right = len(row.positives)
    others = np.setdiff1d(np.arange(len(row.negatives)), np.array(hardest, dtype=np.int64))
    more = rng.permutation(others)[: how.negatives - len(hardest)].tolist()
    positive = int(rng.integers(right))
    places = [positive, *(right + i for i in (*hardest, *more))]
    texts = row.positives + row.negatives
    return Drawn(row, tuple(texts[i] for i in places), tuple(row.keys[i] for i in places))


def _hardest(trainee: Trainee, rows: Sequence[Row], n: int, watch: Callable[[int, int], None]) -> list[list[int]]:
    """Of each row the places of the negatives that score highest."""
    scores = _rated(trainee, [(row.question, row.negatives) for row in rows], watch)
    return [np.argsort(-some, kind="stable")[:n].tolist() for some in scores]


def _quality(trainee: Trainee, rows: Sequence[Row], watch: Callable[[int, int], None]) -> Ranked | None:
    """How well the model ranks the texts of rows; None where there are none."""
    if not rows:
        return None
    return ranked(rows, _rated(trainee, [(row.question, row.positives + row.negatives) for row in rows], watch))


def _rated(trainee: Trainee, asked: Sequence[Asked], watch: Callable[[int, int], None]) -> list[Floats]:
    """The scores of the texts of each question, some questions at a time."""
    scores: list[Floats] = []
    for start in range(0, len(asked), _RATE_QUESTIONS):
        scores += trainee.rate(asked[start : start + _RATE_QUESTIONS])
        watch(len(scores), len(asked))
    return scores


def _weights(trainee: Trainee) -> dict[str, torch.Tensor]:
    return {name: value.detach().to("cpu", copy=True) for name, value in trainee.model.state_dict().items()}
