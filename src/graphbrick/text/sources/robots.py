"""What robots.txt allows: RFC 9309, with its wildcards, which the standard library does not read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit

_MOST_BYTES = 500 << 10
_LONGEST_DELAY = 60.0  # seconds


@dataclass
class Robots:
    """The rules for one host.

    Attributes:
        rules: Patterns of paths, and whether they are allowed.
        delay: Seconds that the host asks to wait between requests; 0 if it does not.
    """

    rules: list[tuple[str, bool]] = field(default_factory=list)
    delay: float = 0.0

    @classmethod
    def parse(cls, data: bytes, agent: str) -> Robots:
        """Return the rules of a robots.txt for an agent; those for ``*`` if none are for it.

        >>> robots = Robots.parse(b"User-agent: *\\nDisallow: /a/\\nAllow: /a/*.html$", "graphbrick")
        >>> [robots.allows(f"https://example.org{path}") for path in ("/", "/a/b", "/a/b.html", "/a/b.html?c")]
        [True, False, True, False]
        """
        groups: dict[str, Robots] = {}
        current: list[Robots] = []
        in_rules = False
        for name, value in _lines(data):
            if name == "user-agent":
                if in_rules:
                    current, in_rules = [], False
                current.append(groups.setdefault(value.lower(), cls()))
            elif name in ("allow", "disallow"):
                in_rules = True
                for group in current if value else ():
                    group.rules.append((value, name == "allow"))
            elif name == "crawl-delay" and re.fullmatch(r"\d+(\.\d+)?", value):
                in_rules = True
                for group in current:
                    group.delay = min(float(value), _LONGEST_DELAY)
        return groups.get(agent.lower()) or groups.get("*") or cls()

    def allows(self, url: str) -> bool:
        """Return whether an address may be fetched: the longest pattern decides, and if two are as long, allowing."""
        parts = urlsplit(url)
        path = _escaped(parts.path or "/") + (f"?{_escaped(parts.query)}" if parts.query else "")
        matches = [(len(pattern), allowed) for pattern, allowed in self.rules if _matches(_escaped(pattern), path)]
        return max(matches, default=(0, True))[1]


def _lines(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the names and values of the lines."""
    for line in data[:_MOST_BYTES].decode("utf-8-sig", "replace").splitlines():
        name, colon, value = line.partition("#")[0].partition(":")
        if colon:
            yield name.strip().lower(), value.strip()


def _escaped(path: str) -> str:
    return quote(path, safe="/%*$?&=;:@!'()+,~#-._[]")


def _matches(pattern: str, path: str) -> bool:
    """Return whether a pattern matches the start of a path; a regular expression would be slow with many ``*``."""
    to_end = pattern.endswith("$")
    first, *rest = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    at = len(first)
    for i, part in enumerate(rest):
        if to_end and i == len(rest) - 1:
            return path.endswith(part) and len(path) - len(part) >= at
        at = path.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return not to_end or at == len(path)
