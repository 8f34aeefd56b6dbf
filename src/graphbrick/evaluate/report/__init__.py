"""Reports of a study: a page, tables in Markdown, and every result as CSV."""

from graphbrick.evaluate.report.writing import Written, write_report

__all__ = ["Written", "write_report"]
