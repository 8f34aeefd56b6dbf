from __future__ import annotations

import json

import pytest
from faults import told
from hypothesis import example, given
from hypothesis import strategies as st

from graphbrick.core.trace import Trace, record
from graphbrick.models.llm.replies.path_replies import Step, read_paths
from graphbrick.models.llm.replies.replies import (
    parts_of,
    read_names,
    read_numbers,
    read_yes,
)
from graphbrick.models.llm.replies.scores import read_scores
from graphbrick.models.llm.replies.thinking import without_thoughts

TEXTS = ["Kenya", "Kenya -> capital -> Nairobi", "Uganda", "Rwanda", "1984", "Kenya  -> currency ->\nKenyan shilling"]


def numbers(reply: str, texts: list[str] = TEXTS) -> tuple[list[int] | None, list[str]]:
    with record(Trace(), "test", "rerank") as entry:
        found = read_numbers(reply, texts)
    return found, entry.events


def scores(reply: str, n: int = 3) -> tuple[dict[int, float], list[str]]:
    with record(Trace(), "test", "rerank") as entry:
        found = read_scores(reply, n)
    return found, entry.events


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("1. Kenya: 100", {1: 100}),
        ("1. -> borders: 70\n2. <- borders, then: 30", {}),
        ("2. Kenya -> capital -> Nairobi: 60%\n[3] Uganda: 40", {2: 60, 3: 40}),
        ("- Rwanda: 80 points\n1: 20", {4: 80, 1: 20}),
        ("1984: 50", {5: 50}),
        ("5. 1984: 50", {5: 50}),
        ("1. Uganda: 100", {3: 100}),  # not the text of candidate 1, but the whole text of another one
        ("1. Kenya -> capital: 100", {}),
        ('{"Kenya": 90, "2": 10}', {1: 90, 2: 10}),
    ],
)
def test_scores_beside_the_texts_of_the_candidates(reply: str, expected: dict[int, float]) -> None:
    assert read_scores(reply, len(TEXTS), every=False, texts=TEXTS) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("3", [3]),
        ("3, 1", [3, 1]),
        ("3,1.", [3, 1]),
        ("[3, 1]", [3, 1]),
        ('["3", "1"]', [3, 1]),
        ("```json\n[\n  3,\n  1\n]\n```", [3, 1]),
        ('{"numbers": [3, 1]}', [3, 1]),
        ('{"numbers": ["3", "1"]}', [3, 1]),
        ('{"numbers": [[3, 1]]}', [3, 1]),
        ('{"numbers": ["Uganda", "1. Kenya"]}', [3, 1]),
        ('{"why": "4 and 5 are no countries", "numbers": [3, 1]}', [3, 1]),
        ('Here it is:\n```json\n{"numbers": [3, 1]}\n```\nNumber 2 is left out.', [3, 1]),
        ('<think>{"numbers": [2]}</think>{"numbers": [3, 1]}', [3, 1]),
        ('{"number": 3}', [3]),
        ('{"numbers": "3, 1"}', [3, 1]),
        ("3\n1", [3, 1]),
        ("- 3\n- 1", [3, 1]),
        ("* 3\n* 1", [3, 1]),
        ("3.\n1.", [3, 1]),
        ("[3] [1]", [3, 1]),
        ("#3 #1", [3, 1]),
        ("3 1 2", [3, 1, 2]),
        ("3; 1 and 2", [3, 1, 2]),
        ("3 > 1 > 2", [3, 1, 2]),
        ("5, 2-4", [5, 2, 3, 4]),
        ("Numbers: 3, 1", [3, 1]),
        ("**Answer:** 3, 1", [3, 1]),
        ("The most useful candidates are: 3, 1", [3, 1]),
        ("Numbers:\n3, 1", [3, 1]),
        ("3, 1 (because 2 is from 2020, and 4 is not)", [3, 1]),
        ("3, 1\n\nCandidate 2 is left out, because in 1984 4 was not 5.", [3, 1]),
        ("I thought of 2 candidates.\n3, 1\nBut not 4.", [3, 1]),
        ("<think>1, 2? No: 4, 5.\n4, 5</think>\n\n3, 1", [3, 1]),
        ("1, 2 are wrong </think>3, 1", [3, 1]),
        ("1. Kenya", [1]),
        ("3. Uganda\n1. Kenya", [3, 1]),
        ("[3] Uganda\n[1] Kenya", [3, 1]),
        ("(3) Uganda\n1) Kenya\n- 4: Rwanda\n2 - something like it", [3, 1, 4, 2]),
        ("The useful ones:\n6. Kenya -> currency -> Kenyan shilling\n1. Kenya", [6, 1]),
        # The text of a candidate as a whole, and never a part of it
        ("Kenya", [1]),
        ("Uganda\n- Kenya", [3, 1]),
        ("Kenya -> currency -> Kenyan shilling", [6]),
        ("3. Uganda\nThat is because it is large.", [3]),
        # A number goes before a text that looks like one
        ("5. 1984", [5]),
        ("[5] 1984\n[3] Uganda", [5, 3]),
    ],
)
def test_numbers_are_read(reply: str, expected: list[int]) -> None:
    assert numbers(reply) == (expected, [])


@pytest.mark.parametrize(
    "reply",
    ["NONE", "none.", "[]", "**None**", "Answer: none", "<think>3</think>NONE", "NONE\n3", '{"n": []}'],
)
def test_none_is_a_choice(reply: str) -> None:
    assert numbers(reply) == ([], [])


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I cannot say.",
        "I would choose the candidates 1 and 3.",
        "1, 3 and 5 are not useful",
        "3 films were made in 1984",
        "Kenya -> capital",
        "Nairobi",
        "Kenya is the one",
        "<think>3, 1",
        "1.5, 2.5",
        "4-2",
        "{nope",
        "{nope, 3",
        '{"numbers": [3',
        '{"numbers": [true]}',
        '{"numbers": {"3": 1}}',
        '{"a": [3], "b": [1]}',
        "[[[[" * 5000,
        "3. A large country\nThat is why.",
        "9" * 5000,
    ],
)
def test_a_reply_that_cannot_be_read_is_an_event(reply: str) -> None:
    found, events = numbers(reply)
    assert found is None
    (event,) = events
    assert event == f"no candidate could be read out of the reply {reply[:200]!r}"


def test_numbers_out_of_range_and_repeated_are_events() -> None:
    assert numbers("7, 3, 0, 1, 3, -2, 2020") == (
        [3, 1],
        [
            "the reply names 7, 0, -2, 2020, but the candidates are 1 to 6: '7, 3, 0, 1, 3, -2, 2020'",
            "the reply names 3 more than once; the first place counts: '7, 3, 0, 1, 3, -2, 2020'",
        ],
    )
    found, events = numbers("4-999999999")
    assert found == [4, 5, 6]
    assert told(events)[0] == ("reply.unknown_numbers", {"numbers": [999999999], "n": 6})
    assert numbers("2020")[0] == []


def test_the_text_counts_where_a_reply_numbers_its_lines_anew() -> None:
    found, events = numbers("1. Uganda\n2. Rwanda\n3. something of its own")
    assert found == [3, 4]
    assert told(events) == [("reply.numbered_anew", {}), ("reply.repeated_numbers", {"numbers": [3]})]
    # Of equal candidates, the number says which.
    assert numbers("2. Kenya", ["Kenya", "Kenya"]) == ([2], [])


def test_what_came_before_a_reply_broke_off_is_read() -> None:
    assert numbers('{"numbers": [3, 1, 1') == (
        [3, 1],
        ["the reply breaks off; what came before was read: '{\"numbers\": [3, 1, 1'"],
    )
    assert numbers("[3, 1, 1") == ([3, 1], ["the reply breaks off; what came before was read: '[3, 1, 1'"])
    found, events = scores('{"1": 80, "2": 5, "3": 1')
    assert found == {1: 80, 2: 5}
    assert len(events) == 2


def test_events_show_the_reply_after_thinking() -> None:
    assert numbers(f"<think>{'so ' * 500}</think>Hm")[1] == ["no candidate could be read out of the reply 'Hm'"]


@given(st.lists(st.integers(1, 50), unique=True, min_size=1), st.sampled_from([", ", "\n", " ", "; ", " > "]))
def test_what_is_written_is_read(chosen: list[int], separator: str) -> None:
    texts = [f"candidate {i}" for i in range(50)]
    assert numbers(separator.join(map(str, chosen)), texts) == (chosen, [])
    assert numbers(json.dumps(chosen), texts) == (chosen, [])
    assert numbers("\n".join(f"{i}. {texts[i - 1]}" for i in chosen), texts) == (chosen, [])


@given(st.text(alphabet=st.sampled_from("0123456789,.:;-–>[](){}\"'#* \nabeinfx")) | st.text())
@example("²")
@example("１")
def test_no_reply_breaks_the_reader(reply: str) -> None:
    found, events = numbers(reply)
    assert found is None or (len(set(found)) == len(found) and set(found) <= set(range(1, 7)))
    assert (found is not None) or events
    assert all(1 <= i <= 3 and 0 <= score <= 100 for i, score in scores(reply)[0].items())
    assert isinstance(read_paths(reply), list)
    assert read_yes(reply) in (True, False, None)
    names = read_names(reply)
    assert names is None or all(name.strip() for name in names)


@pytest.mark.parametrize(
    "reply",
    [
        "1: 80\n2: 0\n3: 7.5",
        "1: 80, 2: 0, 3: 7.5",
        "**1**: 80\n- 2: 0\n[3]: 7.5",
        "1. 80\n2. 0\n3. 7.5",
        "1 = 80/100\n2 = 0%\n3 -> 7.5 (perhaps)",
        '{"1": 80, "2": 0, "3": 7.5}',
        '{"scores": {"1": 80, "2": 0, "3": 7.5}}',
        '{"scores": [{"number": 1, "score": 80}, {"number": 2, "score": 0}, {"number": 3, "score": 7.5}]}',
        '[{"score": 80, "number": 1}, {"number": "2", "score": "0"}, {"number": 3, "score": 7.5}]',
        'Here they are:\n{"1": 80, "2": 0, "3": 7.5}\nThat is all.',
        '```json\n{"1": 80, "2": 0, "3": 7.5}\n```',
        "Here they are\n1: 80\n2: 0\n3: 7.5\nThat is all.",
        "<think>1: 3</think>1: 80\n2: 0\n3: 7.5",
    ],
)
def test_scores_are_read(reply: str) -> None:
    assert scores(reply) == ({1: 80, 2: 0, 3: 7.5}, [])


@pytest.mark.parametrize(
    ("reply", "expected", "code", "numbers"),
    [
        ("1: 80\n2: 5", {1: 80, 2: 5}, "reply.scores_missing", [3]),
        ("no idea", {}, "reply.scores_missing", [1, 2, 3]),
        ("1: 80\n2: 0,8\n3: 7", {1: 80, 3: 7}, "reply.scores_missing", [2]),
        ("1: 101\n2: -5\n3: 7", {1: 100, 2: 0, 3: 7}, "reply.scores_clipped", [1, 2]),
        ("1: 1\n2: 2\n3: 3\n4: 4", {1: 1, 2: 2, 3: 3}, "reply.unknown_scores", [4]),
        ('{"1": 1, "2": 2, "3": 3, "1": 4}', {1: 1, 2: 2, 3: 3}, "reply.repeated_scores", [1]),
        ('{"1": 1, "2": [2], "3": 3}', {1: 1, 3: 3}, "reply.scores_missing", [2]),
        ('[{"number": 1, "score": 1}, {"nr": 2}]', {1: 1}, "reply.scores_missing", [2, 3]),
        ("[80, 0, 7]", {}, "reply.scores_missing", [1, 2, 3]),
        ("1: 1\n2: 2\n3: 3\n1: 4", {1: 1, 2: 2, 3: 3}, "reply.repeated_scores", [1]),
    ],
)
def test_scores_that_are_not_right_are_events(
    reply: str, expected: dict[int, float], code: str, numbers: list[int]
) -> None:
    found, events = scores(reply)
    assert found == expected
    assert [(event_code, values["numbers"]) for event_code, values in told(events)] == [(code, numbers)]


@pytest.mark.parametrize("value", ["NaN", "inf", "-Infinity", "9" * 400])
def test_scores_that_are_not_finite_are_refused(value: str) -> None:
    found, events = scores(f"1: {value}\n2: 2\n3: 3")
    assert found == {2: 2, 3: 3}
    assert told(events) == [
        ("reply.scores_not_finite", {"numbers": [1]}),
        ("reply.scores_missing", {"numbers": [1], "n": 3}),
    ]


def test_thinking_is_cut_out() -> None:
    assert without_thoughts("<think>a</think> b <THINKING>c</THINKING> d") == "b  d"
    assert without_thoughts("a</think>b</think>c") == "c"
    assert without_thoughts("a <think>b") == "a"


def steps(*numbers: int) -> tuple[Step, ...]:
    return tuple(Step(number, "") for number in numbers)


def named(*names: str) -> tuple[Step, ...]:
    marks = {">": True, "<": False}
    return tuple(Step(None, n.lstrip("<>"), marks.get(n[0])) for n in names)


@pytest.mark.parametrize(
    ("reply", "paths"),
    [
        ("3 > 7\n2", [steps(3, 7), steps(2)]),
        ("1. 3 > 7\n2. 2 > 5", [steps(3, 7), steps(2, 5)]),
        ("3 -> 7\n- 2 → 5", [steps(3, 7), steps(2, 5)]),
        ("Path 1: 3 > 7 (the currency)\nPath 2: 2", [steps(3, 7), steps(2)]),
        ("3, 7", [steps(3, 7)]),
        ("[3, 7]", [steps(3, 7)]),
        ("[[3, 7], [2]]", [steps(3, 7), steps(2)]),
        ('{"paths": [[3, 7], [2]]}', [steps(3, 7), steps(2)]),
        ('{"paths": [3, 7]}', [steps(3, 7)]),
        ('{"paths": [[3, 7], 2, []]}', [steps(3, 7), steps(2)]),
        ('{"paths": []}', []),
        ('{"paths": [["capital", "currency"], ["-> borders"]]}', [named("capital", "currency"), named(">borders")]),
        ('{"paths": [[3, 7], [2, 5', [steps(3, 7), steps(2)]),
        ('["3 > 7", "2"]', [steps(3, 7), steps(2)]),
        ("3 > -7", [steps(3, -7)]),
        ("<think>1 > 2</think>\n```\n3 > 7\n```", [steps(3, 7)]),
        ("<- capital -> currency", [named("<capital", ">currency")]),
        ("<- capital > -> currency\n-> borders", [named("<capital", ">currency"), named(">borders")]),
        ("capital > currency\ncapital -> currency", [named("capital", "currency")] * 2),
        ("capital > <- largest city", [named("capital", "<largest city")]),
        ("<PATH>capital<SEP>film.film.starring</PATH><PATH>borders</PATH>",
         [named("capital", "film.film.starring"), named("borders")]),
        ('["capital", "currency"]', [named("capital", "currency")]),
        ("capital", [named("capital")]),
        ("3 > currency", [()]),
        ("3 >", [()]),
        ("NONE", []),
        ("", []),
    ],
)  # fmt: skip
def test_relation_paths_are_read(reply: str, paths: list[tuple[Step, ...]]) -> None:
    assert [path for _, path in read_paths(reply)] == paths


@pytest.mark.parametrize(
    ("reply", "names"),
    [
        ('{"names": ["Nairobi", "Kenya"]}', ["Nairobi", "Kenya"]),
        ('["Nairobi", "Kenya", "Nairobi"]', ["Nairobi", "Kenya"]),
        ('{"entities": ["The Lion, the Witch\\nand the Wardrobe"]}', ["The Lion, the Witch and the Wardrobe"]),
        ("Nairobi\nKenya", ["Nairobi", "Kenya"]),
        ("1. Nairobi\n2) Kenya", ["Nairobi", "Kenya"]),
        ("- **Nairobi**\n• „Kenya“", ["Nairobi", "Kenya"]),
        ('Names:\n"Nairobi"\n‘Kenya’', ["Nairobi", "Kenya"]),
        ("The entities are: Nairobi", ["Nairobi"]),
        ("<think>Kenya?</think>Nairobi", ["Nairobi"]),
        ("1984\n12 Years a Slave\n3:10 to Yuma", ["1984", "12 Years a Slave", "3:10 to Yuma"]),
        ("Nairobi, Kenya", ["Nairobi, Kenya"]),
        ('{"names": [1984, ""]}', ["1984"]),
        ("NONE", []),
        ('{"names": []}', []),
        ('{"names": ["None"]}', []),
    ],
)
def test_names_are_read(reply: str, names: list[str]) -> None:
    with record(Trace(), "test", "link") as entry:
        assert read_names(reply) == names
    assert entry.events == []


@pytest.mark.parametrize("reply", ["", "  \n", "<think>Nairobi", "**"])
def test_no_name_at_all_is_an_event(reply: str) -> None:
    with record(Trace(), "test", "link") as entry:
        assert read_names(reply) is None
    assert told(entry.events) == [("reply.no_name", {})]


def test_names_that_are_no_texts_are_an_event() -> None:
    with record(Trace(), "test", "link") as entry:
        assert read_names('{"names": ["Nairobi", null, {"name": "Kenya"}, true]}') == ["Nairobi"]
    assert told(entry.events) == [("reply.names_not_texts", {"left_out": 3})]


def test_a_line_is_parted_at_commas_and_and() -> None:
    assert parts_of("Nairobi, 'Kenya' and Uganda; Sandy") == ["Nairobi", "Kenya", "Uganda", "Sandy"]
    assert parts_of("Anderson") == ["Anderson"]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("YES", True), ("yes, it is", True), ("**No.**", False), ("<think>no</think>Yes", True), ("true", True),
        ('{"enough": true}', True), ('{"enough": false, "why": "yes"}', False), ('{"enough": "no"}', False),
        ("```json\n{\"enough\": true}\n```", True),
        ("", None), ("Perhaps", None), ("nothing", None), ("{}", None), ("[true]", True), ("1", None),
        ('{"enough": null}', None), ('{"a": true, "b": false}', None),
    ],
)  # fmt: skip
def test_yes_and_no_are_read(reply: str, said: bool | None) -> None:
    assert read_yes(reply) is said
