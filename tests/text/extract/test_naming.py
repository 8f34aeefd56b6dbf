"""Which words are one entity, and which are entities."""

from __future__ import annotations

import pytest

from graphbrick.text.extract.extraction import Kind
from graphbrick.text.extract.naming import Names, fold_name, singular


def names(*passages: list[tuple[str, Kind]], merges: dict[str, str] | None = None) -> Names:
    result = Names(merges or {})
    for passage in passages:
        result.count((name, kind, "") for name, kind in passage)
    result.resolve()
    for passage in passages:
        result.add((name, kind, "") for name, kind in passage)
    return result


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("The Beatles", "beatles"),
        ("the the", "the"),
        ("Ｋｅｎｙａ's", "kenya"),
        ("James’", "james"),
        ("  São   Tomé ", "são tomé"),
        ("“Rings”", "rings"),
        ("1999", ""),
        ("--", ""),
        ("x" * 101, ""),
        ("内罗毕", "内罗毕"),
        ("C++", "c++"),
        ("O’Brien’s", "o'brien"),
        ("Coca‑Cola", "coca-cola"),
        ("co\u00adop\u200b", "coop"),
        ("İstanbul", "istanbul"),
        ("“C#”.", "c#"),
        ("Kenya - ", "kenya"),
        ("UN Women", "un women"),
        ("OS X", "os x"),
        ("LA Times", "la times"),
        ("Las Vegas", "vegas"),
        ("LAS VEGAS", "vegas"),
        ("THE US", "us"),
    ],
)
def test_fold_name(name: str, key: str) -> None:
    assert fold_name(name) == key


@pytest.mark.parametrize(
    ("key", "one"), [("lakes", "lake"), ("churches", "church"), ("boxes", "box"), ("virus", "virus"), ("gas", "gas")]
)
def test_singular(key: str, one: str) -> None:
    assert singular(key) == one


def test_spellings_of_one_name_are_one_entity() -> None:
    result = names([("Kenya", Kind.NAME)], [("The Kenya", Kind.NAME), ("Kenya", Kind.NAME)], [("KENYA", Kind.MAYBE)])
    assert list(result.entities) == ["kenya"]
    assert result.entities["kenya"].label() == "Kenya"
    assert result.entities["kenya"].aliases() == ("The Kenya",)
    assert result.key("the Kenya’s") == "kenya"


def test_a_word_at_the_start_needs_to_be_a_name_elsewhere() -> None:
    assert list(names([("Water", Kind.MAYBE)], [("Kenya", Kind.MAYBE)], [("Kenya", Kind.NAME)]).entities) == ["kenya"]


def test_phrases_need_two_passages_and_two_words() -> None:
    once, twice, word = ("blood pressure", Kind.PHRASE), ("heart disease", Kind.PHRASE), ("blood", Kind.PHRASE)
    assert list(names([once, twice, word], [twice, word]).entities) == ["heart disease"]


def test_a_word_of_another_script_is_long_enough() -> None:
    words = [("内罗毕", Kind.PHRASE), ("кровь", Kind.PHRASE), ("blood", Kind.PHRASE)]
    assert list(names(words, words).entities) == ["内罗毕", "кровь"]
    assert not names(words).entities


def test_plurals_join_unless_both_are_names() -> None:
    result = names([("heart diseases", Kind.PHRASE), ("heart disease", Kind.PHRASE)], [("heart disease", Kind.PHRASE)])
    assert list(result.entities) == ["heart disease"]
    assert result.key("Heart diseases") == "heart disease"
    assert list(names([("Wing", Kind.NAME), ("Wings", Kind.NAME)]).entities) == ["wing", "wings"]


def test_a_user_merges_names_and_keeps_them_apart() -> None:
    passages = [("UN", Kind.NAME), ("United Nations", Kind.NAME)], [("Wing", Kind.PHRASE), ("Wings", Kind.NAME)]
    assert list(names(*passages).entities) == ["un", "united nations", "wing"]
    merged = names(*passages, merges={"un": "united nations", "wings": "wings"})
    assert list(merged.entities) == ["united nations", "wings"]
    assert merged.key("UN") == "united nations"
    names(*passages, merges={"un": "united nations", "united nations": "un"})  # a circle ends


def test_a_name_that_is_used_before_the_passage_that_spells_it() -> None:
    result = Names({})
    mentions = [("Lakes of Kenya", Kind.NAME, "")]
    result.count(mentions)
    result.resolve()
    assert result.id(result.key("the lakes of Kenya")) == 0
    result.add(mentions)
    assert result.entities["lakes of kenya"].label() == "Lakes of Kenya"
    assert result.key("Lakes of Uganda") == ""


def test_what_a_user_merged_stays_together_when_the_target_is_folded_later() -> None:
    passage = [("Windows", Kind.NAME), ("MS Windows", Kind.NAME)]
    merges = {"ms windows": "windows"}
    assert list(names(passage, merges=merges).entities) == ["windows"]
    later = names(passage, [("window", Kind.PHRASE)], merges=merges)
    assert later.key("MS Windows") == later.key("Windows") == "window"
    turned = {"a lake": "seas", "sea": "lakes"}
    names([("Lakes", Kind.NAME), ("Seas", Kind.NAME), ("sea", Kind.PHRASE)], merges=turned)  # ends
