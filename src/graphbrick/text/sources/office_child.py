"""Child process of `graphbrick.text.sources.office`: the text of a PDF or Word file, as JSON lines.

The file comes on the standard input. Each line is a part. A page of a PDF has its number as ``page``, a ``text``, and
the ``entries`` of the outline as [level, title]. A paragraph of a Word file has a ``text``, its ``headings`` as
[offset, level, title], and what stands ``before`` it. The last line is ``{"title": ..., "note": ...}``, or
``{"error": ...}``. Nothing of graphbrick is imported, so that it starts at once; `parts` of the file that is named
reads the document.
"""

from __future__ import annotations

import json
import logging
import runpy
import sys

MEMORY = 2 << 30  # bytes of address space
SECONDS = 3600  # of processor time


def limit() -> None:
    """Limit memory and processor time, where the system can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for kind, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CPU, SECONDS)):
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def main() -> None:
    """Write the parts of a file, by the reader that is named."""
    limit()
    logging.disable()
    reader = runpy.run_path(sys.argv[1])
    try:
        for part in reader["parts"](sys.stdin.buffer.read()):
            sys.stdout.write(json.dumps(part) + "\n")
            sys.stdout.flush()
    except reader["RefusedError"] as refusal:
        sys.stdout.write(json.dumps({"error": str(refusal)}) + "\n")


if __name__ == "__main__":
    main()
