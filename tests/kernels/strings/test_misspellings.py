from __future__ import annotations

import sys

import numpy as np
import pytest

from graphbrick.graphs.store import names
from graphbrick.graphs.store.names import misspelt
from graphbrick.kernels.strings.misspellings import hash_one_edits
from graphbrick.language.folding import EDIT_LETTERS, one_edits
from graphbrick.language.hashing import span_hash
from graphbrick.testing import tiny_graph


@pytest.mark.parametrize("folded", ["a", "kneya", "tom henks", "the fellowship of the ring", "o brien"])
def test_the_hashes_are_those_of_the_texts_listed_in_python(folded: str) -> None:
    data = np.frombuffer(folded.encode(), dtype=np.uint8)
    hashes = hash_one_edits(data, np.frombuffer(EDIT_LETTERS.encode(), dtype=np.uint8))
    assert hashes.tolist() == [span_hash(text) for text in one_edits(folded)]


def test_names_are_found_alike_without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    index = tiny_graph().names
    expected = [misspelt(index, wrong) for wrong in ("nairobbi", "kneya", "kenyan shiling", "nothing")]
    assert [len(found) for found in expected] == [1, 1, 1, 0]
    monkeypatch.setattr(names, "numba_is_loaded", lambda: False)
    monkeypatch.setattr(names, "worth_loading", lambda seconds: False)
    monkeypatch.setitem(sys.modules, "graphbrick.kernels.strings.misspellings", None)  # its import fails
    assert [misspelt(index, wrong) for wrong in ("nairobbi", "kneya", "kenyan shiling", "nothing")] == expected


def test_every_kind_of_error_is_undone() -> None:
    for wrong in ("tom hnaks", "tom haks", "tom hanbks", "tom henks", "tomhanks", "to m hanks"):
        assert "tom hanks" in one_edits(wrong)
