"""A process that does one kind of work with limits of time and memory."""

from __future__ import annotations

import io
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphbrick.core.compute import check_limits
from graphbrick.core.workers import child

_STARTING = 60.0  # seconds that opening a large database may take
_GRACE = 0.5  # seconds after its time in which an engine may stop a request by itself
_READING = 10.0  # seconds until the thread that reads has seen the end of a process
_TICK = 0.02  # seconds between two looks at the memory
_RARELY = 1.0  # seconds between two looks where they are not cheap
_IDLE = 600.0  # seconds; a database that is not used any more, such as a copy of an older graph, needs no process
_LONGEST = 1 << 40  # bytes of a reply
_VALUES = {
    "datetime": ("date", "datetime", "time", "timedelta", "timezone"),
    "decimal": ("Decimal",),
    "uuid": ("UUID", "SafeUUID"),
}
"""The types that a reply may have besides those of JSON and bytes."""


class WorkerFault(Exception):  # noqa: N818 - callers raise the error of their subject
    """A request without an answer.

    Attributes:
        kind: "time", "memory" or "length" (a limit), "refused" (by the engine), "ended" (the process died), "busy" (all
            processes are), or "idle" (the process had ended because it was not needed).
        reason: What the engine says; empty for a limit.
    """

    def __init__(self, kind: str, reason: str = "") -> None:
        super().__init__(f"{kind}: {reason}")
        self.kind, self.reason = kind, reason


class Worker:
    """A process that answers one request at a time, and is killed if it takes too much time or memory.

    It ends when this process ends, however that happens.

    Args:
        engine: File with the function ``opened``; see `graphbrick.core.workers.child`. It imports nothing of
            graphbrick.
        arguments: Arguments of that function.
        memory: Bytes that requests may take beyond what the process has when the engine is opened.
        idle: Seconds without a request after which the process ends.

    Raises:
        WorkerFault: The engine cannot be opened.
    """

    def __init__(self, engine: Path, arguments: Mapping[str, Any], memory: int, idle: float = _IDLE) -> None:
        self._most = sys.maxsize
        command = [sys.executable, "-P", child.__file__, str(engine)]
        options: dict[str, Any] = {}
        self._pipes = os.pipe() if os.name == "posix" else ()  # nothing is written: it tells when this process ends
        if self._pipes:
            command.append(str(self._pipes[0]))
            options = {"pass_fds": self._pipes[:1], "process_group": 0}
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,  # a buffer has a lock, which the thread that reads would hold when Python ends
            **options,
        )
        self._replies: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        assert self._process.stdout is not None
        self._reader = threading.Thread(
            target=_pass_on, args=(self._process, self._replies), name="graphbrick-worker", daemon=True
        )
        self._reader.start()
        try:
            self._send({"arguments": dict(arguments), "memory": memory, "idle": idle})
            self._receive(_STARTING)
        except BaseException:
            self.close()
            raise
        self._most = used_memory(self._process.pid) + memory

    def ask(self, request: Any, seconds: float, longest: int = _LONGEST) -> Any:
        """Return the answer of the engine to a request.

        Args:
            request: Plain values.
            seconds: Time that it may take.
            longest: Most bytes of the answer.

        Raises:
            WorkerFault: There is no answer.
            GraphbrickError: `check_limits` says that the current work must stop.
        """
        try:
            self._send({"request": request, "seconds": seconds, "longest": longest})
            return self._receive(seconds + _GRACE)
        except WorkerFault:
            raise
        except BaseException:
            self.close()  # its answer would be taken for that of the next request
            raise

    def _send(self, message: dict[str, Any]) -> None:
        data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        assert self._process.stdin is not None
        try:
            left = memoryview(len(data).to_bytes(child.HEAD, "big") + data)
            while left:
                left = left[self._process.stdin.write(left) :]
        except OSError as error:
            raise self._ended() from error

    def _receive(self, seconds: float) -> Any:
        now = time.monotonic()
        end, look = now + seconds, now + _TICK
        while True:
            try:
                data = self._replies.get(timeout=max(0.0, min(end, look) - now))
                break
            except queue.Empty:
                check_limits()
            now = time.monotonic()
            if now >= end:
                raise self._killed("time")
            if now >= look:
                if used_memory(self._process.pid) > self._most:
                    raise self._killed("memory")
                look = time.monotonic() + (_TICK if _HAS_PROC else _RARELY)
        if not data:
            raise self._ended()
        try:
            kind, value = _Values(io.BytesIO(data)).load()
        except pickle.UnpicklingError as error:
            raise WorkerFault("refused", str(error)) from error
        if kind != "done":
            raise WorkerFault(kind, value or "")
        return value

    def _killed(self, kind: str) -> WorkerFault:
        self.close()
        return WorkerFault(kind)

    def _ended(self) -> WorkerFault:
        code = self._process.wait()
        self.close()
        if hasattr(signal, "SIGALRM") and code == -signal.SIGALRM:
            return WorkerFault("time")
        if not code:
            return WorkerFault("idle")
        names = {-number: number.name for number in signal.Signals}
        return WorkerFault("ended", names.get(code, f"exit code {code}"))

    @property
    def pid(self) -> int:
        """The id of the process."""
        return int(self._process.pid)

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the process; a second call does nothing."""
        self._process.kill()
        self._process.wait()
        pipes, self._pipes = self._pipes, ()
        for pipe in pipes:
            os.close(pipe)
        # While the thread may still read, its number is not given back: the pipe of the next process could get it.
        self._reader.join(_READING)
        streams = (self._process.stdin, None if self._reader.is_alive() else self._process.stdout)
        for stream in streams:
            try:
                if stream is not None:
                    stream.close()
            except OSError:
                continue  # something was not sent


def _pass_on(process: subprocess.Popen[bytes], replies: queue.SimpleQueue[bytes]) -> None:
    """Put each message of a process into a queue, and an empty one at the end."""
    assert process.stdout is not None
    stream, data = process.stdout, b"-"
    while data:
        try:
            head = child.exactly(stream, child.HEAD)
            data = child.exactly(stream, int.from_bytes(head, "big")) if head else b""
        except (OSError, ValueError):  # closed meanwhile
            data = b""
        replies.put(data)
    process.wait()  # else it would stay in the list of processes


class _Values(pickle.Unpickler):
    """Reader of replies, which makes plain values only."""

    def find_class(self, module: str, name: str) -> Any:
        """Return one of the types that a reply may have."""
        if name not in _VALUES.get(module, ()):
            raise pickle.UnpicklingError(f"a reply has a value of {module}.{name}")
        return super().find_class(module, name)


_HAS_PROC = Path("/proc/self/statm").exists()


def used_memory(pid: int) -> int:
    """Return the bytes of memory of a process that are its own; 0 if the system does not tell.

    >>> used_memory(os.getpid()) > 1 << 20 or os.name == "nt"
    True
    """
    try:
        if _HAS_PROC:
            _, resident, shared, *_ = map(int, Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split())
            return (resident - shared) * os.sysconf("SC_PAGE_SIZE")
        command = ["ps", "-o", "rss=", "-p", str(pid)]
        return int(subprocess.run(command, capture_output=True, timeout=5, check=True).stdout) << 10
    except (OSError, ValueError, subprocess.SubprocessError):
        return 0  # it has ended, or there is no such command
