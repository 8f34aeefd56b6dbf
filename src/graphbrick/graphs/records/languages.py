"""Languages of texts of RDF: a literal keeps its language in its key, such as ``"Sei Berlin"@de``."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

from graphbrick.core.properties.values import Value

Texts: TypeAlias = Mapping[str, Sequence[str]]
"""The texts of a property of an entity by the tags of their languages; "" for those without one."""
TYPES = ("langString", "dirLangString")
"""The types of texts with a language."""


def language_of(key: str) -> str:
    """Return the tag of the language of a literal, in lower case; empty for a literal without one and other keys.

    >>> language_of('"Sei Berlin"@de'), language_of('"x"@zh-Hant'), language_of('"x"@ar--rtl'), language_of("a@de")
    ('de', 'zh-hant', 'ar', '')
    """
    tag = key.rpartition('"')[2] if key.startswith('"') else ""
    return tag[1:].partition("--")[0].casefold() if tag.startswith("@") else ""


def counted_tags(tags: Collection[str], wanted: Sequence[str]) -> frozenset[str]:
    """Return the tags of those values of a property that count: those in one language.

    The first wanted language that there is counts, by its tag, by the language that it is a variant of, or by a variant
    of that; without any, the one that is first in the alphabet.

    Args:
        tags: The tags of the values; "" for a value without a language.
        wanted: Tags of languages in lower case, best first; "" after the language that such values are taken to be in.

    >>> sorted(counted_tags({"de", "en-gb", "en-us", ""}, ("fr", "en", "")))
    ['', 'en-gb']
    >>> sorted(counted_tags({"fr", "de"}, ("en", "")))
    ['de']
    """
    for place, language in enumerate(wanted):
        base = language.partition("-")[0]
        own = [tag for tag in (language, base) if tag in tags]
        own += sorted(tag for tag in tags if base and tag.startswith(f"{base}-"))
        if own:
            return frozenset((own[0], *("" for after in wanted[place + 1 : place + 2] if not after)))
    return frozenset({min(tags, default="")})


def usual_languages(graph: Any) -> tuple[str, ...]:
    """Return the languages of texts where a question says nothing of them: that of the graph, then English.

    A text without a language is taken to be in that of the graph.
    """
    manifest = getattr(graph, "manifest", None)
    own = getattr(graph, "label_language", "") or getattr(manifest, "language", "") or "en"
    return tuple(dict.fromkeys((own.strip().casefold(), "", "en")))


def is_in(tags: Collection[str], language: str) -> bool:
    """Return whether one of some tags is that of a language or of a variant of it."""
    return any(tag.partition("-")[0] == language.partition("-")[0] for tag in tags)


def chosen_texts(texts: Texts, wanted: Sequence[str]) -> list[str]:
    """Return the texts that count, each once: in the best language that there is, and those without one beside it.

    >>> chosen_texts({"de": ["Stadt"], "en": ["city"], "": ["city", "town"]}, ("en", ""))
    ['city', 'town']
    """
    counted = counted_tags(texts, wanted)
    ordered = sorted(counted & texts.keys(), key=lambda tag: not tag)
    return list(dict.fromkeys(text for tag in ordered for text in texts[tag]))


def languages_of(texts: Texts, shown: Value, usual: str) -> str:
    """Return in which language the shown values of a property are, unless it is the usual one, and the others.

    >>> languages_of({"de": ["Stadt"], "en": ["city"]}, "city", "en"), languages_of({"de": ["Stadt"]}, "Stadt", "en")
    (' (also in de)', ' (de)')
    """
    values = set(shown if isinstance(shown, tuple) else (shown,))
    others = sorted(tag for tag, said in texts.items() if tag and not set(said) <= values)
    parts = sorted(tag for tag, said in texts.items() if tag and set(said) <= values)
    parts = [] if usual in parts else parts[:1]
    parts += [f"also in {', '.join(others)}"] if others else []
    return f" ({'; '.join(parts)})" if parts else ""
