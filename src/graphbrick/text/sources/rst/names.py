"""What the roles and directives of docutils and Sphinx are for; MyST, which is Markdown, has the same ones."""

from __future__ import annotations

import re
from collections.abc import Sequence

CODE = frozenset(
    "code code-block sourcecode code-cell prompt console parsed-literal math doctest testcode testoutput testsetup "
    "testcleanup ipython productionlist command-output program-output".split()
)
TABLES = frozenset(("table", "csv-table", "list-table"))
LEFT_OUT = frozenset(
    "toctree contents index currentmodule currentclass module py:module py:currentmodule js:module highlight program "
    "image video youtube include literalinclude raw meta sectnum section-numbering target-notes tabularcolumns "
    "default-domain highlightlang bibliography mermaid graphviz digraph graph uml plantuml inheritance-diagram "
    "autosummary date title rst-class cssclass genindex modindex".split()
)
"""Directives without text of their own, or whose text is in another file; so are those that begin with «auto»."""

_OBJECTS = frozenset(
    "data function class method attribute exception option cmdoption confval envvar decorator decoratormethod property "
    "staticmethod classmethod describe object setting event signal macro type var member enum enumerator struct union "
    "variable templatetag templatefilter django-admin fieldlookup directive role".split()
)
_DOMAINS = frozenset("py c cpp js rst std php rb http go java cs perl rust dart option lua sh make cmake".split())
_VERSIONS = {
    "versionadded": "New in version", "versionchanged": "Changed in version", "deprecated": "Deprecated since version",
    "version-added": "New in version", "version-changed": "Changed in version", "version-removed": "Removed in version",
    "version-deprecated": "Deprecated since version", "versionremoved": "Removed in version",
}  # fmt: skip
_ADMONITIONS = {
    name: name.capitalize()
    for name in "note warning tip hint important caution danger attention error todo example".split()
} | {"seealso": "See also", "admonition": ""}
_AROUND = frozenset(
    "tab-set tab-item tabs tab group-tab code-tab grid grid-item grid-item-card card dropdown details figure margin "
    "sidebar topic epigraph pull-quote highlights glossary only ifconfig container compound hlist rubric centered "
    "attribution line-block eval-rst div".split()
)
_CODE_LINE = re.compile(
    r"[\w\])]\(.*\)[:;]?\Z|[\[({;]\Z|\w=|\w\) *=|\A\w+ = |\A[\])}]+[,;:]?\Z"
    r"|\A(?:@\w|\$ |>>>|#|//|def |class |import |from \w+ import |return|yield|raise|else:|try:)"
    r"|\A(?:if|for|while) .*:\Z"
)
_TITLE_AND_TARGET = re.compile(r"(.+?)\s*<[^<>]*>\s*\Z", re.DOTALL)


def is_left_out(directive: str) -> bool:
    """Return whether a directive does not have text."""
    return directive in LEFT_OUT or (directive.startswith("auto") and directive != "autonumbered")


def is_object(directive: str) -> bool:
    """Return whether a directive describes a thing that it names, such as a function or a setting.

    >>> [is_object(name) for name in ("py:data", "confval", "note")]
    [True, True, False]
    """
    domain, _, name = directive.rpartition(":")
    return not is_left_out(directive) and (name in _OBJECTS or domain in _DOMAINS)


def is_code(lines: Sequence[str]) -> bool:
    """Return whether the content of a directive that is not known is code rather than text.

    >>> is_code(["import os", "", "def run(x):", "    os.close(x)"]), is_code(["Run it (or not), as", "you like it."])
    (True, False)
    """
    bare = [line.strip() for line in lines if line.strip()]
    return 2 * sum(_CODE_LINE.search(line) is not None for line in bare) > len(bare)


def is_known(directive: str) -> bool:
    """Return whether a directive has a meaning here."""
    return (
        directive in CODE
        or directive in TABLES
        or directive in _AROUND
        or directive in _ADMONITIONS
        or directive in _VERSIONS
        or is_left_out(directive)
        or is_object(directive)
    )


def is_admonition(directive: str) -> bool:
    """Return whether a directive is a note, whose text may begin in its first line."""
    return directive in _ADMONITIONS and directive != "admonition"


def lead_of(directive: str, argument: str) -> str:
    """Return the line before the text of a directive; empty for none.

    >>> lead_of("note", ""), lead_of("admonition", "Old ports"), lead_of("versionadded", "2.0"), lead_of("tab", "Linux")
    ('Note', 'Old ports', 'New in version 2.0', 'Linux')
    """
    if directive in _VERSIONS:
        version, _, text = argument.partition("\n") if "\n" in argument else argument.partition(" ")
        return f"{_VERSIONS[directive]} {version.strip()}{':' if text.strip() else ''} {text.strip()}".strip()
    return ": ".join(part for part in (_ADMONITIONS.get(directive, ""), argument) if part)


def role_text(role: str, text: str) -> str:
    """Return the text that a role shows.

    >>> role_text("class", "~click.Group"), role_text("ref", "the groups <groups>"), role_text("pep", "8")
    ('Group', 'the groups', 'PEP 8')
    """
    titled = _TITLE_AND_TARGET.match(text)
    if titled is not None:
        return titled[1]
    if role in ("pep", "rfc"):
        return f"{role.upper()} {text}"
    if text.startswith("~"):
        return re.split(r"[.\s]", text[1:].removesuffix("()"))[-1] + ("()" if text.endswith("()") else "")
    return text.removeprefix("!")
