"""Write lexicon.tsv.xz of src/graphbrick/language and senses.tsv.xz of src/graphbrick/patterns/english from WordNet.

    python tools/english_lexicon.py /usr/share/wordnet

Of WordNet (Debian package ``wordnet-base``) it keeps five things: which nouns name people, places, times and groups,
and which nouns are derived from which verbs («director» and «direction» from «direct»), in ``lexicon.tsv.xz``; which
nouns mean the same, or are a kind of what another noun means («alma mater» is a kind of school), in ``senses.tsv.xz``;
which verbs mean the same, in ``verbs.tsv.xz``; and which adjectives are those of places («swedish» of Sweden), in
``places.tsv.gz``. The first half of the lines of ``senses.tsv.xz`` has the words of each meaning, with a star behind
words that have many meanings; the second half, in the same order, the meanings that are a kind of it, as distances
downwards (a negative one upwards). A line of ``verbs.tsv.xz`` has the words only, with a star behind those that more
often mean something else.
"""

from __future__ import annotations

import gzip
import lzma
import sys
from collections.abc import Iterator
from pathlib import Path

SRC = Path(__file__).parent.parent / "src/graphbrick"
LEXICON, SENSES = SRC / "language/lexicon.tsv.xz", SRC / "patterns/english/senses.tsv.xz"
VERBS = SRC / "patterns/english/verbs.tsv.xz"
PACKED = {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0}  # for plain text
PLACES = SRC / "patterns/english/places.tsv.gz"
# Numbers of WordNet's lexicographer files, see lexnames(5WN).
KINDS = {14: "group", 15: "place", 18: "person", 28: "time"}
# Acts, attributes, thoughts, messages, events, groups, places, people, possessions, relations, states and times. Most
# other meanings are those of plants, animals, substances and artefacts, and few relations have such names.
MEANINGS = {4, 7, 9, 10, 11, 14, 15, 18, 21, 24, 26, 28}
SENSES_OF_NOUN, SENSES_OF_DERIVATION = 2, 4
PERSON, ARTEFACT = 18, 6
# Words for people and groups as such are among the few that WordNet keeps apart, as beginnings of everything else.
TOPS = {"person": "person", "human": "person", "individual": "person", "people": "person", "group": "group"}
AGENT_ENDINGS = ("er", "or", "ist", "ant", "ess")
LEAST_TAGGED, LEAST_SHARE = 2, 4  # times that a second meaning was met in texts, and at least a fourth of the first
FEW_SENSES = 3
NOUN, VERB = "noun", "verb"
LETTERS = {"n": NOUN, "v": VERB}


class Synset:
    """One line of a data file: the lexicographer file, the words, and the pointers to other synsets."""

    def __init__(self, line: str) -> None:
        fields = line.split(" | ")[0].split()
        words = int(fields[3], 16)
        self.kind = int(fields[1])
        self.words = [word.lower() for word in fields[4 : 4 + 2 * words : 2]]
        first = 5 + 2 * words
        count = int(fields[first - 1])
        self.pointers = [tuple(fields[first + 4 * i : first + 4 * i + 4]) for i in range(count)]


def read(folder: Path, part: str) -> tuple[dict[str, list[str]], dict[str, Synset]]:
    """Return the offsets of each word's senses, most frequent first, and the synset at each offset."""
    index, data = {}, {}
    for line in (folder / f"index.{part}").read_text(encoding="latin-1").splitlines():
        if not line.startswith(" "):
            fields = line.split()
            index[fields[0]] = fields[-int(fields[2]) :]
    for line in (folder / f"data.{part}").read_text(encoding="latin-1").splitlines():
        if not line.startswith(" "):
            data[line[:8]] = Synset(line)
    return index, data


def is_plain(word: str) -> bool:
    """Whether a word is one lower-case word of letters."""
    return word.isascii() and word.isalpha() and word.islower() and len(word) > 1


def tagged(folder: Path) -> dict[str, dict[int, int]]:
    """Return how often each noun was met in texts in each of its senses; senses are numbered from 1."""
    times: dict[str, dict[int, int]] = {}
    for line in (folder / "cntlist.rev").read_text(encoding="latin-1").splitlines():
        key, sense, count = line.split()
        word, _, rest = key.partition("%")
        if rest.startswith("1"):
            times.setdefault(word, {})[int(sense)] = int(count)
    return times


def is_name(synset: Synset) -> bool:
    """Whether a meaning is one person, place or thing, such as Einstein, and no kind of these."""
    marks = {mark for mark, *_ in synset.pointers}
    return "@i" in marks and "@" not in marks


def kinds(
    index: dict[str, list[str]], data: dict[str, Synset], times: dict[str, dict[int, int]], agents: set[str]
) -> Iterator[tuple[str, str]]:
    """Yield (noun, kind) for nouns that name a person, place, time or group in their commonest meaning.

    A second meaning is one of people if texts have it often, or if the noun is one of somebody who does something, and
    not a tool in the first place: a «founder», not a «repository» of secrets, and not a «computer» who computes.
    """
    for word, senses in sorted(index.items()):
        if not is_plain(word) or all(is_name(data[offset]) for offset in senses[:SENSES_OF_NOUN]):
            continue
        files, met = [data[offset].kind for offset in senses[:SENSES_OF_NOUN]], times.get(word, {})
        is_common = met.get(2, 0) >= max(LEAST_TAGGED, met.get(1, 0) / LEAST_SHARE)
        is_agent = word in agents and word.endswith(AGENT_ENDINGS) and files[0] != ARTEFACT
        if word in TOPS:
            yield word, TOPS[word]
        elif files[0] == PERSON or (PERSON in files and (is_common or is_agent)):
            yield word, KINDS[PERSON]
        elif files[0] in KINDS:
            yield word, KINDS[files[0]]


def derivations(folder: Path) -> set[tuple[str, str]]:
    """Return the (verb, noun) pairs that WordNet joins as derivationally related, by common senses of either."""
    parts = {part: read(folder, part) for part in (NOUN, VERB)}
    pairs = set()
    for part, (index, data) in parts.items():
        for word, senses in index.items():
            for offset in senses[:SENSES_OF_DERIVATION] if is_plain(word) else ():
                synset = data[offset]
                for symbol, target, letter, ends in synset.pointers:
                    other = LETTERS.get(letter)
                    source = int(ends[:2], 16)
                    if symbol != "+" or other in (None, part) or synset.words[source - 1] != word:
                        continue
                    related = parts[other][1][target].words[int(ends[2:], 16) - 1]
                    if is_plain(related):
                        pairs.add((word, related) if part == VERB else (related, word))
    return pairs


def meanings(index: dict[str, list[str]], data: dict[str, Synset]) -> list[str]:
    """Return a line for the words of each meaning, then one for its kinds; only words that mean it commonly are named.

    Side by side, in one line, they take a twentieth more.
    """
    people = {offset for offset, synset in data.items() if synset.kind == PERSON and is_name(synset)}
    kept = [offset for offset, synset in data.items() if synset.kind in MEANINGS and offset not in people]
    number = {offset: line for line, offset in enumerate(kept)}
    narrower: dict[str, list[str]] = {offset: [] for offset in kept}
    for offset in kept:
        for mark, to, *_ in data[offset].pointers:
            if mark == "@" and to in number:
                narrower[to].append(str(number[offset] - number[to]))
    named = []
    for offset in kept:
        words = []
        for word in data[offset].words:
            senses = index.get(word, [])
            if offset in senses[:SENSES_OF_NOUN] and is_plain(word.replace("_", "")):
                words.append(word.replace("_", " ") + ("" if len(senses) <= FEW_SENSES else "*"))
        named.append(",".join(words))
    return named + [",".join(narrower[offset]) for offset in kept]


def same_verbs(index: dict[str, list[str]], data: dict[str, Synset]) -> Iterator[str]:
    """Yield the verbs of each meaning of two or more, with a star behind those that often mean something else."""
    for offset, synset in data.items():
        words = [word for word in dict.fromkeys(synset.words) if is_plain(word) and offset in index.get(word, ())]
        common = {word for word in words if offset in index[word][:SENSES_OF_NOUN]}
        if len(words) > 1 and common:
            yield ",".join(word if word in common else f"{word}*" for word in words)


def adjectives_of_places(places: dict[str, Synset], adjectives: dict[str, Synset]) -> Iterator[str]:
    """Yield the adjectives of single places with the names of the place, such as «swedish» of Sweden."""
    found: dict[str, set[str]] = {}
    for synset in adjectives.values():
        for symbol, target, letter, ends in synset.pointers:
            place = places[target] if (symbol, letter) == ("\\", "n") else None
            if place is None or KINDS.get(place.kind) != "place" or all(mark != "@i" for mark, *_ in place.pointers):
                continue
            word = synset.words[max(int(ends[:2], 16) - 1, 0)]
            if is_plain(word.replace("_", "")):
                found.setdefault(word, set()).update(place.words)
    for word, names in sorted(found.items()):
        yield f"{word}\t{','.join(sorted(names))}".replace("_", " ")


def main() -> None:
    """Write the files."""
    folder = Path(sys.argv[1])
    index, data = read(folder, NOUN)
    derived = sorted(derivations(folder))
    agents = {noun for _, noun in derived}
    lines = [f"{kind}\t{word}" for word, kind in kinds(index, data, tagged(folder), agents)]
    lines += [f"from\t{noun}\t{verb}" for verb, noun in derived]
    verbs = list(same_verbs(*read(folder, VERB)))
    places = list(adjectives_of_places(data, read(folder, "adj")[1]))
    made = ((LEXICON, lines), (SENSES, meanings(index, data)), (VERBS, verbs), (PLACES, places))
    for file, rows in made:
        text = "\n".join(rows).encode("utf-8") + b"\n"
        is_xz = file.suffix == ".xz"
        file.write_bytes(lzma.compress(text, filters=[PACKED]) if is_xz else gzip.compress(text, mtime=0))
        print(f"{file}: {len(rows):,} lines, {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
