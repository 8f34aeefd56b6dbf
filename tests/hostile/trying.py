"""What all hostile tries share: a surface, a command in a process of its own, and what counts as a fault."""

from __future__ import annotations

import contextlib
import io
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from graphbrick.cli.app import main

CPU = 60  # seconds of a processor: a busy machine does not use more of them
MEMORY = 1_500  # megabytes, with the 300 that this process has
_DATA = 4 << 30  # bytes that a process may allocate at all
_WALL = 400  # seconds: a process that waits this long for nothing hangs, however busy the machine is


class Fault(Exception):  # noqa: N818 - what is raised is the result of a try
    """A try that shows a fault."""


@dataclass(frozen=True)
class Done:
    """A process that ended.

    Attributes:
        code: Its exit code; less than 0 after a signal.
        out: What it wrote to standard output.
        err: What it wrote to standard error.
        cpu: Seconds of processor time.
        memory: The most memory, in megabytes.
    """

    code: int
    out: str
    err: str
    cpu: float
    memory: float

    @property
    def line(self) -> str:
        """Return the last line of the errors, for a message."""
        lines = self.err.strip().splitlines()
        return lines[-1][:300] if lines else ""


def forked(work: Callable[[], object], cpu: int = CPU, *, bounded: bool = True) -> Done:
    """Run a function in a fork, with bounds of time and memory; what it returns is its exit code if it is a number.

    Args:
        work: The function.
        cpu: Seconds of a processor.
        bounded: Whether it may not reserve more memory than any command needs; ladybug reserves terabytes.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if not child:
            _run(work, out.fileno(), err.fileno(), cpu, bounded)
        _, status, used = os.wait4(child, 0)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    code = os.waitstatus_to_exitcode(status)
    return Done(code, *texts, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def _run(work: Callable[[], object], out: int, err: int, cpu: int, bounded: bool) -> None:
    """Run a function as the whole process; does not return."""
    code = 70
    try:
        os.setpgid(0, 0)
        os.dup2(out, 1)
        os.dup2(err, 2)
        sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))  # noqa: SIM115
        # What a server or a guard says to a closed input ends it too, so that nothing is left when this process ends.
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
        if bounded:
            resource.setrlimit(resource.RLIMIT_DATA, (_DATA, _DATA))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.alarm(_WALL)
        result = work()
        code = result if isinstance(result, int) else 0
    except SystemExit as stopped:
        code = stopped.code if isinstance(stopped.code, int) else 0
    except BaseException:  # noqa: BLE001 - the process ends here, and the fault is read from what it printed
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.flush()
        os._exit(code)


def command(*arguments: object, cpu: int = CPU, bounded: bool = True) -> Done:
    """Run ``graphbrick`` with arguments in a fork."""
    return forked(lambda: main(list(map(str, arguments))), cpu, bounded=bounded)


def warmed(*arguments: object) -> None:
    """Run ``graphbrick`` in this process, so that the forks have what it imports and compiles; it must succeed."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        main(list(map(str, arguments)))


def held(done: Done, codes: tuple[int, ...] = (0, 1, 2), memory: float = MEMORY) -> Done:
    """Return a command that ended as it should; raise `Fault` if it did not.

    Args:
        done: The command.
        codes: The exit codes that are right.
        memory: Megabytes that it may take.
    """
    if done.code == -signal.SIGXCPU or done.code == -signal.SIGKILL:
        raise Fault(f"it used more than its processor time ({done.cpu:.0f} s)")
    if done.code == -signal.SIGALRM:
        raise Fault(f"it hangs: {done.cpu:.0f} s of processor time in {_WALL} s")
    if done.code < 0:
        raise Fault(f"it was ended by {signal.Signals(-done.code).name}: {done.line}")
    if "Traceback (most recent call last)" in done.err:
        frames = re.findall(r'graphbrick/(\S+\.py)", line (\d+)', done.err)
        raise Fault(f"a traceback: {done.line} ({' < '.join(':'.join(frame) for frame in frames[:-4:-1])})")
    if done.code not in codes:
        raise Fault(f"exit code {done.code}: {done.line}")
    errors = [line for line in done.err.splitlines() if line.startswith("error:")]
    if done.code == 1 and (len(errors) != 1 or not done.err.endswith("\n")):
        raise Fault(f"exit code 1 with {len(errors)} lines of errors: {done.err[:300]!r}")
    if done.memory > memory:
        raise Fault(f"it took {done.memory:.0f} MB")
    return done


def same(actual: object, expected: object, what: str) -> None:
    """Raise `Fault` unless two values are equal."""
    if actual != expected:
        raise Fault(f"{what}: {str(actual)[:300]!r} in place of {str(expected)[:300]!r}")


def names(folder: Path) -> list[str]:
    """Return the names of what is in a folder, without locks, which stay."""
    return sorted(entry.name for entry in folder.iterdir() if not entry.name.endswith(".lock"))


def copied(source: Path, target: Path) -> Path:
    """Replace a folder by a copy of another one."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, symlinks=True)
    return target


class Surface(ABC):
    """A kind of tries; a subclass says how to make one.

    Args:
        name: Its name on the command line.
        folder: Where `prepare` keeps what all tries share; they do not change it.

    Attributes:
        tries: How many a full run makes.
        seconds: A full run goes on trying for as long as this, even after so many tries.
    """

    tries: int
    seconds: float = 0.0

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder

    def prepare(self) -> None:  # noqa: B027 - most surfaces share nothing
        """Make what all tries share."""

    @abstractmethod
    def attempt(self, draw: random.Random, work: Path) -> str:
        """Make one try in a folder of its own, and return how it ended in a word or two.

        Args:
            draw: All that is random about the try.
            work: An empty folder.

        Raises:
            Fault: It did not hold.
        """

    def finish(self) -> Iterator[str]:
        """Yield what does not hold after all tries, and end what `prepare` started."""
        yield from ()
