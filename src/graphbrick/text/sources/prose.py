"""Texts without a suffix: README, NEWS, FAQ, README.Debian."""

from __future__ import annotations

import re
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.streams import PACKED, open_source
from graphbrick.language.folding import fold
from graphbrick.language.stop_words import stop_words

_LOOKED_AT = 1 << 14  # bytes
_LEAST_WORDS = 20
_LEAST_SHARE = 0.15  # of function words of one language, in a text whose name does not tell what it is
_NAMES = frozenset(
    "about announce announcement authors bugs changelog changes contributing contributors copying copyright credits "
    "faq features history howto install installation intro licence license manual minutes news notes notice overview "
    "porting quickstart readme release releases releasenotes roadmap thanks todo tutorial upgrade upgrading usage"
    "".split()
)
_NO_TEXT = (b"#!", b"<", b"%!", b"{", b'.\\"', b".TH ")  # what programs, markup, data and manual pages begin with


def is_prose(file: Path) -> bool:
    """Return whether a file without the suffix of a document is a text, by its name and its first words.

    The name says that («README.Debian», «changelog», «LICENSE-MIT»), or it has a capital and no suffix
    («QuickStart») and the text has function words, as programs and lists do not. A file that cannot be read is none.
    """
    name = next((file.name[: -len(end)] for end in PACKED if file.name.lower().endswith(end)), file.name)
    stem, _, suffix = name.partition(".")
    words = [stem] if stem.islower() else re.split(r"[-_ ]", stem.casefold())
    is_named = not _NAMES.isdisjoint(words) and (not suffix or stem.isupper() or suffix != suffix.lower())
    if not is_named and (suffix or stem == stem.lower() or stem.endswith("file")):  # «Makefile»
        return False
    try:
        with open_source(file, other_encodings=True) as stream:
            data = stream.read(_LOOKED_AT)
    except InputError:  # empty, damaged or unreadable: it is named among the files of other kinds
        return False
    if b"\0" in data or data.lstrip().startswith(_NO_TEXT):
        return False
    text = fold(data.decode("utf-8", errors="replace")).split()
    n_functions = max(sum(word in some for word in text) for some in stop_words().values())
    return is_named or (len(text) >= _LEAST_WORDS and n_functions >= _LEAST_SHARE * len(text))
