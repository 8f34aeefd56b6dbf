"""Tests of the dictionary of word forms: the same as lemminflect, without importing it."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from graphbrick.core.errors import ModelError
from graphbrick.language import dictionary

TAGS = ("NNS", "VBD", "VBN", "VBG", "VBZ")
ODD = ["Bought", "LEADS", "be", "Be", "can", "may", "xyzzy", "reports to", "é", "İ", "'d", "zygote", "abdomen", "he"]


def _words(n: int) -> list[str]:
    """Return words of both files, drawn at random, with the first and the last ones."""
    every = sorted(
        {
            line.partition(",")[0]
            for file in ("infl_lu.csv.gz", "lemma_lu.csv.gz")
            for line in dictionary._text(file).decode("utf-8").splitlines()
        }
    )
    return [*every[:3], *every[-3:], *random.Random(0).sample(every, n)]


def test_words_have_the_forms_that_lemminflect_gives() -> None:
    lemminflect = pytest.importorskip("lemminflect")
    for word in [*_words(400), *ODD]:
        for tag in TAGS:
            forms = lemminflect.getInflection(word, tag)
            assert dictionary.inflected(word, tag) == (forms[0] if forms else word), (word, tag)
        parts = {part: forms[0] for part, forms in lemminflect.getAllLemmas(word).items() if forms}
        assert dictionary.lemmas(word) == parts, word


def test_known_words_need_no_import_of_lemminflect() -> None:
    pytest.importorskip("lemminflect")
    code = (
        "import sys; from graphbrick.language import forms; "
        "print(forms.past('write'), forms.plural('child'), forms.verb_of('led'), forms.participle('be'), "
        "'lemminflect' in sys.modules, 'spacy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["wrote", "children", "lead", "been", "False", "False"]


def test_another_version_of_the_package_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "lemminflect").mkdir()
    (tmp_path / "lemminflect/__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.partition(".")[0] == "lemminflect"]:
        monkeypatch.delitem(sys.modules, name)
    dictionary._text.cache_clear()
    with pytest.raises(ModelError) as caught:
        dictionary.lemmas("led")
    assert caught.value.code == "dictionary.not_readable"
    assert str(tmp_path) in str(caught.value)
