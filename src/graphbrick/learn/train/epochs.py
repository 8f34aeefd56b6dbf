"""The training loop of models with torch: epochs, warm-up, early stopping, best weights.

The loop is our own: text models choose their negatives again between epochs, by what they score at that time, and
language models spread a step over as many passes as memory needs. The trainers of sentence-transformers and
transformers want the examples fixed beforehand, write checkpoints, and need two packages more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from graphbrick.core.compute import Progress
from graphbrick.core.errors import InputError, ModelError
from graphbrick.core.parameters import declared, parameter
from graphbrick.learn.train.torch_tools import sound_gradients

if TYPE_CHECKING:
    import torch

_CLIP = 1.0  # the largest norm of a gradient


class Quality(Protocol):
    """The quality of a model on examples that it was not trained on."""

    @property
    def merit(self) -> float:
        """One number, higher for a better model."""


Q = TypeVar("Q", bound=Quality)


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """Parameters of the loop; parameters of a training derive from it.

    Attributes:
        epochs: Epochs at most.
        batch_size: Examples a step.
        learning_rate: The highest learning rate.
        warm_up: Share of the steps in which the learning rate rises; then it falls to nothing.
        patience: Epochs without a better model after which training ends.
        seed: Seed of everything that is drawn at random.
        decay: Weight decay of matrices, not a parameter of users; biases and scales of norms do not decay.
    """

    decay: ClassVar[float] = 0.0
    epochs: int = parameter(4, at_least=1, at_most=10_000)
    batch_size: int = parameter(8, at_least=1, at_most=10_000)
    learning_rate: float = parameter(5e-5, above=0, at_most=1)
    warm_up: float = parameter(0.1, at_least=0, at_most=1)
    patience: int = parameter(2, at_least=1, at_most=10_000)
    seed: int = parameter(0, at_least=0)


def check_parameters(caller: str, parameters: object) -> None:
    """Raise InputError, in the name of the caller, unless all declared parameters are in range."""
    for one in declared(type(parameters)):
        value = getattr(parameters, one.name)
        if not one.accepts(value):
            raise InputError(
                f"{caller} {one.name} must be {one.allowed(value)}, got {value!r}; try {one.example(value)}",
                code="train.bad_parameter",
                name=one.name,
            )


@dataclass(frozen=True, slots=True)
class Fitted(Generic[Q]):
    """Result of a training loop.

    Attributes:
        losses: Mean loss of each epoch that was run.
        best: The epoch whose weights were kept; 0 for the weights before training.
        untrained: Quality before training; None without held-out examples.
        trained: Quality with the weights that were kept.
    """

    losses: tuple[float, ...]
    best: int
    untrained: Q | None
    trained: Q | None


def fit_epochs(
    model: torch.nn.Module,
    n_examples: int,
    how: Course,
    progress: Progress,
    *,
    learn: Callable[[Sequence[int], np.random.Generator], tuple[float, float]],
    evaluate: Callable[[str], Q | None],
    begin: Callable[[int, str], None] = lambda epoch, name: None,
    new_head: bool = False,
) -> Fitted[Q]:
    """Train a model in place with AdamW; it has the best weights afterwards.

    After every epoch the model is evaluated on held-out examples; ``how.patience`` epochs without a better result end
    the training, and of equal epochs the last one is kept. Without held-out examples all epochs are run.

    Args:
        model: The model; weights that require a gradient are trained.
        n_examples: Number of examples to learn from.
        how: Parameters of the loop.
        progress: Told how far the work is.
        learn: Given the indices of the examples of a step and a random generator, adds the gradient of their mean loss
            to the weights; returns the sum of the losses and how many terms it has.
        evaluate: Given a name for the progress, returns the quality; None without held-out examples.
        begin: Called with the number and the name of an epoch before it starts.
        new_head: Whether the last layer is random, so that the weights before training are not worth keeping.

    Raises:
        ModelError: The loss is not a finite number.
    """
    import torch

    optimizer, schedule = _optimizer(model, how, how.epochs * math.ceil(n_examples / how.batch_size))
    untrained = trained = evaluate("evaluating without training")
    weights = {} if trained is None else _weights(model)
    best, better, losses = 0, 0, list[float]()
    for epoch in range(1, how.epochs + 1):
        name, rng = f"epoch {epoch} of {how.epochs}", np.random.default_rng([how.seed, 2, epoch])
        begin(epoch, name)
        order, total, terms = rng.permutation(n_examples).tolist(), 0.0, 0.0
        model.train()
        for start in range(0, n_examples, how.batch_size):
            places = order[start : start + how.batch_size]
            with sound_gradients():
                loss, of_terms = learn(places, rng)
            if not math.isfinite(loss):
                raise ModelError(
                    f"the loss became {loss} in {name}; train with a lower learning_rate", code="train.bad_loss"
                )
            torch.nn.utils.clip_grad_norm_(_learned(model), _CLIP)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad(set_to_none=True)
            total, terms = total + loss, terms + of_terms
            progress(f"{name}; loss {total / terms:.3f}", start + len(places), n_examples)
        losses.append(total / terms)
        now = evaluate(f"{name}, evaluating")
        if now is None or trained is None:
            best = epoch
            continue
        is_first = new_head and epoch == 1
        better = epoch if is_first or now.merit > trained.merit else better
        if is_first or now.merit >= trained.merit:
            weights, best, trained = _weights(model), epoch, now
        if epoch - better >= how.patience:
            break
    if weights:
        model.load_state_dict(weights, strict=False)
    model.eval()
    return Fitted(tuple(losses), best, untrained, trained)


def _optimizer(model: torch.nn.Module, how: Course, steps: int) -> tuple[torch.optim.Optimizer, Any]:
    """Return AdamW and its learning rate, which rises in a line and then falls in a line to nothing."""
    import torch

    groups = [
        {"params": [value for value in _learned(model) if value.ndim > 1], "weight_decay": how.decay},
        {"params": [value for value in _learned(model) if value.ndim < 2], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW([group for group in groups if group["params"]], lr=how.learning_rate)
    rising = max(1, round(how.warm_up * steps))

    def share(step: int) -> float:
        return (step + 1) / rising if step < rising else (steps - step) / max(1, steps - rising)

    return optimizer, torch.optim.lr_scheduler.LambdaLR(optimizer, share)


def _learned(model: torch.nn.Module) -> list[torch.nn.Parameter]:
    return [value for value in model.parameters() if value.requires_grad]


def _weights(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Return copies of the weights that are trained."""
    return {
        name: value.detach().to("cpu", copy=True) for name, value in model.named_parameters() if value.requires_grad
    }
