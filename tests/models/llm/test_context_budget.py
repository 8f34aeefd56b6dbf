from __future__ import annotations

from itertools import accumulate

import pytest
from faults import told
from hypothesis import given
from hypothesis import strategies as st

from graphbrick import LLM
from graphbrick.core.trace import Trace, record
from graphbrick.models.llm.context_budget import cut_to_budget, fitting, line_tokens, pack
from graphbrick.models.llm.replies.replies import numbered

LINES = st.lists(st.text(alphabet=st.sampled_from("ab 1.,é内")), min_size=1, max_size=30)


def prompt(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


@given(LINES)
def test_a_list_takes_no_more_than_its_lines(lines: list[str]) -> None:
    llm = LLM()
    assert llm.tokens(prompt("Here:\n" + numbered(lines))) <= llm.tokens(prompt("Here:\n")) + sum(
        line_tokens(llm, lines)
    )


@given(LINES, st.integers(300, 420))
def test_what_fits_has_room_and_one_more_has_not(lines: list[str], context: int) -> None:
    llm = LLM(context=context, max_tokens=256)
    n = fitting(llm, prompt("Here:"), lines)
    totals = list(accumulate(line_tokens(llm, lines)))
    room = llm.context_budget(prompt("Here:"))
    assert n == 0 or totals[n - 1] <= room
    assert n == len(lines) or totals[n] > room


@given(st.lists(st.integers(0, 20), max_size=40), st.integers(1, 40), st.integers(1, 9))
def test_parts_hold_all_and_fit_in_as_few_as_can_be(sizes: list[int], room: int, most: int) -> None:
    found = pack(sizes, room, most)
    assert [i for part in found for i in part] == list(range(len(sizes)))
    assert all(len(part) == 1 or sum(sizes[i] for i in part) <= room for part in found)
    assert all(0 < len(part) <= most for part in found)
    # The fewest parts, by dynamic programming
    least = [0]
    for end in range(1, len(sizes) + 1):
        starts = [s for s in range(end) if end - s <= most and (end - s == 1 or sum(sizes[s:end]) <= room)]
        least.append(1 + min(least[s] for s in starts))
    assert len(found) == least[-1]


@given(st.integers(1, 60), st.integers(1, 12))
def test_parts_are_even_where_there_is_room(n: int, most: int) -> None:
    lengths = [len(part) for part in pack([1] * n, 100, most)]
    assert len(lengths) == -(-n // most)
    assert max(lengths) - min(lengths) <= 1


def test_what_is_too_long_is_cut_with_an_event() -> None:
    llm = LLM("some-model")
    with record(Trace(), "test", "rerank") as entry:
        lines, sizes = cut_to_budget(llm, ["short", "a long one " * 50], 20)
    assert lines[0] == "short"
    assert 20 < len(lines[1]) < 100
    assert ("a long one " * 50).startswith(lines[1])
    assert sizes == line_tokens(llm, lines)
    assert 10 < max(sizes) <= 20
    assert told(entry.events) == [("llm.texts_cut_to_context", {"cut": 1, "tokens": 20})]


@pytest.mark.parametrize("room", [0, -5])
def test_without_room_nothing_is_left(room: int) -> None:
    with record(Trace(), "test", "rerank") as entry:
        assert cut_to_budget(LLM(), ["a b c", ""], room)[0] == ["", ""]
    assert len(entry.events) == 1
