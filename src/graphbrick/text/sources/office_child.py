"""Engine of a worker: reads the text of a PDF or Word file part by part; see `graphbrick.core.workers`.

A page of a PDF has its number as ``page``, a ``text``, and the ``entries`` of the outline as [level, title]. A
paragraph of a Word file has a ``text``, its ``headings`` as [offset, level, title], and what stands ``before`` it. The
last part is ``{"title": ..., "note": ...}``, or ``{"error": ...}``. Nothing of graphbrick is imported, so that it
starts at once.
"""

from __future__ import annotations

import logging
import runpy
from collections.abc import Callable, Iterator
from typing import Any


def opened(reader: str) -> Callable[[bytes | None], dict[str, Any] | None]:
    """Return the function that begins a document with its content, and goes on to the next part with None.

    Args:
        reader: File with the function ``parts`` and the error ``RefusedError``.
    """
    logging.disable()
    functions = runpy.run_path(reader)
    parts: Iterator[dict[str, Any]] = iter(())

    def answer(content: bytes | None) -> dict[str, Any] | None:
        """Return the first or next part; None after the last one."""
        nonlocal parts
        try:
            if content is not None:
                parts = iter(functions["parts"](content))
            return next(parts, None)
        except functions["RefusedError"] as refusal:
            return {"error": str(refusal)}
        except MemoryError:
            raise
        except Exception as error:
            raise ValueError(f"{type(error).__name__}: {error}") from error

    return answer
