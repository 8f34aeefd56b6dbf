"""Reports of a study: a page, tables in Markdown, and every result as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.core.deferred import lazy_names

if TYPE_CHECKING:
    from graphbrick.study.report.writing import Written as Written
    from graphbrick.study.report.writing import write_report as write_report

_HOMES = {
    "Written": "writing",
    "write_report": "writing",
}
__all__ = ["Written", "write_report"]
__getattr__ = lazy_names(__name__, _HOMES)
