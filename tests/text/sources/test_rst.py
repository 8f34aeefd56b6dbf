"""reStructuredText: sections, roles and directives of Sphinx, and what is left out."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from faults import fails

from graphbrick import ByHeading, index
from graphbrick.core.errors import InputError, ModelError
from graphbrick.text.documents.document import Document
from graphbrick.text.sources import documents_in
from graphbrick.text.sources.rst import rst_document
from graphbrick.text.sources.tables import SourceOptions


def read(source: str) -> Document:
    return rst_document("a.rst", "a", source.encode())


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Use :class:`~keeper.Boat`, :meth:`~Boat.sail()` and :ref:`the ports <ports>`.",
         "Use Boat, sail() and the ports."),
        ("See :pep:`8`, :unknown:`x y`, :py:func:`!sail` and :file:`a/b.txt`.", "See PEP 8, x y, sail and a/b.txt."),
        ("A *b* **c** ``d\\e`` `f` `Link <http://x.org>`_ and link_.\n\n.. _link: http://y.org",
         "A b c d\\e f Link and link."),
        ("2\\ :sup:`64` and H\\ :sub:`2`\\ O", "2⁶⁴ and H₂O"),
        ("It is |x|, of |version|.\n\n.. |x| replace:: the *X*", "It is the X, of |version|."),
        ("It sails [1]_ [#n]_.\n\n.. [1] In May.\n.. [#n] In June.",
         "It sails [1] [2].\n\n[1] In May.\n\n[2] In June."),
        ("Run::\n\n    def f():\n        return 1\n\nEnd.", "Run:\n\ndef f():\n    return 1\n\nEnd."),
        (".. code-block:: python\n   :caption: a.py\n   :linenos:\n\n   f(1)", "a.py\nf(1)"),
        (".. click:run::\n\n   invoke(f)\n   invoke(g, a=1)", "invoke(f)\ninvoke(g, a=1)"),
        (".. note:: It is so.\n   Really.\n\n   And more.", "Note\nIt is so. Really.\n\nAnd more."),
        (".. warning::\n\n   Do *not*.", "Warning\nDo not."),
        (".. admonition:: Old ``ports``\n\n   Cork.", "Old ports\nCork."),
        (".. versionadded:: 2.0\n   The ``x`` flag.", "New in version 2.0: The x flag."),
        (".. deprecated:: 2.1", "Deprecated since version 2.1"),
        (".. tabs::\n\n   .. group-tab:: macOS\n\n      Run it.", "macOS\nRun it."),
        (".. only:: html\n\n   Shown.", "Shown."),
        ("keeper : a person\n   Leads it.\n\n   Default: Rosa\n\nnext\n   One.",
         "keeper : a person\nLeads it.\nDefault: Rosa\n\nnext\nOne."),
        (".. glossary::\n\n   Port\n      A place.", "Port\nA place."),
        ("- one\n\n  more\n- two\n\n  1. three\n  2. four\n\nb) x\nc) y",
         "- one\nmore\n- two\n1. three\n2. four\n\nb) x\nc) y"),
        (":param n: how *many*\n:returns: it\n:orphan:", "param n: how many\nreturns: it"),
        ("-f FILE, --file=FILE  to read\n--all  of it", "-f FILE, --file FILE\nto read\n--all\nof it"),
        ("| one\n| two", "one\ntwo"),
        ("===== =====\nPort  Boats\n===== =====\nCork  seven\n      or so\n===== =====",
         "Port | Boats\nCork | seven or so"),
        ("+---+---+\n| a | b |\n+===+===+\n| 1 | x |\n|   | y |\n+---+---+", "a | b\n1 | x y"),
        (".. list-table:: Ports\n   :header-rows: 1\n\n   * - Port\n     - Boats\n   * - Cork\n     - 7\n\n       or 8",
         "Ports\nPort | Boats\nCork | 7 or 8"),
        (".. csv-table::\n   :header: Port, Boats\n\n   Cork, 7", "Port | Boats\nCork | 7"),
        (">>> 1 + 1\n2", ">>> 1 + 1\n2"),
        (".. figure:: a.png\n   :width: 9\n\n   A caption.", "A caption."),
    ],
)  # fmt: skip
def test_what_is_shown(source: str, text: str) -> None:
    assert read(source).text == text


def test_sections_and_things_that_are_described_are_headings() -> None:
    document = read(
        "Ports\n=====\n\nIntro.\n\nSettings\n--------\n\n.. py:data:: PORT\n\n   The port.\n\n   Default: ``80``\n\n"
        ".. option:: -f, --fast\n            --slow\n\n   How fast.\n\n"
        ".. confval:: DEPTH\n   :default: 3\n\n   How deep.\n\n"
        "Of all settings.\n\nEnd\n---\n\nLast.\n"
    )
    assert document.title == "Ports"
    assert [(document.text[a:b], section) for a, b, section in ByHeading().spans(document)] == [
        ("Ports\n\nIntro.", "Ports"),
        ("Settings\n\nPORT\n\nThe port.\n\nDefault: 80", "Ports > Settings > PORT"),
        ("-f, --fast\n--slow\n\nHow fast.", "Ports > Settings > -f, --fast"),
        ("DEPTH\n\nDefault: 3\n\nHow deep.", "Ports > Settings > DEPTH"),
        ("Of all settings.", "Ports > Settings"),
        ("End\n\nLast.", "Ports > End"),
    ]


def test_nested_things_are_below_each_other() -> None:
    document = read(".. class:: Boat(x)\n\n   A boat.\n\n   .. method:: sail()\n\n      It sails.\n")
    assert [(h.level, h.title) for h in document.headings] == [(1, "Boat(x)"), (2, "sail()")]
    assert read(".. class:: special\n\nText.").text == "Text."


def test_what_is_left_out_is_counted() -> None:
    document = read(
        "T\n=\n\n.. a comment\n   of words\n\n.. toctree::\n   :maxdepth: 1\n\n   a\n   b\n\n.. image:: a.png\n\n"
        ".. image:: b.png\n\n.. autofunction:: sail\n\n.. include:: /etc/passwd\n\n.. raw:: html\n\n   <b>x</b>\n\n"
        ".. _here:\n\n.. _there: http://x.org\n\n.. index:: boats\n\nText.\n"
    )
    assert document.text == "T\n\nText."
    assert document.note == (
        "4 words of comments left out; 1 link target left out; directives without text left out: image (2), "
        "autofunction (1), include (1), index (1), raw (1) and 1 other kinds"
    )


@pytest.mark.parametrize(
    "source",
    [
        ".. csv-table:: T\n   :file: /etc/passwd",
        ".. csv-table:: T\n   :url: http://127.0.0.1/x",
        ".. table:: T\n\n   x",
    ],
)
def test_files_and_addresses_are_never_read_and_their_source_stays(source: str) -> None:
    document = read(f"Before.\n\n{source}\n\nAfter.")
    assert document.text.split("\n\n")[0] == "Before."
    assert document.text.endswith("After.")
    assert source.split("\n")[0] in document.text
    assert document.note == "1 place not valid reStructuredText, read as it stands"


def test_a_role_of_one_document_is_not_that_of_the_next() -> None:
    assert read(".. role:: sub\n\nA :sub:`2`.").text
    assert read("H\\ :sub:`2`\\ O").text == "H₂O"


def test_other_encodings_and_files(tmp_path: Path) -> None:
    (tmp_path / "boats.rst.txt").write_text("Boats\n=====\n\nUse :class:`Boat`.")
    (document,) = documents_in(tmp_path / "boats.rst.txt", SourceOptions())
    assert (document.text, document.title) == ("Boats\n\nUse Boat.", "Boats")
    (tmp_path / "Read_me.rest").write_bytes("Zürich *ist* groß.".encode("cp1252"))
    (document,) = documents_in(tmp_path / "Read_me.rest", SourceOptions())
    assert (document.text, document.title) == ("Zürich ist groß.", "Read me")
    assert document.note.startswith("not UTF-8")


def test_what_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = "".join(f"{'  ' * i}- a\n\n" for i in range(600))
    with fails("sources.rst_nested_too_deeply", InputError):
        read(deep)
    with fails("sources.rst_too_many_marks", InputError):
        read("``a `b *c " * 2000)
    monkeypatch.setitem(sys.modules, "docutils.core", None)
    with fails("sources.no_rst_package", ModelError):
        read("x")


def test_a_folder_without_documents_names_the_kinds_and_the_endings(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name in ("a.png", "b.PNG", "c.odt", "Makefile"):
        (docs / name).write_text("x")
    with fails("sources.no_documents", InputError) as caught:
        index([docs], tmp_path / "g.graph")
    message = str(caught.value)
    assert "no file in it is of a kind that is read: it has files with .png (2), " in message
    assert ".odt (1)" in message
    assert "no ending (1)" in message
    assert "; there are .txt, .text, .md, .markdown, .rst, " in message
    (tmp_path / "none").mkdir()
    with fails("sources.no_documents", InputError) as caught:
        index([tmp_path / "none"], tmp_path / "g.graph")
    assert "it has no files" in str(caught.value)


def test_what_docutils_fails_at_is_an_error_of_the_file() -> None:
    circle = "|a| is here.\n\n.. |a| replace:: |b| |b|\n.. |b| replace:: |c|\n.. |c| replace:: |a|\n"
    with fails("sources.rst_unreadable", InputError):
        rst_document("a.rst", "a", circle.encode())
