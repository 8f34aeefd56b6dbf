"""Reader of OBO 1.2 and 1.4, in which ontologies of the life sciences are written.

Kept libraries (fastobo, and pronto above it) refuse a whole file for one line that breaks the grammar; many public
files have such lines. This reader takes line by line, so that ``--skip-bad`` can skip one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.core.properties.values import Scalar, Value
from graphbrick.graphs.readers.formats.elements import Edge, Element, records_of
from graphbrick.graphs.readers.formats.values import one_kind, text_value, typed_value
from graphbrick.graphs.readers.reader import FileReading, Reader
from graphbrick.graphs.records.blocks import Part
from graphbrick.graphs.records.records import EntityRecord, RelationRecord

_EDGES = ("is_a", "instance_of", "disjoint_from", "equivalent_to", "replaced_by", "consider")
_PROPERTIES = ("alt_id", "comment", "created_by", "creation_date", "subset", "xref")
_SYNONYMS = ("synonym", "exact_synonym", "narrow_synonym", "broad_synonym", "related_synonym")
_FLAGS = ("is_obsolete", "is_anonymous", "builtin")
_LISTS = ("alt_id", "def_xref", "subset", "xref")
_FREE = ("name", "comment")  # texts in which "!" does not begin a comment
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(.*)')
_LOOSE = re.compile(r'"(.*)"\s*(\[.*)?$')
_COMMENT = re.compile(r'((?:[^"\\!]|\\.|"(?:[^"\\]|\\.)*"|(?<!\s)!|")*?)\s+!.*')
_QUALIFIERS = re.compile(r"(.*?)\s*(?<!\\)\{([^{}]*=[^{}]*)\}\s*$")
_QUALIFIER = re.compile(r'([^\s,="]+)\s*=\s*"((?:[^"\\]|\\.)*)"')
_ESCAPES = {"n": "\n", "W": " ", "t": "\t"}


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), text).strip()


@dataclass
class _Frame:
    """A frame that is being read: its kind, its line, and its (tag, value, qualifiers, line)."""

    kind: str
    line: int
    tags: list[tuple[str, str, dict[str, str], int]] = field(default_factory=list)

    def value(self, tag: str) -> str:
        """Return the first value of a tag; empty if there is none."""
        return next((value for name, value, _, _ in self.tags if name == tag), "")


class _Obo:
    """An OBO file."""

    def __init__(self, file: Path, reading: FileReading) -> None:
        self.file, self.reading, self.left_out = file, reading, reading.left_out
        self._namespace = ""
        self._relations: dict[str, str] = {}
        self._used: set[str] = set()

    def elements(self) -> Iterator[Element]:
        """Yield the terms, the triples, and at the end the names of the relations that occur."""
        frame = _Frame("", 1)
        for number, line in self.reading.lines(self.file):
            text = line.strip()
            if text.startswith("[") and text.endswith("]"):
                yield from self._close(frame)
                frame = _Frame(text[1:-1].strip(), number)
            elif text and not text.startswith("!"):
                tag, colon, rest = text.partition(":")
                if colon and tag.strip():
                    frame.tags.append((tag.strip(), *_parted(tag.strip(), rest.strip()), number))
                else:
                    self._bad("a line is 'tag: value'", "obo.bad_line", number, text)
        if not frame.kind:
            raise InputError("the file holds no [Term]", self.file, code="obo.no_terms")
        yield from self._close(frame)
        for key in self._used & self._relations.keys():
            yield RelationRecord(key, self._relations[key])

    def _close(self, frame: _Frame) -> Iterator[Element]:
        if not frame.kind:
            self._namespace = frame.value("default-namespace")
            for tag, _, _, _ in frame.tags:
                if tag != "default-namespace":
                    self.left_out.add("tags of the header", tag)
            return
        if frame.kind not in ("Term", "Typedef", "Instance"):
            self.left_out.add("frames of unknown kinds", frame.kind)
            return
        key = _unescaped(frame.value("id"))
        if not key:
            self._bad(f"the {frame.kind} has no id", "obo.no_id", frame.line, "")
        elif frame.kind == "Typedef":
            if name := _unescaped(frame.value("name")):
                self._relations[key] = name
            for tag, _, _, _ in frame.tags:
                if tag not in ("id", "name"):
                    self.left_out.add("tags of relations", tag)
        else:
            yield from self._described(key, frame)

    def _described(self, key: str, frame: _Frame) -> Iterator[Element]:
        aliases: list[str] = []
        lists: dict[str, list[Scalar]] = {}
        edges: list[Edge] = []
        for tag, value, qualifiers, line in frame.tags:
            if tag in _SYNONYMS:
                alias, rest = _quoted(value)
                aliases.append(alias)
                if rest.replace("[]", "").strip():
                    self.left_out.add("scopes, types and sources of synonyms", rest)
            elif tag in _EDGES or tag == "relationship":
                edges += self._edge(key, tag, value, qualifiers, line)
                continue
            elif tag == "property_value":
                self._state(value, lists, line)
            elif tag == "def":
                _, rest = _quoted(value)
                lists.setdefault("def_xref", []).extend(_sources(rest))
            elif tag in _FLAGS:
                flag = typed_value(value, "boolean", self.left_out)
                lists.setdefault(tag, []).extend([] if flag is None else [flag])
            elif tag in _PROPERTIES:
                text = value if tag != "xref" else re.sub(r'\s+"(?:[^"\\]|\\.)*"$', "", value)
                lists.setdefault(tag, []).append(text_value(_unescaped(text)))
            elif tag not in ("id", "name", "namespace"):
                self.left_out.add("tags that are not read", tag)
            if qualifiers:
                self.left_out.add("qualifiers of tags", ", ".join(qualifiers))
        tags = [tag for tag, _, _, _ in frame.tags]
        for tag in ("id", "name", "namespace", "def"):
            if tags.count(tag) > 1:
                self.left_out.add("second values of tags that have one", tag, tags.count(tag) - 1)
        properties: dict[str, Value] = {
            name: values[0] if len(values) == 1 and name not in _LISTS else one_kind(values)
            for name, values in lists.items()
            if values
        }
        description, _ = _quoted(frame.value("def"))
        namespace = _unescaped(frame.value("namespace")) or self._namespace
        yield EntityRecord(
            key,
            _unescaped(frame.value("name")) or None,
            tuple(dict.fromkeys(alias for alias in aliases if alias)),
            (namespace,) if namespace else (),
            description or None,
            properties,
        )
        yield from edges

    def _edge(self, key: str, tag: str, value: str, qualifiers: dict[str, str], line: int) -> list[Edge]:
        parts = [_unescaped(part) for part in value.split()]
        relation, tail = parts if tag == "relationship" and len(parts) == 2 else (tag, parts[0] if parts else "")
        if not tail or len(parts) != (2 if tag == "relationship" else 1):
            reason = "a relationship names a relation and a term" if tag == "relationship" else f"{tag} names one term"
            self._bad(reason, "obo.bad_edge", line, value)
            return []
        self._used.add(relation)
        fields: dict[str, Value] = {name: text_value(text) for name, text in qualifiers.items()}
        return [Edge(key, tail, fields, relation=relation)]

    def _state(self, value: str, lists: dict[str, list[Scalar]], line: int) -> None:
        """Take a property_value: a name, a text in quotes or an identifier, and the datatype of a text."""
        name, _, rest = value.partition(" ")
        text, type_ = _quoted(rest.strip())
        if not name or not text:
            self._bad("property_value names a property and its value", "obo.bad_property", line, value)
            return
        stated = typed_value(text, type_.rpartition(":")[2], self.left_out)
        lists.setdefault(_unescaped(name), []).extend([] if stated is None else [stated])

    def _bad(self, reason: str, code: str, line: int, text: str) -> None:
        self.reading.bad.add(InputError(reason, self.file, line, text, code=code))


def _parted(tag: str, text: str) -> tuple[str, dict[str, str]]:
    """Return the value of a tag without its comment, and its qualifiers by name."""
    if tag not in _FREE and (comment := _COMMENT.fullmatch(text)):
        text = comment[1].rstrip()
    match = _QUALIFIERS.fullmatch(text)
    qualifiers = dict(_QUALIFIER.findall(match[2])) if match else {}
    return (match[1], qualifiers) if match and qualifiers else (text, {})


def _quoted(text: str) -> tuple[str, str]:
    """Return the text in quotes and what follows; of a text without quotes the whole and nothing."""
    match = _QUOTED.fullmatch(text)
    if match is None or (match[2] and '"' in match[2].partition("[")[0]):
        match = _LOOSE.fullmatch(text) or match
    return (_unescaped(text), "") if match is None else (_unescaped(match[1]), (match[2] or "").strip())


def _sources(text: str) -> list[Scalar]:
    """Return the identifiers of a list such as ``[GO:curators, PMID:1 "a title"]``."""
    inner = text.strip().removeprefix("[").removesuffix("]")
    parts = re.findall(r'\s*((?:[^,"\\]|\\.)+)(?:"(?:[^"\\]|\\.)*")?\s*(?:,|$)', inner)
    return [_unescaped(part) for part in parts if part.strip()]


def _read(file: Path, reading: FileReading) -> Iterator[Part]:
    """Yield the terms and triples of an OBO file.

    Raises:
        InputError: No terms, or the first bad record unless ``bad`` skips them.
    """
    return records_of(_Obo(file, reading).elements(), reading)


READER = Reader(_read, is_checked=True)
