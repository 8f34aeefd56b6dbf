"""One description out of those that several passages give of the same entity or triple."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from graphbrick.text.documents.sentences import sentences

_LONGEST = 1200  # characters, about 300 tokens
_MARKS = ".!?;,。！？ "


def joined_descriptions(descriptions: Mapping[str, int]) -> str:
    """Return distinct sentences of descriptions, most frequent first, up to 1,200 characters.

    Case, white space and the mark at the end of a sentence do not count. A sentence that does not fit is left out; only
    the first is cut.

    Args:
        descriptions: How often each description was given.

    >>> joined_descriptions({"A lake. It is deep.": 1, "A town.": 1, "a lake": 2})
    'A lake. It is deep. A town.'
    """
    counts: Counter[str] = Counter()
    words: dict[str, str] = {}
    for description, count in descriptions.items():
        for start, end in sentences(description):
            sentence = " ".join(description[start:end].split())
            key = sentence.casefold().rstrip(_MARKS)
            if key:
                counts[key] += count
                words.setdefault(key, sentence if sentence[-1] in _MARKS else f"{sentence}.")
    ordered = [words[key] for key, _ in counts.most_common()]
    joined = "".join(ordered[:1])[:_LONGEST]
    for sentence in ordered[1:]:
        if len(joined) + 1 + len(sentence) <= _LONGEST:
            joined = f"{joined} {sentence}"
    return joined
