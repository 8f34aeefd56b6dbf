"""Tests of word forms: the same as lemminflect, without importing it; regular ones where it has none."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from graphbrick.core.errors import ModelError
from graphbrick.language import dictionary
from graphbrick.patterns.english.senses import _meanings

TAGS = ("NNS", "VBD", "VBN", "VBG", "VBZ")
ODD = ["Bought", "LEADS", "be", "Be", "can", "may", "must", "xyzzy", "reports to", "zygote", "abdomen", "he", "cart-db"]


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


@pytest.mark.whole
def test_words_have_the_forms_that_lemminflect_gives() -> None:
    lemminflect = pytest.importorskip("lemminflect")
    for word in [*_words(400), *ODD]:
        for tag in TAGS:
            forms = lemminflect.getInflection(word, tag)
            if word in ODD or dictionary._looked_up(word, tag):
                assert dictionary.inflected(word, tag) == forms[0], (word, tag)
        parts = {part: forms[0] for part, forms in lemminflect.getAllLemmas(word).items() if forms}
        assert dictionary.lemmas(word) == parts, word


@pytest.mark.whole
def test_words_without_an_entry_have_nearly_the_forms_that_lemminflect_guesses() -> None:
    """It guesses odd Latin plurals («adenitides», «ephesi») and does not know «signalmen»."""
    lemminflect = pytest.importorskip("lemminflect")
    nouns = {word.rstrip("*") for word in _meanings().of_word if word.rstrip("*").isalpha()}
    unknown = sorted(noun for noun in nouns if not dictionary._looked_up(noun, "NNS"))
    drawn = random.Random(0).sample(unknown, 1000)
    same = sum(dictionary.inflected(noun, "NNS") == lemminflect.getInflection(noun, "NNS")[0] for noun in drawn)
    assert same >= 970


@pytest.mark.whole
def test_no_word_needs_an_import_of_lemminflect() -> None:
    pytest.importorskip("lemminflect")
    code = (
        "import sys; from graphbrick.language import forms; "
        "print(forms.past('write'), forms.plural('child'), forms.verb_of('led'), forms.participle('be'), "
        "forms.plural('zzyzx'), forms.past('upskill'), forms.gerund('reblog'), "
        "'lemminflect' in sys.modules, 'spacy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *forms, lemminflect, spacy = done.stdout.split()
    assert forms == ["wrote", "children", "lead", "been", "zzyzxes", "upskilled", "reblogging"]
    assert (lemminflect, spacy) == ("False", "False")


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
