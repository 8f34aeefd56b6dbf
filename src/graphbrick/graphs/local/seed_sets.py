"""The sets of seeds of extracted subgraphs, and which of them a question is about."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from graphbrick.core.deferred import cached_property
from graphbrick.core.errors import LinkError
from graphbrick.graphs.local.extracted_files import ExtractedFiles
from graphbrick.graphs.records.rdf_names import local_name
from graphbrick.language.folding import name_form

_SHOWN = 3
_FIX = "extract a set with these seeds too: graphbrick spark extract"


class SeedSets:
    """The sets of seeds that subgraphs were extracted for.

    Args:
        files: The folder of the subgraphs.
        path: Its path as errors name it.

    Attributes:
        seeds: The keys of the seeds of each set, by the name of the set.
    """

    def __init__(self, files: ExtractedFiles, path: Path) -> None:
        self._files, self._path, self.seeds = files, path, files.seeds

    def with_seeds(self, names: list[str]) -> str:
        """Return the set that has exactly these seeds.

        Raises:
            LinkError: There is none, or several that differ.
        """
        keys = set[str]()
        for name in names:
            # A name that is not a key may be the label of several seeds.
            keys.update([name] if name in self._sets_of_seed else self._seeds_by_form.get(name_form(name), ()))
        seeds = self.seeds
        near = self._sets_of(keys)
        exact = [
            chosen
            for chosen in near
            if keys.issuperset(seeds[chosen])
            and set(seeds[chosen]).issuperset(self.key_of(name, chosen) for name in names)
        ]
        if exact:
            return self._only(exact, f"the seeds {listed(names)} are those")
        near.sort(key=lambda chosen: len(set(seeds[chosen]) ^ keys))
        has = f"nearest is {self.shown(near[:1])}" if near else f"it has {self.shown(seeds)}"
        raise LinkError(
            f"{self._path} has no subgraph of the seeds {listed(names)} together; {has}; {_FIX}",
            code="extracted.no_subgraph",
            seeds=names,
            nearest=near[:1],
        )

    def named_in(self, question: str) -> str:
        """Return the set whose seeds a question names; the one with most seeds.

        Raises:
            LinkError: There is none, or several that differ.
        """
        named, seeds = self._mentioned(question), self.seeds
        candidates = [name for name in self._sets_of(named) if named.issuperset(seeds[name])]
        if not candidates:
            raise LinkError(
                f"nothing in {question[:80]!r} names the seeds of a subgraph of {self._path}, which has "
                f"{self.shown(seeds)}; give the seeds, or if they are new, {_FIX}",
                code="extracted.no_seeds_named",
                question=question[:80],
            )
        most = max(len(seeds[name]) for name in candidates)
        largest = [name for name in candidates if len(seeds[name]) == most]
        return self._only(largest, f"{question[:80]!r} names the seeds")

    def _only(self, names: list[str], who: str) -> str:
        """Return the first of some sets, which must all have the same seeds."""
        distinct = {self.seeds[name]: name for name in reversed(names)}
        if len(distinct) > 1:
            several = self.shown(sorted(distinct.values()))
            text = f"{who} of {len(distinct)} subgraphs of {self._path}: {several}; give the seeds as keys"
            raise LinkError(text, code="extracted.several_subgraphs", sets=sorted(distinct.values()))
        return next(iter(distinct.values()))

    def key_of(self, name: str, chosen: str) -> str:
        """Return the key of the seed of a set that a name means; another name is returned as it is."""
        seeds = self.seeds[chosen]
        if name in seeds:
            return name
        return next((seed for seed in seeds if name_form(name) in self._forms(seed)), name)

    def _mentioned(self, question: str) -> set[str]:
        """Return the seeds whose names occur in a question as whole words, longest first, without overlap."""
        words = name_form(question).split()
        longest = min(max((form.count(" ") + 1 for form in self._seeds_by_form), default=0), len(words))
        mentioned = set[str]()
        for size in range(longest, 0, -1):
            for start in range(len(words) - size + 1):
                seeds = self._seeds_by_form.get(" ".join(words[start : start + size]))
                if seeds:
                    mentioned.update(seeds)
                    words[start : start + size] = ["|"] * size
        return mentioned

    def _sets_of(self, seeds: Iterable[str]) -> list[str]:
        """Return the sets that have one of these seeds, ascending by name."""
        return sorted({name for seed in seeds for name in self._sets_of_seed.get(seed, ())})

    @cached_property
    def _sets_of_seed(self) -> dict[str, list[str]]:
        sets: dict[str, list[str]] = {}
        for name, seeds in self.seeds.items():
            for seed in seeds:
                sets.setdefault(seed, []).append(name)
        return sets

    @cached_property
    def _seeds_by_form(self) -> dict[str, list[str]]:
        """The seeds of all sets by their folded keys and labels."""
        by_form: dict[str, list[str]] = {}
        for seed in self._sets_of_seed:
            for form in self._forms(seed):
                by_form.setdefault(form, []).append(seed)
        return by_form

    @cached_property
    def _seed_labels(self) -> dict[str, str]:
        return self._files.labels(self._sets_of_seed)

    def _forms(self, seed: str) -> set[str]:
        return {name_form(seed), name_form(label_of(seed, self._seed_labels))} - {""}

    def shown(self, names: Iterable[str]) -> str:
        """Return the first of some sets with their seeds, for an error."""
        sets = list(names)
        shown = "; ".join(f"{name!r} ({listed(self.seeds[name])})" for name in sets[:_SHOWN])
        return f"{shown}{f'; and {len(sets) - _SHOWN:,} more' if len(sets) > _SHOWN else ''}"


def label_of(key: str, labels: dict[str, str]) -> str:
    """Return the label of a key: that of the table of labels, else the last part of an IRI, else the key."""
    return labels.get(key) or (local_name(key) if "://" in key else key)


def listed(names: Iterable[str]) -> str:
    """Return the first of some names, and how many more there are."""
    shown = [str(name)[:80] for name in names]
    more = f" and {len(shown) - _SHOWN:,} more" if len(shown) > _SHOWN else ""
    return ", ".join(shown[:_SHOWN]) + more
