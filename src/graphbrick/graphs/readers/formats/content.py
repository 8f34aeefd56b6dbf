"""Recognise the format of a file whose ending stands for several."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from xml.parsers import expat

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.streams import open_source

_START = 1 << 20
_RDF_NAMESPACE = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#"
# An object, or an array of objects, in which only names with simple values stand before one such as "@id".
_JSON_LD = re.compile(
    r'\s*(?:\[\s*)?\{(?:\s*"(?:[^"\\]|\\.)*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\w.+-]+)\s*,)*\s*"@(?:context|graph|id|type)"'
)


def told_by_content(file: Path, ending: str) -> str:
    """Return the ending that tells the format of a file whose own ending stands for several.

    ``.xml`` may be GraphML or GEXF, and ``.json`` lines of JSON or JSON-LD.

    Raises:
        InputError: The lines of a file are JSON-LD.
    """
    if ending == "xml":
        root = _root(file)
        return root if root in ("graphml", "gexf") else ending
    if ending not in ("json", "jsonl", "ndjson"):
        return ending
    with open_source(file) as stream:
        text = stream.read(_START).decode("utf-8", "replace")
    if _JSON_LD.match(text):
        if ending == "json":
            return "jsonld"
        reason = "these are lines of JSON-LD; write them as one document that ends in .jsonld"
        raise InputError(reason, file, code="json.is_json_ld")
    return "jsonl" if ending == "json" and _is_lines(text) else ending


def check_xml(file: Path) -> None:
    """Raise if a file of XML is none that is read: RDF/XML, GraphML or GEXF.

    Raises:
        InputError: It names no namespace of RDF, and has another root than that of a graph.
    """
    root = _root(file)
    if not root or root in ("graphml", "gexf"):
        return
    with open_source(file) as stream:
        if _RDF_NAMESPACE in stream.read(_START):
            return
    reason = (
        f"the XML has the root <{root}> and is not RDF/XML; of XML, RDF/XML, GraphML and GEXF are read: write the "
        "records as CSV or JSON"
    )
    raise InputError(reason, file, code="reader.other_xml", root=root)


def _root(file: Path) -> str:
    """Return the root element without its prefix; empty if it does not begin early in the file."""
    names: list[str] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, _: names.append(name)
    with open_source(file) as stream, suppress(expat.ExpatError, LookupError, ValueError):  # the last two by encodings
        parser.Parse(stream.read(_START), False)
    return names[0].rpartition(":")[2] if names else ""


def _is_lines(text: str) -> bool:
    """Return whether the first line is a whole object or array, and another one follows."""
    first, _, rest = text.strip().partition("\n")
    if not rest.lstrip().startswith(("{", "[")):
        return False
    try:
        return isinstance(json.loads(first), dict | list)
    except (ValueError, RecursionError):
        return False
