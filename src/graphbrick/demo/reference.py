"""The documents of the text demo: the Python language reference, which Python has as the topics of ``help()``."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.files.folders import user_folder

_LEVELS = {"*": 1, "=": 2, "-": 3, "~": 4, "^": 5, '"': 6}
_HEADING = re.compile(r"^(\S[^\n]{2,})\n(([*=~^\"-])\3{2,})$", re.MULTILINE)
_SHAPED = re.compile(r"^[\s#*+|\-\d\[]", re.MULTILINE)  # code, lists, tables, headings
_AFTER_HYPHEN = re.compile(r"(?<=\w-)\n(?=\w)")
_PROBE = slice(60, 400)  # characters that tell whether a topic is part of another


def reference_documents() -> Path:
    """Write the language reference of this Python into the user's cache folder, as Markdown; return the folder.

    Raises:
        GraphbrickError: This Python comes without its topics, or they cannot be written.
    """
    folder = user_folder("GRAPHBRICK_CACHE") / f"python-{sys.version_info.major}.{sys.version_info.minor}-reference"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in without_parts(_topics()).items():
            file, page = folder / f"{name}.md", markdown(text)
            if not file.is_file() or file.read_text(encoding="utf-8") != page:
                file.write_text(page, encoding="utf-8")
    except OSError as error:
        raise GraphbrickError(
            f"{folder} cannot be written ({error.strerror or error}); set GRAPHBRICK_CACHE to another folder",
            code="demo.not_writable",
        ) from error
    return folder


def _topics() -> Mapping[str, str]:
    try:
        from pydoc_data.topics import topics
    except ImportError as error:
        raise GraphbrickError(
            "this Python comes without the topics of help(), which the text demo reads; try another one, "
            "or your own documents: graphbrick index docs/ notes.graph",
            code="demo.no_topics",
        ) from error
    return topics


def without_parts(topics: Mapping[str, str]) -> dict[str, str]:
    """Return the topics that are not a part of a longer topic."""
    words = {name: " ".join(text.split()) for name, text in topics.items()}
    return {
        name: topics[name]
        for name in topics
        if not any(len(text) > len(words[name]) and words[name][_PROBE] in text for text in words.values())
    }


def markdown(text: str) -> str:
    """Return a topic with its underlined headings as those of Markdown, and each paragraph in one line.

    >>> print(markdown('The "assert" statement\\n**********************\\n\\nIt is a statement.'))
    # The "assert" statement
    <BLANKLINE>
    It is a statement.
    """
    blocks = _HEADING.sub(lambda match: f"{'#' * _LEVELS[match[3]]} {match[1]}", text).strip().split("\n\n")
    return "\n\n".join(block if _SHAPED.search(block) else _one_line(block) for block in blocks) + "\n"


def _one_line(paragraph: str) -> str:
    """Return a paragraph without its line breaks; a line that ends with a hyphen goes on without a space."""
    return _AFTER_HYPHEN.sub("", paragraph).replace("\n", " ")
