"""Documents in reStructuredText: docutils reads it, and roles and directives that it does not know are text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from graphbrick.core.errors import InputError, ModelError
from graphbrick.text.documents.document import Document, Heading
from graphbrick.text.sources.encodings import decoded
from graphbrick.text.sources.rst.left_out import LeftOut
from graphbrick.text.sources.rst.names import (
    CODE,
    TABLES,
    is_admonition,
    is_code,
    is_known,
    is_left_out,
    is_object,
    lead_of,
    role_text,
)
from graphbrick.text.sources.rst.writer import Writer

_SETTINGS = {
    "file_insertion_enabled": False, "raw_enabled": False, "_disable_config": True, "report_level": 5, "halt_level": 5,
    "doctitle_xform": False, "sectsubtitle_xform": False, "docinfo_xform": False, "line_length_limit": 1 << 30,
    "warning_stream": False, "syntax_highlight": "none", "smart_quotes": False, "input_encoding": "unicode",
}  # fmt: skip
_DOCUTILS = TABLES | {"replace", "unicode", "role", "default-role"}
_UNSHOWN = frozenset("only ifconfig container compound class figure grid hlist".split())  # their argument is no text
_TOLD = ("type", "value", "default", "platform")  # options of things that are described
_BLANK = re.compile(r"\n[ \t]*\n")
_MOST_MARKS = 5_000  # of a paragraph, as docutils goes through the rest of it for each
_FAULTS = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)  # of docutils
_SHOWN = 100  # characters of one
_LOCK = Lock()  # docutils looks roles and directives up in its module


def rst_document(address: str, title: str, data: bytes) -> Document:
    """Return the text of a file in reStructuredText; sections, and things that are described, give headings.

    Args:
        address: Its path or address.
        title: Its title if it has no section.
        data: Its content.

    Raises:
        InputError: Its blocks are nested too deeply, a paragraph has too many marks, or docutils fails at it.
        ModelError: The package docutils is not installed.
    """
    source, encoding = decoded(data)
    left_out = LeftOut()
    text, headings = rst_text(source, address, left_out)
    first = next((heading.title for heading in headings if heading.level == 1), "")
    return Document(address, first or title, text, headings, "; ".join(filter(None, (encoding, left_out.note()))))


def rst_text(source: str, address: str, left_out: LeftOut, fence: str = "") -> tuple[str, tuple[Heading, ...]]:
    """Return text and headings of a source, and count what is left out.

    Args:
        source: The text in reStructuredText.
        address: The path or address of its document.
        left_out: What was left out so far.
        fence: Line before and after code; empty for none.

    Raises:
        InputError: Its blocks are nested too deeply, a paragraph has too many marks, or docutils fails at it.
        ModelError: The package docutils is not installed.
    """
    try:
        from docutils import nodes
        from docutils.core import publish_doctree
    except ImportError as error:
        raise ModelError(
            "reStructuredText needs the package docutils: pip install 'graphbrick[text]'",
            code="sources.no_rst_package",
        ) from error
    for block in _BLANK.split(source):
        if len(block) > _MOST_MARKS and sum(map(block.count, "`*|_")) > _MOST_MARKS:
            raise InputError(
                f"a paragraph of it has more than {_MOST_MARKS:,} marks such as * and `; split it",
                address,
                code="sources.rst_too_many_marks",
            )
    writer = Writer(fence)
    try:
        with _looked_up(left_out.directives):
            tree = publish_doctree(source, settings_overrides=_SETTINGS)
        text, headings = writer.written(tree)
    except RecursionError as error:
        raise InputError(
            "its blocks are nested too deeply; split it", address, code="sources.rst_nested_too_deeply"
        ) from error
    except _FAULTS as error:  # such as substitutions that are in each other
        raise InputError(
            f"docutils cannot read it ({type(error).__name__}: {str(error)[:_SHOWN]}); mend it, or save it as .txt",
            address,
            code="sources.rst_unreadable",
        ) from error
    left_out.comments += sum(len(node.astext().split()) for node in tree.findall(nodes.comment))
    left_out.targets += sum("refuri" in node for node in tree.findall(nodes.target))
    left_out.bad += writer.bad
    return text, headings


@contextmanager
def _looked_up(left_out: Counter[str]) -> Iterator[None]:
    """Let docutils find a role and a directive for every name; count the directives that are left out."""
    from docutils import nodes
    from docutils.parsers.rst import directives, roles

    ours = _directives(left_out)
    known_directive, known_role = directives.directive, roles.role

    def directive(name: str, language: Any, document: Any) -> tuple[Any, list[Any]]:
        name = name.casefold()
        if name in _DOCUTILS:
            found, messages = known_directive(name, language, document)
            return found, list(messages)
        return ours(name), []

    def role(name: str, language: Any, line: int, reporter: Any) -> tuple[Any, list[Any]]:
        if name.casefold() in _INLINE_ROLES or name in roles._roles:
            found, messages = known_role(name, language, line, reporter)
            return found, list(messages)

        def text_of(role: str, raw: str, text: str, *_: Any, **__: Any) -> tuple[list[Any], list[Any]]:
            shown = role_text(name.rpartition(":")[2].casefold(), text.replace("\0", ""))
            return [nodes.inline(raw, shown)], []

        return text_of, []

    with _LOCK:
        directives.directive, roles.role = directive, role
        registered = dict(roles._roles)
        try:
            yield
        finally:
            directives.directive, roles.role = known_directive, known_role
            roles._roles.clear()  # the document may have defined some
            roles._roles.update(registered)


_INLINE_ROLES = frozenset(
    "emphasis strong literal code math subscript sub superscript sup title-reference title t raw".split()
)


def _directives(left_out: Counter[str]) -> Any:
    """Return a function that gives the class of a directive by its name."""
    from docutils import nodes
    from docutils.parsers.rst import Directive, directives

    class Options(dict[str, Any]):
        """Options of any name."""

        def __bool__(self) -> bool:
            return True

        def __missing__(self, name: str) -> Any:
            return directives.unchanged

    class Ours(Directive):  # type: ignore[misc]
        """A directive whose text is read."""

        optional_arguments, final_argument_whitespace, has_content = 1, True, True
        option_spec = Options()

        def run(self) -> list[Any]:
            name, argument = self.name.casefold(), self.arguments[0] if self.arguments else ""
            if is_left_out(name):
                left_out[name] += 1
                return []
            if name in CODE or (not is_known(name) and is_code(self.content)):
                caption = [self.options["caption"]] if self.options.get("caption") else []
                text = "\n".join([*caption, *self.content])
                return [nodes.literal_block(text, text)] if text else []
            if is_object(name) and (name != "class" or self.content or not argument.replace(" ", "").islower()):
                return [self._object(argument)]
            return self._text(name, argument)

        def _object(self, argument: str) -> Any:
            block = nodes.Element()
            block.tagname = "object_description"
            lines = [" ".join(line.replace("\\", "").split()) for line in argument.split("\n")]
            block["signatures"] = [line for line in lines if line] or [""]
            for option in _TOLD:
                if self.options.get(option):
                    block += nodes.paragraph("", f"{option.capitalize()}: {self.options[option]}")
            self.state.nested_parse(self.content, self.content_offset, block)
            return block

        def _text(self, name: str, argument: str) -> list[Any]:
            block = nodes.admonition()
            if name == "figure":
                left_out[name] += 1
            lead = "" if name in _UNSHOWN else lead_of(name, argument)
            if lead:
                words, messages = self.state.inline_text(lead, self.lineno)
                block += nodes.paragraph(lead, "", *words)
                block += messages
            self.state.nested_parse(self.content, self.content_offset, block, match_titles=False)
            return [block] if lead else list(block.children)

    class Note(Ours):
        """A directive whose text may begin in its first line."""

        optional_arguments = 0

    return lambda name: Note if is_admonition(name) or name == "math" else Ours
