"""Reading documents from files: text, Markdown, reStructuredText, HTML, PDF, Word, mail, and tables, one a row."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.streams import PACKED, open_source, unpacked_name
from graphbrick.text.documents.document import Document
from graphbrick.text.sources.encodings import has_mark
from graphbrick.text.sources.hypertext import html_document
from graphbrick.text.sources.hypertext.epub import EPUB, epub_document
from graphbrick.text.sources.mail import MAIL, mail_documents
from graphbrick.text.sources.markup import markdown_document
from graphbrick.text.sources.office import OFFICE, office_document
from graphbrick.text.sources.plain import plain_document
from graphbrick.text.sources.prose import is_prose
from graphbrick.text.sources.rst import rst_document
from graphbrick.text.sources.tables import TABLES, SourceOptions, table_documents

_MARKUP = {
    ".txt": plain_document,
    ".text": plain_document,
    ".md": markdown_document,
    ".markdown": markdown_document,
    ".rst": rst_document,
    ".rest": rst_document,
    ".html": html_document,
    ".htm": html_document,
    ".xhtml": html_document,
}
_SOURCES = frozenset((".md", ".markdown", ".rst", ".rest"))
SUFFIXES = (*_MARKUP, *OFFICE, *EPUB, *MAIL, *TABLES)
"""Suffixes of the files that are read, each also with .gz or .zst after it (but not .parquet)."""

_MOST_ENDINGS = 10  # that a message names

MOST_BYTES = 256 << 20
"""A file that is one document may not be larger, unpacked."""


def files_of(source: Path) -> tuple[list[Path], list[Path]]:
    """Return the files of a source that hold documents, sorted, and those of other kinds.

    Args:
        source: A file, or a folder, which is searched with its subfolders. Hidden files and folders, and links to
            folders, are left out, and so are graphs and what lies beside them.

    Raises:
        InputError: There is no such file or folder, a folder cannot be read, or a file is of another kind.
    """
    try:
        is_file, is_folder = source.is_file(), source.is_dir()
    except OSError as error:  # such as a network folder that does not answer
        _unreadable(error)
    if is_file:
        if not _is_read(source):
            raise InputError(
                f"files of this kind are not read; there are {', '.join(SUFFIXES)}", source, code="sources.other_kind"
            )
        return [source], []
    if not is_folder:
        raise InputError("there is no such file or folder", source, code="sources.not_there")
    documents: list[Path] = []
    others: list[Path] = []
    for folder, names, files in os.walk(source, onerror=_unreadable):
        graphs = {name for name in names if _is_graph(Path(folder, name))}
        names[:] = sorted(
            name
            for name in names
            if not name.startswith(".") and name not in graphs and name.rpartition(".")[0] not in graphs
        )
        for name in files:
            file = Path(folder, name)
            if not name.startswith(".") and file.is_file():
                (documents if _is_read(file) else others).append(file)
    return sorted(documents), sorted(others)


def _is_read(file: Path) -> bool:
    return suffix_of(file) in SUFFIXES or is_prose(file)


def no_documents(folder: Path, others: Sequence[Path]) -> InputError:
    """Return the error of a folder without a file that is read, with the endings of those that it has."""
    counts = Counter(suffix_of(file) or "no ending" for file in others)
    endings = ", ".join(f"{ending} ({n:,})" for ending, n in counts.most_common(_MOST_ENDINGS))
    more = f" and {len(counts) - _MOST_ENDINGS:,} more" if len(counts) > _MOST_ENDINGS else ""
    there = f"it has files with {endings}{more}" if counts else "it has no files"
    return InputError(
        f"no file in it is of a kind that is read: {there}; there are {', '.join(SUFFIXES)}",
        folder,
        code="sources.no_documents",
    )


def _unreadable(error: OSError) -> NoReturn:
    """Raise the error of a source that cannot be listed, as its documents would count as deleted."""
    raise InputError(
        f"it cannot be read: {error.strerror or error}", error.filename, code="sources.folder_unreadable"
    ) from error


def _is_graph(folder: Path) -> bool:
    """Return whether a folder is a graph, or holds the documents of one."""
    return (folder / "documents.sqlite").is_file() or all(
        (folder / name).is_file()
        for name in ("manifest.json", "labels.zst", "relation.npy")  # one without entities has no keys
    )


def suffix_of(file: Path) -> str:
    """Return the suffix in lower case, without that of packing.

    >>> suffix_of(Path("notes.MD.gz"))
    '.md'
    """
    return Path(unpacked_name(file)).suffix


def documents_in(file: Path, options: SourceOptions) -> Iterator[Document]:
    """Yield the documents of a file.

    Raises:
        InputError: It is empty, binary, too large, damaged, encrypted, or has no text or no column of text.
        ModelError: The package for files of this kind is not installed.
    """
    suffix = suffix_of(file)
    if suffix in TABLES:
        yield from table_documents(file, suffix, options)
        return
    with open_source(file, other_encodings=True) as stream:
        data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise InputError(
            f"it has more than {MOST_BYTES >> 20} MB, the most for one document; split it",
            file,
            code="sources.too_large",
        )
    if suffix in OFFICE:
        yield office_document(str(file), _stem(file), data, suffix, MOST_BYTES)
        return
    if suffix in EPUB:
        yield epub_document(str(file), _stem(file), data, MOST_BYTES)
        return
    if b"\0" in data and not has_mark(data):
        raise InputError("it is binary, not text", file, code="sources.binary")
    if suffix in MAIL:
        yield from mail_documents(file, suffix, data)
        return
    read = _MARKUP.get(_markup_of(file, suffix), plain_document)  # such as README
    document = read(str(file), _stem(file), data)
    if not document.text.strip():
        raise InputError("it has no text", file, code="sources.no_text")
    yield document


def _markup_of(file: Path, suffix: str) -> str:
    """Return the suffix that says how a text is read; Sphinx publishes its sources as «a.rst.txt»."""
    inner = Path(Path(unpacked_name(file)).stem).suffix
    return inner if suffix == ".txt" and inner in _SOURCES else suffix


def _stem(file: Path) -> str:
    """Return the name of a file without suffixes, as the title of a document that has no other."""
    name = next((file.name[: -len(end)] for end in PACKED if file.name.lower().endswith(end)), file.name)
    stem = Path(name).stem if Path(name).suffix.lower() in SUFFIXES else name
    return stem.replace("_", " ").replace("-", " ").strip()


__all__ = ["SUFFIXES", "SourceOptions", "documents_in", "files_of", "no_documents", "suffix_of"]
