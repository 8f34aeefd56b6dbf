"""The resident memory of this process and its peak, and that of GPUs where torch uses them.

Linux keeps the peak of a process and can be told to begin again (``/proc/self/clear_refs``), so that the peak of a
stage is exact, whatever takes it. Where that is not allowed, a thread reads the resident memory every few milliseconds,
and misses shorter peaks.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import Any, Protocol

_STATUS, _RESET, _STATM = Path("/proc/self/status"), Path("/proc/self/clear_refs"), Path("/proc/self/statm")
_KILOBYTES, _BYTES = 1024, 1 << 20  # of a megabyte
_INTERVAL = 0.005  # seconds between two looks


class Peaks(Protocol):
    """The resident memory of this process, and its peak since the last beginning, in MB."""

    def begin(self) -> float:
        """Begin anew, and return the resident memory now."""

    def peak(self) -> float:
        """Return the peak since then."""

    def close(self) -> None:
        """Free what is held."""


class KernelPeaks:
    """The peak that Linux keeps.

    Raises:
        OSError: It cannot be told to begin again.
    """

    def __init__(self) -> None:
        _RESET.write_text("5", encoding="utf-8")

    def begin(self) -> float:
        """Begin anew, and return the resident memory now."""
        _RESET.write_text("5", encoding="utf-8")
        return self._read("VmRSS:")

    def peak(self) -> float:
        """Return the peak since then."""
        return self._read("VmHWM:")

    def close(self) -> None:
        """Free what is held."""

    def _read(self, name: str) -> float:
        line = next(line for line in _STATUS.read_text(encoding="utf-8").splitlines() if line.startswith(name))
        return int(line.split()[1]) / _KILOBYTES


class SampledPeaks:
    """The largest of the resident memories that a thread reads every few milliseconds.

    Args:
        interval: Seconds between two looks, above 0.

    Raises:
        OSError: There is no /proc.
    """

    def __init__(self, interval: float = _INTERVAL) -> None:
        self._page = os.sysconf("SC_PAGE_SIZE")
        self._peak = self._resident()
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._interval = interval
        self._thread = threading.Thread(target=self._watch, name="memory", daemon=True)
        self._thread.start()

    def begin(self) -> float:
        """Begin anew, and return the resident memory now."""
        with self._lock:
            self._peak = self._resident()
            return self._peak

    def peak(self) -> float:
        """Return the peak since then."""
        self._look()
        return self._peak

    def close(self) -> None:
        """End the thread."""
        self._is_over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._is_over.wait(self._interval):
            self._look()

    def _look(self) -> None:
        with self._lock:  # else a look of the thread that began before `begin` would count after it
            self._peak = max(self._peak, self._resident())

    def _resident(self) -> float:
        return int(_STATM.read_text(encoding="utf-8").split()[1]) * self._page / _BYTES


def _cuda() -> Any:
    """Return torch.cuda if this process has used a GPU with it; else None."""
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    return cuda if cuda is not None and cuda.is_initialized() else None


def gpu_anew() -> float | None:
    """Let torch measure the peak of its GPUs anew, and return what is allocated now, in MB; None without any."""
    cuda = _cuda()
    if cuda is None:
        return None
    for device in range(cuda.device_count()):
        cuda.reset_peak_memory_stats(device)
    return float(sum(cuda.memory_allocated(device) for device in range(cuda.device_count()))) / _BYTES


def gpu_peak() -> float | None:
    """Return the peak of torch's memory on all GPUs together, in MB; None without any."""
    cuda = _cuda()
    if cuda is None:
        return None
    return float(sum(cuda.max_memory_allocated(device) for device in range(cuda.device_count()))) / _BYTES
