"""MyST, which is Markdown with the roles and directives of Sphinx: what they show is the text."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from importlib.util import find_spec
from textwrap import dedent

from graphbrick.text.sources.raised import subscript, superscript
from graphbrick.text.sources.rst import names
from graphbrick.text.sources.rst.left_out import LeftOut
from graphbrick.text.sources.rst.reading import rst_text

_DIRECTIVE = re.compile(
    r"(?P<indent>[ \t]*)(?P<mark>`{3,}|~{3,}|:{3,}) *\{(?P<name>[A-Za-z][\w:.+-]*)\} *(?P<argument>.*)"
)
_ADMONITION = re.compile(
    r"(?P<indent>[ \t]*)(?P<mark>:{3,}) *(?P<name>note|tip|info|warning|danger|caution|important)\b *(?P<argument>.*)"
)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATTRIBUTES = re.compile(r" {0,3}\{:? *[.#][\w-][^{}`]*\}[ \t]*")
_TARGET = re.compile(r"\([\w:./-]+\)=[ \t]*")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]")
_OPTION = re.compile(r":([\w-]+):[ \t]*(.*)")
_ROLE_OR_CODE = re.compile(
    r"\{([A-Za-z][\w:.+-]*)\}(`+)(?!`)((?:(?!\n[ \t]*\n).)+?)(?<!`)\2(?!`)"
    r"|(?<!`)(`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)\4(?!`)",
    re.DOTALL,
)
_ROW, _CELL = re.compile(r"[*-]\s+[*-]\s+(.*)"), re.compile(r"\s+[*-]\s+(.*)")
_DEEPEST = 20  # directives in each other


class Myst:
    """A reader of the constructs of MyST in a Markdown text; other Markdown stays as it is.

    Args:
        address: The path or address of the text.
    """

    def __init__(self, address: str) -> None:
        self.left_out = LeftOut()
        self._address = address
        self._level = 0  # of the heading above

    def plain(self, text: str, depth: int = 0) -> str:
        """Return a text with the texts of roles and directives."""
        parts: list[str] = []
        plain: list[str] = []
        lines = iter(text.split("\n"))
        for line in lines:
            directive = _DIRECTIVE.fullmatch(line) or _ADMONITION.fullmatch(line)
            fence = _FENCE.match(line)
            if directive is None and fence is None:
                if _ATTRIBUTES.fullmatch(line):
                    continue
                if _TARGET.fullmatch(line):
                    self.left_out.targets += 1
                    continue
                heading = _HEADING.match(line)
                self._level = len(heading[1]) if heading is not None else self._level
                plain.append(line)
                continue
            if plain:
                parts.append(_without_roles("\n".join(plain)))
                plain = []
            mark = directive["mark"] if directive is not None else fence[1] if fence is not None else ""
            inner, end = _inside(lines, mark)
            name = directive["name"].casefold() if directive is not None else ""
            if directive is None or depth >= _DEEPEST or not self._is_read(name, mark):
                parts.append("\n".join([line, *inner, *end]))
                continue
            shown = self._directive(name, directive["argument"].strip(), inner, depth)
            parts += [shown] if shown else []
        if plain:
            parts.append(_without_roles("\n".join(plain)))
        return "\n".join(parts)

    def _is_read(self, name: str, mark: str) -> bool:
        """Return whether a directive is one of MyST, and not a piece of a program that is run («{r}»)."""
        return (names.is_known(name) or mark[0] == ":") and (name != "eval-rst" or find_spec("docutils") is not None)

    def _directive(self, name: str, argument: str, inner: list[str], depth: int) -> str:
        """Return what a directive shows."""
        if names.is_left_out(name):
            self.left_out.directives[name] += 1
            return ""
        options, lines = _without_options(dedent("\n".join(inner)).split("\n"))
        content = "\n".join(lines).strip("\n")
        if name == "eval-rst":
            return self._rst("\n".join(inner))
        if name in names.CODE:
            caption = [options["caption"]] if options.get("caption") else []
            return "\n".join([*caption, f"```{argument if name != 'math' else ''}", content, "```"])
        if name in ("list-table", "csv-table"):
            rows = _listed(lines) if name == "list-table" else _separated(lines)
            return "\n".join([_without_roles(line) for line in (argument, *rows) if line])
        if names.is_object(name):
            level = self._level
            self._level = min(level + 1, 6)
            text = f"{'#' * self._level} {argument}\n\n{self.plain(content, depth + 1)}"
            self._level = level
            return text
        if name == "figure":
            self.left_out.directives[name] += 1
            argument = ""
        lead = _without_roles(names.lead_of(name, argument))
        return "\n".join(filter(None, (lead, self.plain(content, depth + 1))))

    def _rst(self, source: str) -> str:
        """Return a part in reStructuredText; its headings are those of Markdown."""
        text, headings = rst_text(source, self._address, self.left_out, "```")
        for heading in reversed(headings):
            if text.startswith(heading.title, heading.start):
                mark = "#" * min(self._level + heading.level, 6)
                text = f"{text[: heading.start]}{mark} {text[heading.start :]}"
        return text


def _inside(lines: Iterator[str], mark: str) -> tuple[list[str], list[str]]:
    """Return the lines inside a fence, and the one that ends it, if any."""
    inner: list[str] = []
    for line in lines:
        bare = line.strip()
        if len(bare) >= len(mark) and not bare.strip(mark[0]):
            return inner, [line]
        inner.append(line)
    return inner, []


def _without_options(lines: list[str]) -> tuple[dict[str, str], list[str]]:
    """Return the options of a directive, and the lines behind them."""
    options: dict[str, str] = {}
    if lines[:1] == ["---"] and "---" in lines[1:]:
        end = lines.index("---", 1)
        for line in lines[1:end]:
            key, _, value = line.partition(":")
            options[key.strip()] = value.strip()
        return options, lines[end + 1 :]
    n = 0
    while n < len(lines) and (option := _OPTION.fullmatch(lines[n])) is not None:
        options[option[1]] = option[2]
        n += 1
    return options, lines[n:]


def _listed(lines: list[str]) -> list[str]:
    """Return the rows of a table that is a list of lists."""
    rows: list[list[str]] = []
    for line in lines:
        row, cell = _ROW.match(line), _CELL.match(line)
        if row is not None:
            rows.append([row[1]])
        elif cell is not None and rows:
            rows[-1].append(cell[1])
        elif rows:
            rows[-1][-1] += f" {line.strip()}"
        elif line.strip():
            rows.append([line])
    return [" ".join(" | ".join(cells).split()) for cells in rows]


def _separated(lines: list[str]) -> list[str]:
    """Return the rows of a table in CSV."""
    return [" | ".join(cell.strip() for cell in row) for row in csv.reader(lines, skipinitialspace=True) if row]


def _without_roles(text: str) -> str:
    """Return a text with what its roles show; code stays.

    >>> _without_roles("{class}`~click.Group` and `{ref}` of {ref}`the groups <groups>`")
    'Group and `{ref}` of the groups'
    """

    def shown(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        role = match[1].rpartition(":")[2].casefold()
        if role in ("sup", "superscript"):
            return superscript(match[3])
        return subscript(match[3]) if role in ("sub", "subscript") else names.role_text(role, match[3])

    return _ROLE_OR_CODE.sub(shown, text)
