"""The contract of a reader of one format of source files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from graphbrick.core.errors import GraphbrickError, InputError
from graphbrick.graphs.readers.streams import Meter, blocks, not_text, text_lines
from graphbrick.graphs.records.blocks import Described, FactBlock, Part, TripleBlock
from graphbrick.graphs.records.checked import record_fault
from graphbrick.graphs.records.records import BadRecords, LeftOut, RankedFact

if TYPE_CHECKING:
    from graphbrick.graphs.readers import ReadOptions

_BLOCKS = TripleBlock | FactBlock | Described | RankedFact


@dataclass(frozen=True)
class TableHints:
    """What is known of a table beside its own rows.

    Attributes:
        role: "nodes" or "edges", where the source says it; else empty.
        header: The names of its columns, if they stand in a file apart.
        type: The type of nodes whose table has no column of types.
        spaces: Whether keys begin with the name of their ID space.
    """

    role: str = ""
    header: tuple[str, ...] = ()
    type: str = ""
    spaces: bool = False


@dataclass
class FileReading:
    """The reading of one file: its options, and the receivers of bad records and progress.

    Attributes:
        options: How to read a file that does not tell its format.
        bad: Receives the bad records.
        labels: RDF predicates that state labels, besides the usual ones.
        meter: Updated with the number of bytes read.
        fast: Whether facts may be yielded in blocks.
        left_out: Receives what the reader does not take, such as columns or labels.
        table: What is known of a table beside its own rows.
    """

    options: ReadOptions
    bad: BadRecords
    labels: Collection[str] = ()
    meter: Meter | None = None
    fast: bool = False
    left_out: LeftOut = field(default_factory=LeftOut)
    table: TableHints = TableHints()

    def lines(self, file: Path) -> Iterator[tuple[int, str]]:
        """Yield the number and text of each line; a line that is not text is a bad record."""
        for first, data in blocks(file, self.options.max_line_bytes, self.bad, self.meter):
            for number, (text, fault) in enumerate(text_lines(data), first):
                if fault:
                    self.bad.add(not_text(fault, file, number, text))
                else:
                    yield number, text.removesuffix("\r")


@dataclass(frozen=True)
class Reader:
    """A reader of one format; its entry point is called as the ending of its files, without the dot.

    Attributes:
        read: Yields the records of a file: triples as (head, relation, tail) or `EdgeRecord`, `EntityRecord` and
            `RelationRecord`. It passes every bad record to ``reading.bad``, reports what it does not take to
            ``reading.left_out``, and raises `InputError` for a fault of the whole file.
        nodes: Yields the entities of a table of nodes; None for a format without such tables.
        naming: Returns the label of an entity or relation without one from its key; None for the key itself.
        is_checked: Whether its records need no check; each one costs a microsecond.
        understood: Returns in one line how a file is read, such as "key id, name name; 2 properties (born, city)",
            from its first lines alone; a build shows it before it starts. None for formats that leave no choice.
    """

    read: Callable[[Path, FileReading], Iterator[Part]]
    nodes: Callable[[Path, FileReading], Iterator[Part]] | None = None
    naming: Callable[[str], str] | None = None
    is_checked: bool = False
    understood: Callable[[Path, FileReading], str] | None = None

    def parts(self, file: Path, reading: FileReading) -> Iterator[Part]:
        """Yield the triples and facts of a file.

        Raises:
            InputError: The file cannot be read, or the reader failed or yielded something that is not a record.
        """
        return self.read(file, reading) if self.is_checked else _checked(self.read, file, reading)

    def node_parts(self, file: Path, reading: FileReading) -> Iterator[Part]:
        """Yield the entities of a table of nodes, which the format must have; errors as for `parts`."""
        assert self.nodes is not None
        return self.nodes(file, reading) if self.is_checked else _checked(self.nodes, file, reading)


def _checked(read: Callable[[Path, FileReading], Iterator[Part]], file: Path, reading: FileReading) -> Iterator[Part]:
    name = f"the reader {read.__module__}.{getattr(read, '__qualname__', read)}"
    try:
        for part in read(file, reading):
            fault = None if isinstance(part, _BLOCKS) else record_fault(part)
            if fault is not None:
                reason = f"{name} breaks its contract: {fault.reason}"
                raise InputError(reason, file, code="reader.contract", fault=fault.code)
            yield tuple(part) if isinstance(part, list) else part
    except GraphbrickError:
        raise
    except Exception as error:
        reason = f"{name} failed: {type(error).__name__}: {error}"
        raise InputError(reason, file, code="reader.failed") from error


def reader_fault(value: object) -> str:
    """Return the reason why a value is not a reader; empty if it is one."""
    if not isinstance(value, Reader):
        return "it is not a reader; declare a graphbrick.Reader(read)"
    return "" if callable(value.read) else "its read is not a function of a file and a graphbrick.FileReading"
