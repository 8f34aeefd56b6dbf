"""Measure how long the sentences of Markdown pages are: python tools/sentences.py PAGE..."""

from __future__ import annotations

import re
import sys
from pathlib import Path


def prose(page: str) -> list[str]:
    """Return the sentences of a page without code blocks, tables, headings, comments; code in a line is one word."""
    page = re.sub(r"\A---\n.*?\n---\n", "", page, flags=re.DOTALL)
    page = re.sub(r"(?s:<!--.*?-->|^```.*?^```$)|^(?: *\||#|!!! |:::).*$", "", page, flags=re.MULTILINE)
    page = re.sub(r"``.*?``|`[^`\n]*`", "x", page)
    page = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", page)
    # A point of a list is a sentence of its own, with or without a full stop.
    paragraphs = re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", page)
    texts = [re.sub(r"^\s*(?:[-*]|\d+\.) ", "", " ".join(part.split())) for part in paragraphs]
    return [sentence for text in texts for sentence in re.split(r"(?<=[.!?:])\s+(?=[^a-z])", text) if sentence.strip()]


def mean_sentence_length(page: str) -> float:
    """Return the mean number of words in the sentences of a page; 0 for a page without any."""
    sentences = prose(page)
    return sum(len(sentence.split()) for sentence in sentences) / len(sentences) if sentences else 0.0


def main() -> None:
    """Print words, sentences and words a sentence of each page."""
    for name in sys.argv[1:]:
        page = Path(name).read_text(encoding="utf-8")
        sentences = prose(page)
        words, mean = len(page.split()), mean_sentence_length(page)
        print(f"{words:6} words {len(sentences):4} sentences {mean:5.1f} words each  {name}")


if __name__ == "__main__":
    main()
