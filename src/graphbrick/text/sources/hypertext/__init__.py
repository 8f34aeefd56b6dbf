"""Documents from web pages."""

from graphbrick.text.sources.hypertext.page import html_document

__all__ = ["html_document"]
