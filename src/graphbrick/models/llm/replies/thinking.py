"""Telling what a language model thinks from what it answers, in whole replies and in streams.

Servers that know a model give its thoughts apart. Others pass on what it writes, with the marks of its family:
``<think>...</think>``, ``[THINK]``, the channels of gpt-oss, and more.
"""

from __future__ import annotations

import re

_NAME = (
    r"(?:(?:seed|mm|ant|antml):)?(?:ant_?)?(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|analysis|scratchpad)"
)
_KIND = r"\b[^<>\n]{0,60}(?:<\|constrain\|>\w{0,20})?<\|message\|>"
_OPENED = (  # each way to open thoughts, with the ways to close them
    (rf"<{_NAME}\s*>", rf"</{_NAME}\s*>"),
    (r"\[THINK\]", r"\[/THINK\]"),
    ("◁think▷", "◁/think▷"),
    (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
    (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),
    (rf"<\|channel\|>(?:analysis|commentary){_KIND}", rf"<\|channel\|>final{_KIND}"),
    (r"<\|channel>thought\s", r"<channel\|>"),
    (r"<unused94>thought\s", r"<unused95>"),
)
_FIRST = (  # words that open thoughts where they begin a reply: some servers drop the marks of a model
    ("analysis(?=(?-i:[A-Z]))", r"assistantfinal(?=\S)"),
    ("Here is my thought process:", "Here is my response:"),
    ("Here are my reasoning steps:", r"\[BEGIN FINAL RESPONSE\]"),
)
_AROUND = (  # further marks before, behind and between, which some servers pass on
    r"\[END FINAL RESPONSE\]|<\|(?:begin|end)_of_(?:solution|box)\|>|<\|(?:START|END)_RESPONSE\|>|"
    r"(?:<\|end\|>)?<\|start\|>assistant|<\|(?:return|end|im_end|eot_id|endoftext|eom_id)\|>|<end_of_turn>|"
    r"<｜end▁of▁sentence｜>|(?:</(?:final_?)?answer>|</s>)\s*\Z"
)
_KINDS_OF_MARKS = (
    *(f"(?P<o{i}>{opening})" for i, (opening, _) in enumerate(_OPENED)),
    f"(?P<alone>{'|'.join(closing for _, closing in _OPENED)})",
    f"(?P<around>{_AROUND})",
)
# All of them begin with one of three signs: elsewhere, none is tried, which is 20 times as fast.
_MARK = re.compile(rf"(?=[<\[◁])(?:{'|'.join(_KINDS_OF_MARKS)})", re.IGNORECASE)
_CLOSED = tuple(re.compile(closing, re.IGNORECASE) for _, closing in (*_OPENED, *_FIRST))
_BEGIN = re.compile("|".join([*(f"({opening})" for opening, _ in _FIRST), "<(?:final_?)?answer>"]), re.IGNORECASE)
_BEGINS = ("analysis", "here is my thought process:", "here are my reasoning steps:", "<final_answer>", "<answer>")
_MAY_BEGIN = re.compile(r"<\|channel[^\n]{0,120}\Z|\[(?:BEGIN|END)[^\]\n]{0,30}\Z|[<\[◁]\S{0,120}\Z")
_JSON = re.compile(r"\s*(?:```\w*\s*)?(?:\{|\[\s*[\[{\"])")
_SPACE = re.compile(r"\s*")
_LONGEST = 120  # characters of a mark
_QUOTING = frozenset("`\"'“”‘’«»")


class ThoughtFilter:
    """A reader of one reply that keeps what is not thought, however the reply is cut into pieces.

    Args:
        hold: Whether to pass on nothing before the end, unless thoughts are closed: a reply may begin within thoughts.

    Attributes:
        thought: Characters of thoughts, with their marks.
        closed_alone: Whether thoughts were closed that the reply did not open.
    """

    def __init__(self, *, hold: bool = False) -> None:
        self.thought = 0
        self.closed_alone = False
        self._hold = hold
        self._buffer, self._at = "", 0  # pieces, and how much of them was read
        self._closing: re.Pattern[str] | None = None
        self._forget()

    def _forget(self) -> None:
        self._kept, self._waiting = list[str](), list[str]()  # parts without thoughts, and those not passed on yet
        self._head, self._tail = "", ""  # their first characters, without white space before them, and their last

    @property
    def text(self) -> str:
        """The reply without thoughts."""
        if len(self._kept) > 1:
            self._kept = ["".join(self._kept)]
        return self._kept[0] if self._kept else ""

    def feed(self, piece: str) -> str:
        """Add a piece of the reply, and return what can be passed on."""
        self._buffer += piece
        self._read(at_end=False)
        return self._pass_on()

    def end(self) -> str:
        """Return the rest of the reply."""
        self._read(at_end=True)
        self._hold = False
        return self._pass_on()

    def _pass_on(self) -> str:
        if self._hold and not begins_json(self._head):  # what begins as JSON does not begin within thoughts
            return ""
        rest = "".join(self._waiting)
        self._waiting.clear()
        return rest

    def _read(self, *, at_end: bool) -> None:
        while self._thought(at_end=at_end) if self._closing else self._answer(at_end=at_end):
            pass
        self._buffer, self._at = self._buffer[self._at :], 0

    def _thought(self, *, at_end: bool) -> bool:
        """Read on within thoughts; return whether there is more to read."""
        assert self._closing is not None
        close = self._closing.search(self._buffer, self._at)
        if close is not None:
            self._drop(close.end())
            self._closing = None
            return True
        self._drop(len(self._buffer) if at_end else max(len(self._buffer) - _LONGEST, self._at))
        return False

    def _answer(self, *, at_end: bool) -> bool:
        """Read on outside of thoughts; return whether there is more to read."""
        if not self._head:
            start = _SPACE.match(self._buffer, self._at).end()  # type: ignore[union-attr]
            begin = _BEGIN.match(self._buffer, start)
            if begin is not None:
                self._drop(begin.end())
                if begin.lastindex:
                    self._closing = _CLOSED[len(_OPENED) + begin.lastindex - 1]
                return True
            word = self._buffer[start : start + _LONGEST].casefold()
            if not at_end and any(one.startswith(word[: len(one)]) for one in _BEGINS):
                self._keep(max(start - _LONGEST, self._at))  # of much white space, not all is to be read again
                return False
        json = _JSON.match(self._head) if self._kept else _JSON.match(self._buffer, self._at)
        marks = _MARK.finditer(self._buffer, self._at)
        mark = next((one for one in marks if not self._is_quoted(one, is_json=json is not None)), None)
        if mark is None:
            begun = None if at_end else _MAY_BEGIN.search(self._buffer, max(len(self._buffer) - _LONGEST, self._at))
            self._keep(len(self._buffer) if begun is None else begun.start())
            return False
        kind = str(mark.lastgroup)
        self._keep(mark.start())
        if kind == "around":
            if mark.end() == len(self._buffer) and not at_end:
                return False
            self._at = mark.end()
        elif kind == "alone":
            self.closed_alone = True
            self.thought += len(self.text)
            self._hold = False
            self._forget()
            self._drop(mark.end())
        else:
            self._closing = _CLOSED[int(kind[1:])]
        return True

    def _is_quoted(self, mark: re.Match[str], *, is_json: bool) -> bool:
        """Return whether a mark is only spoken of: in quotation marks, as code, or within a text of JSON."""
        start = mark.start()
        if (self._buffer[start - 1] if start > self._at else self._tail[-1:]) in _QUOTING:
            return True
        if not is_json:
            return False
        before = self._tail + self._buffer[max(start - _LONGEST, self._at) : start]
        return before.rstrip(" ")[-1:] not in ("", "\n", "}", "]", "`")

    def _keep(self, end: int) -> None:
        """Take the buffer up to here into the text; after thoughts it begins without white space."""
        kept, self._at = self._buffer[self._at : end], end
        if self.thought and not self._kept:
            kept = kept.lstrip()
        if not kept:
            return
        self._kept.append(kept)
        self._waiting.append(kept)
        self._tail = (self._tail + kept)[-_LONGEST:]
        if len(self._head) < _LONGEST:
            self._head += (kept if self._head else kept.lstrip())[:_LONGEST]

    def _drop(self, end: int) -> None:
        self.thought += end - self._at
        self._at = end


def begins_json(text: str) -> bool:
    """Return whether a reply begins as JSON does.

    >>> begins_json('```json\\n{"answers": ['), begins_json("[1] says so")
    (True, False)
    """
    return _JSON.match(text) is not None


def without_thoughts(reply: str) -> str:
    """Return a reply without what the model thought, whatever the marks; the opening one may be missing.

    >>> without_thoughts("<think>Is it 3 or 5?</think>5"), without_thoughts("3 or 5?</think>5")
    ('5', '5')
    >>> without_thoughts("<|channel|>analysis<|message|>3 or 5?<|end|><|start|>assistant<|channel|>final<|message|>5")
    '5'
    >>> without_thoughts("The tag `<think>` opens thoughts.")
    'The tag `<think>` opens thoughts.'
    """
    return answer_of(reply).strip()


def answer_of(reply: str) -> str:
    """Return a reply without thoughts, with its white space."""
    reader = ThoughtFilter()
    reader.feed(reply)
    reader.end()
    return reader.text
