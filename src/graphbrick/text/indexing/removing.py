"""Removing sources from a store: those that a user names, and a check of those that seem to have vanished."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.language.counting import counted
from graphbrick.text.documents.store import TextStore
from graphbrick.text.sources.sitemap import forget_pages, is_address

_SHOWN = 3
_MANY = 5  # files, fewer of which are soon read again


def remove_named(store: TextStore, names: Iterable[str], note: Callable[[str], object]) -> int:
    """Remove sources, folders, files and pages from a store; return the number of documents.

    Args:
        store: The store.
        names: Each as it was named, as a path from the current folder, or the end of a path that only one has.
        note: Called with what a user should know.

    Raises:
        InputError: There is no such source, or there are several; nothing is removed then.
    """
    named = [(name, _matches(store, name)) for name in names]
    leaving = {file for _, files in named for file in files}
    for source in store.sources() if leaving else ():
        rest = sorted(file for file in store.files_of(source) if is_address(file) or Path(file).exists())
        here = [file for file in rest if file in leaving]
        if here and len(here) < len(rest):
            note(f"{here[0]} is still there, and comes back when {source} is indexed again")
    for name, files in named:
        forget_pages(store.folder, name, files)
    return sum(map(store.forget_file, sorted(leaving)))


def _matches(store: TextStore, name: str) -> list[str]:
    """Return the files that a name means."""
    sources = store.sources()
    files = sorted(file for source in sources for file in store.files_of(source))
    place = str(Path(name).absolute())
    for one in (name, place):
        inside = {*store.files_of(one), *store.files_in(one), *([one] if one in files else [])}
        if inside:
            return sorted(inside)
    end = os.sep + os.path.normpath(name)
    places = [one for one in dict.fromkeys([*sources, *files]) if one.endswith((end, f"/{name}"))]
    if len(places) == 1:
        return sorted({*store.files_of(places[0]), *([places[0]] if places[0] in files else [])})
    if places:
        few = ", ".join(places[:_SHOWN]) + (", ..." if len(places) > _SHOWN else "")
        raise InputError(
            f"{name!r} means several sources ({few}); name one of these", code="removing.several", name=name
        )
    ends = {Path(one).name: one for one in [*files, *sources]}
    near = [ends[one] for one in get_close_matches(Path(name).name, ends, _SHOWN)]
    advice = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(sources[:_SHOWN]) or 'none'}"
    raise InputError(
        f"nothing in the graph comes from {name!r}; {advice}", code="removing.unknown", name=name, near=near
    )


def check_vanished(
    store: TextStore, listed: Sequence[tuple[str, Sequence[Path]]], is_gone: Callable[[str], bool]
) -> None:
    """Raise InputError if most files of the sources are gone at once, as if a drive is not there.

    Args:
        store: The store.
        listed: The sources with the files that they have now.
        is_gone: Returns whether a file is certainly gone.
    """
    all_known, all_gone = 0, 0
    for name, files in listed:
        is_file = [name] == [str(file) for file in files]
        known = {name} if is_file else {*store.files_of(name), *store.files_in(name)}
        gone = sum(map(is_gone, known.difference(map(str, files))))
        all_known, all_gone = all_known + len(known), all_gone + gone
        if gone >= _MANY and 2 * gone > len(known):
            _refuse(name, gone, len(known))
    if all_gone >= _MANY and 2 * all_gone > all_known:
        _refuse(next(name for name, files in listed if is_gone(name)), all_gone, all_known)


def _refuse(name: str, gone: int, known: int) -> None:
    raise InputError(
        f"{gone:,} of the {counted(known, 'file')} that were read are not there any more; if a drive or a shared "
        f"folder is missing, bring it back; to remove their documents from the graph, run graphbrick index over it "
        f"with --remove {name} (in Python index(..., remove=[...]))",
        name,
        code="removing.vanished",
        gone=gone,
    )
