"""Whether a file of RDF has texts in several languages."""

from __future__ import annotations

import re
from pathlib import Path

from graphbrick.graphs.readers.streams import BLOCK_BYTES, open_source

_TAG = re.compile(
    rb"""["']@([A-Za-z]{2,3})(?=[-\s;,.\])]|$)|xml:lang=["']([A-Za-z]{2,3})|"@language"\s*:\s*"([A-Za-z]{2,3})"""
)
_MAP = re.compile(rb'"@container"\s*:\s*(?:\[\s*)?"@language"')


def is_multilingual(file: Path) -> bool:
    """Return whether the first 4 MiB of a file have texts in two languages or more; variants of one are one."""
    with open_source(file) as stream:
        return has_languages(stream.read(BLOCK_BYTES))


def has_languages(start: bytes) -> bool:
    """Return whether the first bytes of a file have texts in two languages or more.

    >>> has_languages(b'<a> <b> "colour"@en-GB, "color"@en .'), has_languages(b'<a> <b> "colour"@en, "Farbe"@de .')
    (False, True)
    """
    found = set[bytes]()
    for match in _TAG.finditer(start):
        found.add((match[1] or match[2] or match[3]).lower())
        if len(found) > 1:
            return True
    return _MAP.search(start) is not None
