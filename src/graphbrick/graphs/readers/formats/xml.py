"""Streaming reader of XML files, in which no entity is expanded and nothing else is fetched."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from xml.parsers import expat

from graphbrick.core.errors import InputError
from graphbrick.core.properties.values import Value
from graphbrick.graphs.readers.formats.elements import Element
from graphbrick.graphs.readers.reader import FileReading
from graphbrick.graphs.readers.streams import open_source

_CHUNK = 1 << 16


@lru_cache(1 << 12)
def local(name: str) -> str:
    """Return the name of an element or attribute without the prefix of its namespace."""
    return name.rpartition(":")[2]


@dataclass
class OpenElement:
    """An element that is being read, with its fields and, in exports of this package, its properties so far."""

    name: str
    attributes: dict[str, str]
    fields: dict[str, Value] = field(default_factory=dict)
    own: dict[str, Value] = field(default_factory=dict)


class XmlGraph(ABC):
    """A graph in XML, read element by element: a subclass takes starts and ends, and collects nodes and edges.

    Attributes:
        root: The name of the root element that the format has.
        out: The nodes and edges that are complete.
    """

    root: str

    def __init__(self, file: Path, reading: FileReading) -> None:
        self.file, self.reading, self.left_out = file, reading, reading.left_out
        self.out: list[Element] = []
        self._texts: list[list[str]] = []
        self._parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = lambda text: self._texts[-1].append(text)
        parser.EntityDeclHandler = self._refuse_entity
        parser.SkippedEntityHandler = self._refuse_entity

    @abstractmethod
    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Take the start of an element; names are without prefixes."""

    @abstractmethod
    def end(self, name: str, text: str) -> None:
        """Take the end of an element, with the text that it holds itself."""

    def elements(self) -> Iterator[Element]:
        """Yield the nodes and edges.

        Raises:
            InputError: Not XML, truncated, another root element, or declarations of entities.
        """
        try:
            with open_source(self.file, self.reading.meter) as stream:
                while chunk := stream.read(_CHUNK):
                    self._parser.Parse(chunk, False)
                    yield from self.out
                    self.out.clear()
            self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise self._fault(error) from error
        except (LookupError, ValueError) as error:
            if self._texts:  # of the elements, not of the encoding, which comes before them
                raise
            reason = f"the file names an encoding that cannot be read in XML ({error}); save it as UTF-8"
            raise InputError(reason, self.file, 1, code="xml.unknown_encoding") from error
        yield from self.out

    def bad(self, reason: str, code: str) -> None:
        """Report a bad record at the place that is being read."""
        line = self._parser.CurrentLineNumber
        self.reading.bad.add(InputError(reason, self.file, line, code=code))

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = local(name)
        if not self._texts and name != self.root:
            reason = f"the root element is {name!r}, not {self.root!r}"
            raise InputError(reason, self.file, code="xml.wrong_root", root=name, wanted=self.root)
        self._texts.append([])
        self.start(name, {local(key): value for key, value in attributes.items()})

    def _end(self, name: str) -> None:
        self.end(local(name), "".join(self._texts.pop()))

    def _refuse_entity(self, name: str, *_: object) -> None:
        reason = f"the file declares or uses the XML entity {name!r}, which is not read; write its text out"
        raise InputError(reason, self.file, self._parser.CurrentLineNumber, code="xml.entity", entity=name)

    def _fault(self, error: expat.ExpatError) -> InputError:
        reason = f"not XML: {expat.ErrorString(error.code)} (column {error.offset + 1})"
        if error.code in _CUT:
            reason = "the XML ends too early; the file is truncated, fetch it again"
            return InputError(reason, self.file, error.lineno, code="xml.truncated")
        return InputError(reason, self.file, error.lineno, code="xml.not_well_formed", column=error.offset + 1)


_CUT = [
    expat.errors.codes[name]
    for name in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
    )
]
