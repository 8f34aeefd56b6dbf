"""Markdown: what it says by reference, by elements of HTML and by marks of quoted blocks; code stays."""

from __future__ import annotations

import pytest

from graphbrick.text.sources.markup import markdown_document


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ('<a id="x">PORT</a>, <code>a/b</code>, <b>old</b><br/>new', "PORT, `a/b`, old new"),
        ('<a href="https://a.org/b">The port</a><img src=a.png>', "[The port](https://a.org/b)"),
        ('The port: <img src="a.png" alt="a map of the port" width=3>', "The port: a map of the port"),
        ("`<code>x</code>`\n\n```\n<b>x</b> _y_\n> z\n```", "`<code>x</code>`\n\n```\n<b>x</b> _y_\n> z\n```"),
        ("List<a> and Map<K, V>, <string>", "List<a> and Map<K, V>, <string>"),
        ("By [`semver`][1] and [the Port], or [no][2].\n\n[1]: https://a.org 'A'\n[the port]: /p\n[3]: /q",
         "By [`semver`](https://a.org) and [the Port](/p), or [no][2].\n\n[3]: /q"),  # one that is not used stays
        ("`[a][1]` and a[1]: x\n\n[1]: /p", "`[a][1]` and a[1]: x\n\n[1]: /p"),
        ("A _minor_ one, (_such\nas_), snake_case_name, `_x_`, a/_b_, __init__, _private",
         "A minor one, (such\nas), snake_case_name, `_x_`, a/_b_, __init__, _private"),
        ("It is\n> so that\n> > boats\nsail.\n\n>>> f(x)", "It is\n\nso that\nboats\nsail.\n\n>>> f(x)"),
        ("> ```\n> a > b\n> ```\n> End.", "```\na > b\n```\nEnd."),
    ],
)  # fmt: skip
def test_words_are_plain(source: str, text: str) -> None:
    assert markdown_document("a.md", "a", source.encode()).text == text


def test_headings_are_plain_and_stand_in_quoted_blocks_too() -> None:
    source = "## `bodyLimit` ([#20](https://a.org/20))\n\n> ## The _raw_ one\n> Text.\n\n### Next\n"
    document = markdown_document("a.md", "a", source.encode())
    assert [(heading.level, heading.title) for heading in document.headings] == [
        (2, "bodyLimit (#20)"), (3, "The raw one"), (3, "Next"),
    ]  # fmt: skip
    assert all(document.text.startswith("#", heading.start) for heading in document.headings)


@pytest.mark.parametrize("part", ["<b>", "> ", "[", " _a", "<a href='x'"])
def test_marks_without_end_are_soon_read(part: str) -> None:
    markdown_document("a.md", "a", (part * 20_000 + "\n\n[a]: b").encode())


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("# ![Harbour of Galway](logo.png)\n\nText.\n\n## Ports\n", "Harbour of Galway"),
        ("# [![Harbour](logo.png)](https://example.org) manual\n\nText.\n", "Harbour manual"),
        ("# ![](logo.png)\n\nText.\n\n## Ports\n\nText.\n", "Ports"),
        ("# ![](logo.png)\n\nText.\n", "a"),
        ("![Harbour](logo.png)\n====\n\nText.\n", "Harbour"),
    ],
)
def test_a_picture_is_no_title(source: str, title: str) -> None:
    document = markdown_document("a.md", "a", source.encode())
    assert document.title == title
    assert all(heading.title for heading in document.headings)


def test_comments_and_links_to_the_top_are_left_out() -> None:
    source = (
        "# Port\n<!-- a note\nof two lines -->\nIt is old.<!-- x -->\n\n[Back to top](#port)\n\n([наверх](#top))\n\n"
        '<p align="right"><a href="#top">back to top</a></p>\n\nGo [back to top](#port) of it.\n\n`<!-- code -->`\n'
        "```\n<!-- more -->\n```\nIt is open <!-- for ever.\n"
    )
    document = markdown_document("a.md", "a", source.encode())
    assert document.note == "6 words of comments left out"
    assert [line for line in document.text.split("\n") if line] == [
        "# Port",
        "It is old.",
        "Go [back to top](#port) of it.",
        "`<!-- code -->`",
        "```",
        "<!-- more -->",
        "```",
        "It is open <!-- for ever.",
    ]
