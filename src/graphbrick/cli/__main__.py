"""The entry point of the command line.

It imports almost nothing before it can handle Ctrl-C and a lack of memory, so that neither ever shows a traceback.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys

INTERRUPTED = 130
# Before a collection: importing makes few cycles, and 700 at a time cost a tenth of a question, 100,000 a twentieth.
_NEW_OBJECTS = 200_000
# Threads of numpy's linear algebra wait by spinning for 2^26 cycles, also after it is loaded: a tenth of a question.
_SPIN = "16"


def main() -> None:
    """Import the commands and run the one that the arguments name; exit with its code."""
    # Nothing needs cleaning up while modules are imported, and some C modules turn a KeyboardInterrupt into another
    # error: so Ctrl-C ends the process at once until the command starts.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", _SPIN)
    gc.set_threshold(_NEW_OBJECTS, 20, 20)
    atexit.register(gc.freeze)  # or Python looks for cycles once more when it ends, which takes as long
    before = signal.signal(signal.SIGINT, lambda *_: _stop())
    try:
        from graphbrick.cli.app import main as run

        signal.signal(signal.SIGINT, before)
        run()
    except KeyboardInterrupt:
        _stop()
    except MemoryError:
        os.write(2, b"error: not enough memory to load graphbrick\n")
        sys.exit(1)


def _stop() -> None:
    """End the process: one line, exit code 130."""
    os.write(2, b"stopped by Ctrl-C\n")
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
