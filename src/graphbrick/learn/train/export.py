"""Export of a trained model to ONNX, and a check that its outputs equal those of torch. Needs torch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import ModelError
from graphbrick.learn.train.torch_tools import quiet
from graphbrick.models.onnx_text import first_line

if TYPE_CHECKING:
    import torch

WEIGHTS = Path("onnx") / "model.onnx"
_MOST_OFF = 1e-4


def write_onnx(model: torch.nn.Module, inputs: Mapping[str, torch.Tensor], outputs: Sequence[str], file: Path) -> None:
    """Write a model in ONNX, float32, for any number of texts and of tokens.

    Args:
        model: Takes the inputs in their order and returns a tuple of outputs.
        inputs: Tokens of at least two texts, int64 [texts, tokens].
        outputs: Names of the outputs.
        file: The file to write.

    Raises:
        ModelError: The model cannot be exported.
    """
    import torch

    axes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("tokens")}
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        with quiet(), torch.no_grad():
            # The exporter without dynamo writes a file whose vectors are wrong for other lengths.
            torch.onnx.export(
                model.eval(), tuple(inputs.values()), str(file), dynamo=True, external_data=False, verbose=False,
                input_names=list(inputs), output_names=list(outputs), dynamic_shapes=(tuple(axes for _ in inputs),),
            )  # fmt: skip
    except Exception as error:  # torch's, onnx's, onnxscript's
        raise ModelError(
            f"the trained model cannot be written in ONNX: {first_line(error)}", code="train.no_onnx"
        ) from error


def exported(
    model: torch.nn.Module, inputs: Iterable[str], run: Callable[[Any, dict[str, torch.Tensor]], tuple[Any, ...]]
) -> torch.nn.Module:
    """Return a module whose inputs are in order, giving what ``run`` gives for model and inputs."""
    import torch

    class Exported(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, *values: torch.Tensor) -> tuple[torch.Tensor, ...]:
            return run(self.model, dict(zip(inputs, values, strict=True)))

    return Exported()


def check_agreement(expected: npt.NDArray[np.float32], actual: npt.NDArray[np.float32], texts: int) -> None:
    """Raise ModelError unless the outputs of ONNX and torch agree.

    Args:
        expected: Output of torch.
        actual: Output of the written file for the same texts.
        texts: Number of texts.
    """
    off = float(np.abs(expected - actual).max()) if expected.shape == actual.shape else float("inf")
    if not off <= _MOST_OFF:
        raise ModelError(
            f"the model in ONNX differs from the trained one by {off:.2g} for {texts} texts, more than {_MOST_OFF:g}; "
            "nothing was written: train with another version of torch",
            code="train.onnx_differs",
        )


def samples(texts: Sequence[str]) -> list[list[str]]:
    """Return batches of texts to check a written model: shortest, longest, all lengths, one far longer."""
    by = sorted(texts, key=lambda text: (len(text), text))
    spread = [by[i] for i in np.unique(np.linspace(0, len(by) - 1, 24).astype(int))]
    return [[by[0]], [by[-1]], spread[:3], spread, [" ".join(spread), by[0]]]
