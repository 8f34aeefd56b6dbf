"""Shared tools of all training with torch: a device, seeded random numbers, a quiet terminal."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from graphbrick.core.errors import InputError
from graphbrick.models.onnx_text import first_line

if TYPE_CHECKING:
    import torch


@contextmanager
def quiet() -> Iterator[None]:
    """Silence transformers and torch, which write to the terminal in loading and exporting."""
    from transformers.utils import logging as messages

    bars, level = messages.is_progress_bar_enabled(), logging.root.manager.disable
    logging.disable(logging.WARNING)
    messages.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)
        if bars:
            messages.enable_progress_bar()


def device_of(name: str | None) -> torch.device:
    """Return the named device; without a name, a CUDA GPU if there is one, otherwise the CPU.

    Raises:
        InputError: torch does not know the device, or the device is not available.
    """
    import torch

    if name is None:
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError, TypeError) as error:
        raise InputError(
            f"device {name!r} cannot be used: {first_line(error)}; try 'cpu'", code="train.bad_device", name=name
        ) from error
    return device


@contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[None]:
    """Seed the random numbers of torch inside a block, without changing those drawn after it."""
    import torch

    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        yield


@contextmanager
def sound_gradients() -> Iterator[None]:
    """Keep torch from cuDNN's attention inside a block, on GPUs.

    With a mask, and 64 places more than a multiple of 128, its gradients can be NaN where the loss is finite
    (pytorch/pytorch#196678, seen with torch 2.11 on an H100). The other kernels for attention have no such fault.
    """
    from torch.backends import cuda

    was = cuda.cudnn_sdp_enabled()
    cuda.enable_cudnn_sdp(False)
    try:
        yield
    finally:
        cuda.enable_cudnn_sdp(was)
