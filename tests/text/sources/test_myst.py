"""MyST: Markdown with roles and directives."""

from __future__ import annotations

import pytest

from graphbrick.text.documents.document import Document
from graphbrick.text.sources.markup import markdown_document


def read(source: str) -> Document:
    return markdown_document("a.md", "a", source.encode())


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Use {class}`click.argument` and {meth}`~Boat.sail`.", "Use click.argument and sail."),
        ("See {ref}`the ports <ports>`, {pep}`8`, 10{sup}`6`.", "See the ports, PEP 8, 10⁶."),
        ("Write `{ref}` or ``{ref}`x` ``.", "Write `{ref}` or ``{ref}`x` ``."),  # code
        ("```python\nf\"{a}`b`\"\n```", "```python\nf\"{a}`b`\"\n```"),
        ("{.hide-header}\n# T\n\n{: .no_toc }\nText {.x} stays.", "# T\n\nText {.x} stays."),
        ("(a-target)=\n## T", "## T"),
        ("```{note}\nIt *is* {class}`Boat`.\n\nMore.\n```\nEnd.", "Note\nIt *is* Boat.\n\nMore.\nEnd."),
        (":::{warning}\nDo not.\n:::", "Warning\nDo not."),
        (":::tip\nDo.\n:::", "Tip\nDo."),
        ("::::{tab-set}\n:::{tab-item} Linux\nRun it.\n:::\n::::", "Linux\nRun it."),
        ("```{admonition} Old ports\n:class: x\n\nCork.\n```", "Old ports\nCork."),
        ("```{note} It is so.\n```", "Note: It is so."),
        ("```{versionadded} 2.0\n```", "New in version 2.0"),
        ("```{code-block} python\n:caption: a.py\n\nf(1)\n```", "a.py\n```python\nf(1)\n```"),
        ("```{list-table} Ports\n:header-rows: 1\n\n* - Port\n  - Boats\n* - Cork\n  - 7\n    or 8\n```",
         "Ports\nPort | Boats\nCork | 7 or 8"),
        ("```{csv-table}\nPort, Boats\n\"Cork, Cobh\", 7\n```", "Port | Boats\nCork, Cobh | 7"),
        ("```{eval-rst}\n.. list-table::\n\n    * - Port\n      - ``Boats``\n    * - Cork\n      - 7\n```",
         "Port | Boats\nCork | 7"),
        ("```{r setup, echo=FALSE}\nx <- 1\n```", "```{r setup, echo=FALSE}\nx <- 1\n```"),  # code that is run
        ("```{python}\nx = 1\n```", "```{python}\nx = 1\n```"),
        ("```{note}\nNot ended.", "Note\nNot ended."),
    ],
)  # fmt: skip
def test_what_is_shown(source: str, text: str) -> None:
    assert read(source).text == text


def test_headings_of_parts_in_other_languages() -> None:
    document = read(
        "# Ports\n\n```{py:data} PORT\nThe port.\n```\n\n## Code\n\n```{eval-rst}\n.. py:data:: DEPTH\n\n   How deep::"
        "\n\n"
        "      # no heading\n```\n"
    )
    assert [(h.level, h.title) for h in document.headings] == [(1, "Ports"), (2, "PORT"), (2, "Code"), (3, "DEPTH")]
    assert "```\n# no heading\n```" in document.text


def test_what_is_left_out_is_counted() -> None:
    document = read(
        "(here)=\n# T\n\n```{toctree}\n:maxdepth: 1\n\na\n```\n\n```{eval-rst}\n.. autofunction:: sail\n```\n\n"
        "```{image} a.png\n```\n\nText.\n"
    )
    assert "".join(document.text.split()) == "#TText."
    assert document.note == (
        "1 link target left out; directives without text left out: autofunction (1), image (1), toctree (1)"
    )
