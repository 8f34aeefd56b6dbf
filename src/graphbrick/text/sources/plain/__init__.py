"""Plain text: its headings, pages, tables and words that are cut at the ends of lines."""

from graphbrick.text.sources.plain.reading import plain_document

__all__ = ["plain_document"]
