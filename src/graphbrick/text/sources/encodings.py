"""The text of bytes in any encoding."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress

_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([\w-]{1,40})", re.IGNORECASE)
_MARKS = {  # the longer ones first
    codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32", codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip
_WESTERN = "cp1252"
_CANDIDATES = [
    "gb18030", "big5", "shift_jis", "euc_jp", "euc_kr", "cp1251", "koi8_r", "cp1256", _WESTERN, "cp1250", "cp1253",
    "cp1255", "tis_620",
]  # fmt: skip
_LATIN = frozenset((_WESTERN, "cp1250"))
_PAIRS = frozenset(("gb18030", "big5", "shift_jis", "euc_jp", "euc_kr"))  # of bytes
# What is written in cp1250. Spanish read as cp1250 looks like Hungarian, whose letters are nearly all in both.
_CENTRAL = frozenset(("Polish", "Czech", "Slovak", "Croatian", "Slovene"))
_BESIDE = 0.6  # share of the bytes that are not ASCII that stand beside another one, where two make a character
_LOOKED_AT = 200_000  # bytes
_FREE = bytes((0x81, 0x8D, 0x8F, 0x90, 0x9D))
_RUN = re.compile(rb"[\x80-\xff]+")
_FEW = 6  # bytes that are not ASCII, with which nothing can be told


def decoded(data: bytes) -> tuple[str, str]:
    r"""Return the text of bytes, with "\n" for every end of a line, and a note if they are not UTF-8.

    A byte order mark decides, then UTF-8 if all of it is, then what a page states, then charset-normalizer among the
    encodings that are common. Western letters are what is left, and the note says if nothing was detected.

    >>> decoded("Директор библиотеки Анна Петрова живёт в Калуге.".encode("cp1251"))[1]
    'not UTF-8; read as cp1251, which was detected'
    """
    text, note = _decoded(data)
    return text.replace("\r\n", "\n").replace("\r", "\n"), note


def has_mark(data: bytes) -> bool:
    """Return whether bytes begin with the mark of UTF-16 or UTF-32, in which zeros are no sign of a binary file."""
    return any(data.startswith(mark) for mark, name in _MARKS.items() if name != "utf-8-sig")


def _decoded(data: bytes) -> tuple[str, str]:
    marked = next((name for mark, name in _MARKS.items() if data.startswith(mark)), "utf-8")
    with suppress(UnicodeDecodeError):
        return data.decode(marked), "" if marked.startswith("utf-8") else f"read as {marked}"
    stated = _CHARSET.search(data[:4096])
    if stated is not None:
        encoding = stated.group(1).decode("ascii")
        try:
            return data.decode(encoding), f"not UTF-8; read as {encoding}"
        except (LookupError, UnicodeDecodeError):
            return _detected(data, f"not UTF-8, and not the {encoding} that it states")
    return _detected(data, "not UTF-8")


def _detected(data: bytes, reason: str) -> tuple[str, str]:
    """Return the text in the encoding that fits best."""
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        return _western(data, f"{reason}; taken for {_WESTERN} (pip install 'graphbrick[text]' to detect others)")
    if len(data) - len(data.translate(None, bytes(range(128, 256)))) < _FEW:
        return _western(data, f"{reason}, and too short to detect an encoding; taken for {_WESTERN}")
    best = from_bytes(data[:_LOOKED_AT], cp_isolation=_CANDIDATES).best()
    if best is None:
        return _western(data, f"{reason}, and no encoding was detected; taken for {_WESTERN}")
    is_western = best.encoding in _LATIN and best.language not in _CENTRAL
    is_western |= best.encoding in _PAIRS and _share_of_pairs(data[:_LOOKED_AT]) < _BESIDE
    encoding = _WESTERN if is_western else best.encoding
    try:
        return data.decode(encoding), f"{reason}; read as {encoding}, which was detected"
    except UnicodeDecodeError:
        if encoding == _WESTERN:
            return _western(data, f"{reason}; read as {_WESTERN}, which was detected")
        text = data.decode(encoding, errors="replace")
        return (
            text,
            f"{reason}; read as {encoding}, which was detected; {text.count(chr(0xFFFD)):,} bytes are none of it",
        )


def _share_of_pairs(data: bytes) -> float:
    """Return the share of the bytes that are not ASCII that stand beside another one."""
    runs = [len(run) for run in _RUN.findall(data)]
    return sum(length for length in runs if length > 1) / sum(runs)


def _western(data: bytes, note: str) -> tuple[str, str]:
    """Return the text in Western letters; in Latin-1 if it has one of the five bytes that cp1252 leaves free."""
    has_free = not set(data).isdisjoint(_FREE)
    return data.decode("latin-1" if has_free else _WESTERN), note
