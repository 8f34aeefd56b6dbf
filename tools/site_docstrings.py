"""How the reference reads docstrings and defaults; named in mkdocs.yml."""

from __future__ import annotations

import re
from textwrap import dedent
from typing import Any

import griffe

# What a function returns; a colon in its first line ends no type, as types are annotations.
_RETURNED = re.compile(r"^((?:Returns|Yields):\n +[^\n`]*?): ", re.MULTILINE)
_SECTION = re.compile(r"^Returns:\n((?:(?: +.*)?(?:\n|$))+)", re.MULTILINE)


class Readable(griffe.Extension):
    """Show examples as code, what a brick returns as a sentence, and parameters with their plain default."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Change a docstring: ``Example:`` is ``Examples:``, and doctests outside of it are blocks of code."""
        if obj.docstring is not None:
            text = re.sub(r"^Example:$", "Examples:", obj.docstring.value, flags=re.MULTILINE)
            text = re.sub(r"^>>> .*(?:\n.+)*", r"```pycon\n\g<0>\n```", text, flags=re.MULTILINE)
            if obj.is_class:  # a brick tells what its method returns; a section would look for the type of the class
                text = _SECTION.sub(lambda found: f"**Returns:** {dedent(found[1])}\n", text)
            obj.docstring.value = _RETURNED.sub(r"\1&#58; ", text)

    def on_attribute_instance(self, *, attr: griffe.Attribute, **kwargs: Any) -> None:
        """Show ``parameter(0.8, above=0)`` as 0.8, and no default where there is none."""
        value = attr.value
        if isinstance(value, griffe.ExprCall) and str(value.function) == "parameter":
            first = value.arguments[0] if value.arguments else None
            attr.value = None if first is None or isinstance(first, griffe.ExprKeyword) else first
