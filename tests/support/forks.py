"""Code in forks of one warm process: a new Python would spend a second on imports and on loading kernels each time."""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import textwrap
import traceback
from functools import cache


def run_until_killed(code: str, *arguments: object) -> None:
    """Run code in another process, which must end where the code calls ``die()``: by SIGKILL, without any clean-up."""
    assert run_in_fork(code, *arguments) == -signal.SIGKILL


def run_in_fork(code: str, *arguments: object) -> int:
    """Run code in another process and return its exit code: 0, 1 after an exception, or less than 0 after a signal.

    The code finds the arguments, as texts, in ``arguments``.
    """
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps([textwrap.dedent(code), list(map(str, arguments))]) + "\n")
    server.stdin.flush()
    return int(server.stdout.readline())


@cache
def _server() -> subprocess.Popen[str]:
    """The process that forks; it ends with this one, when its input is closed."""
    server = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(server.communicate)  # closes its pipes and waits for it
    return server


def _die(*arguments: object, **options: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _serve() -> None:
    from graphbrick.testing import tiny_graph

    tiny_graph()  # loads the kernels of a build
    for line in sys.stdin:
        code, arguments = json.loads(line)
        child = os.fork()
        if not child:
            status = 1
            try:
                exec(code, {"arguments": arguments, "die": _die})
                status = 0
            finally:
                if status:
                    traceback.print_exc()
                os._exit(status)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _serve()
