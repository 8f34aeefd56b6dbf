"""Thoughts are told from answers, however a reply is cut into pieces, and in time linear in its length."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.models.llm.replies.thinking import ThoughtFilter, without_thoughts

PARTS = (
    "<think>", "</think>", "<reasoning>", "</reasoning>", "[THINK]", "[/THINK]", "<|channel|>analysis<|message|>",
    "<|end|><|start|>assistant<|channel|>final<|message|>", "<|channel|>", "<|im_end|>", "<answer>", "</answer>", "`",
    '"', "\n", " ", "{", "}", "[1]", "<", "analysis", "A", "assistantfinal", "Here is my thought process:", "word",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PARTS), max_size=12).map("".join)


def filtered(text: str, cuts: list[int], *, hold: bool) -> tuple[str, ThoughtFilter]:
    """Return what a filter passes on of a text in pieces, and the filter."""
    reader, passed, start = ThoughtFilter(hold=hold), "", 0
    for end in [*sorted(cut % (len(text) + 1) for cut in cuts), len(text)]:
        passed += reader.feed(text[start:end])
        start = end
    return passed + reader.end(), reader


@given(TEXTS, st.lists(st.integers(0, 400), max_size=20))
def test_the_pieces_do_not_matter(text: str, cuts: list[int]) -> None:
    whole, _ = filtered(text, [], hold=True)
    passed, reader = filtered(text, cuts, hold=True)
    assert (passed, reader.text) == (whole, whole)
    passed, reader = filtered(text, cuts, hold=False)
    assert reader.text == whole
    if not reader.closed_alone:  # what was passed on before a closing mark cannot be taken back
        assert passed == whole


@given(TEXTS)
def test_a_reply_without_thoughts_stays_as_it_is(text: str) -> None:
    once = without_thoughts(text)
    if "<" not in text and "[" not in text and "analysis" not in text and "Here" not in text:
        assert once == text.strip()
    assert len(once) <= len(text)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("<think>never closed", ""),
        ("Alma Berg [1]\n<think>but what", "Alma Berg [1]"),
        ("Alma <think>or Oslo</think>Berg", "Alma Berg"),
        ("<think>a<think>b</think>c</think>d", "d"),
        ("analysisWe never end", ""),
        ('{"a": "the <think> tag"}', '{"a": "the <think> tag"}'),
        ('{"a": ["b"]}\n<think>x', '{"a": ["b"]}'),
        ('Hm: {"a": 1}?\n</think>\n{"a": 2}', '{"a": 2}'),
        ("Use `</think>` to close.", "Use `</think>` to close."),
        ("A | B\n---|---\n1 | <b>2</b>", "A | B\n---|---\n1 | <b>2</b>"),
    ],
)
def test_marks_in_odd_places(reply: str, answer: str) -> None:
    assert without_thoughts(reply) == answer


@pytest.mark.whole
@pytest.mark.parametrize(
    "part", ["<think></think>a", "a<think>", "`<think>", "</think>", "<|end|>", "<|channel|>", "["]
)
def test_a_hostile_reply_takes_time_linear_in_its_length(part: str) -> None:
    def seconds(n: int) -> float:
        start = time.process_time()
        without_thoughts(part * n)
        return time.process_time() - start

    seconds(1000)
    assert seconds(32_000) < 100 * max(seconds(4_000), 0.005)  # 64 times, if each mark read all that is before it


@pytest.mark.parametrize(
    "reply", ['{"answers": ["Kenya"]}', '```json\n[{"text": "Kenya"}]\n```', '["Kenya", "Uganda"]']
)
def test_a_reply_of_json_is_passed_on_as_it_comes(reply: str) -> None:
    """It does not begin within thoughts, as that of a model without a known name may."""
    reader = ThoughtFilter(hold=True)
    pieces = [reader.feed(piece) for piece in reply] + [reader.end()]
    assert "".join(pieces) == reply
    assert sum(map(bool, pieces)) > len(reply) // 3
    held = ThoughtFilter(hold=True)
    assert [held.feed(piece) for piece in ("[1] says", " so")] == ["", ""]
    assert held.end() == "[1] says so"


@pytest.mark.parametrize("cut", [40, 5_000_000])
@pytest.mark.whole
@pytest.mark.parametrize(
    ("piece", "kept"),
    [
        ("\n a<|end|>", "\n a"),
        ("x</think>", ""),
        ("<think>no</think> b\n", " b\n"),
        ('{"a": "<think>"}\n', None),
        (" ", ""),
    ],
)
def test_a_reply_of_a_hundred_thousand_marks_is_read_in_one_pass(piece, kept, cut):
    whole = piece * 100_000 + "."
    reader = ThoughtFilter()
    passed = "".join(reader.feed(whole[start : start + cut]) for start in range(0, len(whole), cut)) + reader.end()
    expected = whole if kept is None else f"{kept * 100_000}."
    assert reader.text.strip() == expected.strip()
    assert reader.closed_alone or passed == reader.text
