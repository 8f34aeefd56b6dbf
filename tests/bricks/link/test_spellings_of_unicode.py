"""One name in several spellings of Unicode, in questions, in graphs and as seeds."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from graphbrick import EntityRecord, Graph, GraphBuilder, LinkLabels, Query, build, change
from graphbrick.bricks.link.labels import resolve_seeds
from graphbrick.graphs.store.writing import search
from graphbrick.language.folding_before import form_before

# Spellings of one name.
SPELLINGS = (
    ("São Tomé", unicodedata.normalize("NFD", "São Tomé"), "Sao Tome"),
    (
        "Acme Corp",
        "\uff21\uff43\uff4d\uff45 Corp",
        "Acme\u00a0Corp",
        "Acme\u2009Corp",
        "Acme\u202fCorp",
        "Acme\u3000Corp",
    ),
    ("Office Final", "O\ufb03ce Final", "Office \ufb01nal"),
    ("Honigberg", "Honig\u00adberg", "Ho\u00adnig\u200bberg", "Honig\u2060berg", "\ufeffHonigberg", "Honigberg\u200e"),
    ("O'Neill", "O\u2019Neill", "O\u02bcNeill", "O\u2032Neill", "O\uff07Neill"),
    ("Hawai'i Club", "Hawai\u02bbi Club", "Hawai\u2018i Club"),
    ("Qur'an House", "Qur\u02bean House", "Qur\u2019an House"),
    ("Stratford-Upon", "Stratford\u2010Upon", "Stratford\u2011Upon", "Stratford\u2013Upon", "Stratford\u2212Upon"),
    ("Diyarbakır", "Diyarbakir", "DİYARBAKIR"),
    ("Istanbul", "İstanbul", "I\u0307stanbul"),
    ("Strasse Nine", "Straße Nine", "STRASSE Nine", "STRA\u1e9eE Nine"),
    ("Aether Works", "Æther Works", "æther Works"),
    ("Oeuvre House", "Œuvre House", "œuvre House"),
    ("Gudrun Thorsdottir", "Guðrún Þórsdóttir"),
    ("Malmo Hal", "Malmø Ħal"),
    ("हिन्दी भवन", "हिन्\u200dदी भवन", "हिन्\u200cदी भवन"),
    ("محمد", "مُحَمَّد", "محـمد", "\u200fمحمد"),
    ("می‌خواهم", "می خواهم"),
    ("שלום", "שָׁלוֹם"),
    ("ガッツ", "\uff76\uff9e\uff6f\uff82", unicodedata.normalize("NFD", "ガッツ")),
    ("서울", unicodedata.normalize("NFD", "서울")),
    ("内罗毕", "内\u200b罗毕"),
    ("神戸", "\u795e\ufe00戸"),
)
# Pairs of names that are not one name.
DIFFERENT = (
    ("किला", "कला"),  # vowel signs of Devanagari
    ("কালি", "কলা"),
    ("பால்", "பல்"),
    ("བོད", "བད"),  # of Tibetan
    ("ꯃꯤ", "ꯃꯥ"),  # of Meetei Mayek, which follow all other marks in Unicode
    ("กา", "กี"),
    ("ガス", "カス"),
    ("Müller", "Mueller"),
    ("ب", "ت"),
)


def named(graph: Graph, text: str) -> list[str]:
    """Return the keys of the seeds of a question."""
    return [graph.key(seed) for seed in LinkLabels().link(graph, Query(text)).seeds]


@pytest.mark.whole
@pytest.mark.parametrize("names", SPELLINGS, ids=lambda names: ascii(names[0]))
def test_spellings_are_one_name(tmp_path: Path, names: tuple[str, ...]) -> None:
    for number, written in enumerate(names):
        records = [EntityRecord("it", label=written), ("other", "near", "it")]
        with GraphBuilder(tmp_path / f"{number}.graph", source="test") as builder:
            builder.add(EntityRecord("other", label="Other Place"))
            for record in records:
                builder.add(record)
            graph = builder.finish()
        build([("other", "near", "third")], tmp_path / f"{number}-changed.graph")
        change(tmp_path / f"{number}-changed.graph", add=records)
        changed = Graph.open(tmp_path / f"{number}-changed.graph")
        for name in names:
            for one in (graph, changed):
                mentions = LinkLabels().link(one, Query(f"what is near {name}?")).mentions
                assert [(one.key(mention.entity), mention.score) for mention in mentions] == [("it", 1.0)]
                assert [one.key(seed) for seed in resolve_seeds(one, Query("?"), [name]).seeds] == ["it"]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_other_names_stay_apart(tmp_path: Path, one: str, other: str) -> None:
    graph = build([(one, "near", "X Place"), (other, "near", "Y Place")], tmp_path / "names.graph")
    assert named(graph, f"what is near {one} ?") == [one]
    assert named(graph, f"what is near {other} ?") == [other]
    assert graph.named(one) == [graph.entity(one)]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_key_is_a_seed_in_every_form(tmp_path: Path, form: str) -> None:
    with GraphBuilder(tmp_path / "keys.graph", source="test") as builder:
        builder.add(EntityRecord(unicodedata.normalize(form, "zürich-é"), label="Limmat Town"))  # type: ignore[arg-type]
        builder.add(EntityRecord("b", label="Zürich É"))
        builder.add(("b", "near", "b"))
        graph = builder.finish()
    for written in ("NFC", "NFD"):
        seeds = resolve_seeds(graph, Query("?"), [unicodedata.normalize(written, "zürich-é")]).seeds  # type: ignore[arg-type]
        assert [graph.label(seed) for seed in seeds] == ["Limmat Town"]


@pytest.mark.parametrize("name", ["Honig\u00adberg", "Œuvre House", "O\u02bcNeill", "བོད", "ｶﾞｯﾂ", "می\u200cخواهم"])
def test_folders_of_earlier_versions_find_their_names(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "name_form", form_before)
    graph = build([(name, "near", "Other Place"), ("Other Place", "near", "Third Place")], tmp_path / "old.graph")
    assert named(graph, f"what is near {name}?") == [name]
    assert named(graph, f"Is {name} near Other Place?") == [name, "Other Place"]
    assert graph.named(name) == [graph.entity(name)]
    assert resolve_seeds(graph, Query("?"), [f" {name} "]).seeds == (graph.entity(name),)
