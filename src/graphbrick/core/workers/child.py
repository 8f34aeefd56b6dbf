"""Child process of `graphbrick.core.workers.worker`: answers requests by the function of an engine.

Run as ``python child.py ENGINE [PIPE]``. ENGINE is a file with a function ``opened``, which is called with the
arguments of the parent and returns the function that answers a request; a `TimeoutError` of that one says that the time
was up. A message is a length of eight bytes and a pickle. Nothing of graphbrick is imported, so that it starts at once.

While the engine works, it may never come back to Python. So the system ends this process when the parent is gone, or
when a request takes much longer than it may.
"""

from __future__ import annotations

import os
import pickle
import runpy
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

HEAD = 8
"""Bytes of the length of a message."""
VALUE = 16
"""Bytes that a value of an answer counts at least, as many small ones take more memory and time than a long one."""
_LATE = 2.0  # seconds after its time at which a request is ended here; the parent does it earlier
_RESERVED = 1 << 29  # bytes of addresses that threads and allocators reserve without use
_FULL = ("bad_alloc", "bad allocation", "Unable to allocate memory", "buffer pool is full")


def main() -> None:
    """Open what the first message names, and answer until the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    _die_first()
    if len(sys.argv) > 2:
        _end_with(int(sys.argv[2]))
    requests = sys.stdin.buffer

    def send(message: bytes) -> None:
        sys.stdout.buffer.write(len(message).to_bytes(HEAD, "big"))
        sys.stdout.buffer.write(message)
        sys.stdout.buffer.flush()

    first = _read(requests)
    if first is None:
        return
    engine = runpy.run_path(sys.argv[1])
    opened, failure = _tried(lambda: engine["opened"](**first["arguments"]))
    if failure is None:
        _limit(first["memory"])
    send(failure or pickle.dumps(("done", None)))
    while opened is not None and _comes(first["idle"]) and (message := _read(requests)) is not None:
        with _ended_by_the_system(message["seconds"] + _LATE):
            reply = _reply(opened, message)
        send(reply)


def _comes(seconds: float) -> bool:
    """Wait for a message, or for the end of the stream; return whether one comes within these seconds."""
    if not hasattr(signal, "setitimer"):  # Windows cannot wait for a pipe
        return True
    import select

    return bool(select.select([0], [], [], seconds)[0])


def _read(stream: IO[bytes]) -> Any:
    """Return the next message; None at the end of the stream."""
    head = exactly(stream, HEAD)
    return pickle.loads(exactly(stream, int.from_bytes(head, "big"))) if head else None


def exactly(stream: IO[bytes], n: int) -> bytes:
    """Return the next bytes of a stream; none if it ends before."""
    data = bytearray()
    while len(data) < n:
        part = stream.read(min(n - len(data), 1 << 20))
        if not part:
            return b""
        data += part
    return bytes(data)


def _reply(answer: Callable[[Any], Any], message: dict[str, Any]) -> bytes:
    """Return the reply to a request as it is sent."""
    longest = message["longest"]

    def work() -> bytes:
        value = answer(message["request"])
        reply = pickle.dumps(("done", value), pickle.HIGHEST_PROTOCOL)
        if len(reply) > longest or (len(reply) * (1 + VALUE) > longest and _values(value) * VALUE > longest):
            return pickle.dumps(("length", None))
        return reply

    reply, failure = _tried(work)
    return failure or reply


def _values(value: Any) -> int:
    """Return the number of values in a list or map, at any depth."""
    n, stack = 1, [value]
    while stack:
        value = stack.pop()
        parts = [*value, *value.values()] if type(value) is dict else value
        n += len(parts)
        stack += [part for part in parts if type(part) in (list, tuple, dict)]
    return n


def _tried(work: Callable[[], Any]) -> tuple[Any, bytes | None]:
    """Return the result of some work, and what is sent in its place if it failed."""
    try:
        return work(), None
    except MemoryError:
        return None, pickle.dumps(("memory", None))
    except TimeoutError:
        return None, pickle.dumps(("time", None))
    except RecursionError:
        return None, pickle.dumps(("refused", "a value of the result is nested too deeply"))
    except Exception as error:  # noqa: BLE001 - the parent raises it
        text = str(error) or type(error).__name__
        return None, pickle.dumps(
            ("memory", None) if any(word in text for word in _FULL) else ("refused", text[:10_000])
        )


@contextmanager
def _ended_by_the_system(seconds: float) -> Iterator[None]:
    """End this process if the block takes longer."""
    if not hasattr(signal, "setitimer"):  # Windows
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, seconds)  # SIGALRM, which nobody handles
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _end_with(pipe: int) -> None:
    """End this process when the parent ends, and so closes a pipe into which nobody writes.

    Only Linux tells of it; elsewhere the process of a parent that was killed ends when its time is over.
    """
    if sys.platform == "linux":
        import fcntl
        import select

        fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)  # SIGIO, which nobody handles
        poll = select.poll()
        poll.register(pipe, select.POLLHUP)
        if poll.poll(0):  # closed before
            os._exit(0)


def _die_first() -> None:
    """Make this process the first that a system without memory ends, and let it write no core file."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _limit(memory: int) -> None:
    """Limit the addresses that may be added, where the system can, and let the process write no file.

    The parent watches what memory is really used.

    Args:
        memory: Bytes that may be used beyond those of now.
    """
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
        now = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[0]) * resource.getpagesize()
        most, (_, hard) = now + memory + _RESERVED, resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


if __name__ == "__main__":
    main()
