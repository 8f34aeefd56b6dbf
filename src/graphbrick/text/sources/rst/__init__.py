"""reStructuredText, with the roles and directives of Sphinx."""

from graphbrick.text.sources.rst.reading import rst_document

__all__ = ["rst_document"]
