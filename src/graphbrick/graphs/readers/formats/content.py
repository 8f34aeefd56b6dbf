"""Recognise the format of a file whose ending stands for several."""

from __future__ import annotations

import json
import re
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.formats.xml import root_of
from graphbrick.graphs.readers.streams import open_source

_START = 1 << 20
# An object, or an array of objects, in which only names with simple values stand before one such as "@id".
_JSON_LD = re.compile(
    r'\s*(?:\[\s*)?\{(?:\s*"(?:[^"\\]|\\.)*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\w.+-]+)\s*,)*\s*"@(?:context|graph|id|type)"'
)


def told_by_content(file: Path, ending: str) -> str:
    """Return the ending that tells the format of a file: GraphML or GEXF in ``.xml``, JSON lines in ``.json``.

    Raises:
        InputError: The file is JSON-LD.
    """
    if ending == "xml":
        root = root_of(file)
        return root if root in ("graphml", "gexf") else ending
    if ending not in ("json", "jsonl", "ndjson"):
        return ending
    with open_source(file) as stream:
        text = stream.read(_START).decode("utf-8", "replace")
    if _JSON_LD.match(text):
        raise InputError("this is JSON-LD; rename it so that it ends in .jsonld", file, code="json.is_json_ld")
    return "jsonl" if ending == "json" and _is_lines(text) else ending


def _is_lines(text: str) -> bool:
    """Return whether the first line is a whole object or array, and another one follows."""
    first, _, rest = text.strip().partition("\n")
    if not rest.lstrip().startswith(("{", "[")):
        return False
    try:
        return isinstance(json.loads(first), dict | list)
    except ValueError:
        return False
