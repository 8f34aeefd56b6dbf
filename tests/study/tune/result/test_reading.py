"""The result of a search, read from its folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from faults import fails
from made_search import BEST, write_search

from graphbrick.study.tune.result.reading import is_search, read_search


def test_a_result_is_read_with_a_sentence_for_each_effect(tmp_path: Path) -> None:
    found = read_search(write_search(tmp_path / "tuned"))
    assert found["recommended"][0]["text"] == BEST
    assert [effect["words"] for effect in found["effects"]] == [
        "without Rerank: costs 12.0 points (-20.0 to -4.0), saves 40 ms",
        "with KHop(): no difference that 50 questions show (+0.0 points), takes 10 ms more",
    ]


def test_rules_of_thumb_are_in_the_page_and_an_older_folder_has_none(tmp_path: Path) -> None:
    folder = write_search(tmp_path / "tuned")
    found = read_search(folder)
    assert found["rules"][0] in (folder / "report.html").read_text("utf-8")
    del found["rules"]
    (folder / "tuned.json").write_text(json.dumps(found), encoding="utf-8")
    assert read_search(folder)["rules"] == []


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "[" * 20_000, '{"recommended": [], "measured": []}', "\x00", '{"recommended": [1]}']
)
def test_a_file_that_is_no_result_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "tuned.json").write_text(text)
    assert is_search(tmp_path)
    with fails("tune.bad_result", name="tuned.json"):
        read_search(tmp_path)


def test_parts_of_the_wrong_type_are_an_error(tmp_path: Path) -> None:
    file = write_search(tmp_path / "tuned") / "tuned.json"
    found = json.loads(file.read_text("utf-8"))
    for changed in ({"effects": [{"of": "a", "what": "b", "text": "c"}]}, {"notes": None}, {"measured": [{"name": 3}]}):
        file.write_text(json.dumps(found | changed))
        with fails("tune.bad_result"):
            read_search(file.parent)
    with fails("tune.no_result"):
        read_search(tmp_path)
