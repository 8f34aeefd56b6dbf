"""Word files for tests."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

import docx
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml

SPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)


def word(fill: Callable[[Any], None], **notes: Mapping[int, str]) -> bytes:
    """A Word file.

    Args:
        fill: Adds the paragraphs.
        notes: The texts of ``footnotes`` or ``endnotes`` by number.
    """
    document = docx.Document()
    for kind, texts in notes.items():
        listed = "".join(
            f'<w:{kind[:-1]} w:id="{n}"><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:{kind[:-1]}>'
            for n, text in texts.items()
        )
        separator = f'<w:{kind[:-1]} w:type="separator" w:id="-1"><w:p><w:r><w:t>---</w:t></w:r></w:p></w:{kind[:-1]}>'
        xml = f"<w:{kind} {SPACES}>{separator}{listed}</w:{kind}>".encode()
        content = f"application/vnd.openxmlformats-officedocument.wordprocessingml.{kind}+xml"
        part = Part(PackURI(f"/word/{kind}.xml"), content, xml, document.part.package)
        document.part.relate_to(part, getattr(RELATIONSHIP_TYPE, kind.upper()))
    fill(document)
    data = io.BytesIO()
    document.save(data)
    return data.getvalue()


def xml(text: str) -> Any:
    """An element of a document."""
    name = text[1:].split(">", 1)[0].split()[0].rstrip("/")
    return parse_xml(text.replace(f"<{name}", f"<{name} {SPACES}", 1))


def replaced(data: bytes, name: str, content: str) -> bytes:
    """A Word file with another file in it, such as ``word/numbering.xml``."""
    packed, other = zipfile.ZipFile(io.BytesIO(data)), io.BytesIO()
    with zipfile.ZipFile(other, "w", zipfile.ZIP_DEFLATED) as out:
        for entry in packed.infolist():
            out.writestr(entry.filename, content if entry.filename == name else packed.read(entry.filename))
    return other.getvalue()
