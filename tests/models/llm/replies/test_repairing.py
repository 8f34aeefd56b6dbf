"""JSON that models write nearly right is read; prose never becomes JSON."""

from __future__ import annotations

import json

import json_repair
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.models.llm.replies.json_replies import find_json, only_list, unwrapped
from graphbrick.models.llm.replies.repairing import repaired
from graphbrick.models.llm.replies.replies import opened

WHOLE = {"entities": ["Alma Berg", "Ferries"], "triples": [["Alma Berg", "founded", "Ferries"]]}
TRIPLES = '"triples": [["Alma Berg", "founded", "Ferries"]]'
NEARLY = {
    "a comma after the last item": '{"entities": ["Alma Berg", "Ferries",], ' + TRIPLES + "}",
    "a comma after the last key": '{"entities": ["Alma Berg", "Ferries"], ' + TRIPLES + ",}",
    "two commas": '{"entities": ["Alma Berg",, "Ferries"], ' + TRIPLES + "}",
    "single quotes": str(WHOLE),
    "curly quotes": "{“entities”: [“Alma Berg”, “Ferries”], “triples”: [[“Alma Berg”, “founded”, “Ferries”]]}",
    "a comment on the line": '{"entities": ["Alma Berg", "Ferries"], // names\n' + TRIPLES + "}",
    "a comment of Python": '{"entities": ["Alma Berg", "Ferries"], # names\n' + TRIPLES + "}",
    "a comment between marks": '{/* all */ "entities": ["Alma Berg", "Ferries"], ' + TRIPLES + "}",
    "keys without quotes": '{entities: ["Alma Berg", "Ferries"], ' + TRIPLES.replace('"triples"', "triples") + "}",
    "no comma between keys": '{"entities": ["Alma Berg", "Ferries"]\n' + TRIPLES + "}",
    "no comma between items": '{"entities": ["Alma Berg"\n"Ferries"], ' + TRIPLES + "}",
    "dots for more": '{"entities": ["Alma Berg", "Ferries", ...], ' + TRIPLES + "}",
    "a bracket too many": '{"entities": ["Alma Berg", "Ferries"], ' + TRIPLES + "]}",
    "a bracket too few": '{"entities": ["Alma Berg", "Ferries"], ' + TRIPLES[:-1] + "}",
    "round brackets": '{"entities": ["Alma Berg", "Ferries"], "triples": [("Alma Berg", "founded", "Ferries")]}',
    "a fence on one line": "```json " + json.dumps(WHOLE) + " ```",
    "a fence and a comma": "```json\n" + json.dumps(WHOLE)[:-1] + ",}\n```",
    "words before it on the line": "Here is the JSON: " + json.dumps(WHOLE),
    "words before and a comma": 'Sure!\n{"entities": ["Alma Berg", "Ferries",], ' + TRIPLES + "}",
    "a text of JSON": json.dumps(json.dumps(WHOLE)),
    "a mark of the byte order": "\ufeff" + json.dumps(WHOLE),
    "two objects of other keys": '{"entities": ["Alma Berg", "Ferries"]}\n\n{' + TRIPLES + "}",
    "the same object twice": json.dumps(WHOLE) + "\n" + json.dumps(WHOLE),
    "thoughts before it": "Is it {x}?\n</think>\n" + json.dumps(WHOLE),
    "marks around it": "<json>" + json.dumps(WHOLE) + "</json>",
}
PROSE = [
    "The ship Nordlys carries 300 passengers. It runs from Bergen to Voss.",
    "Alma Berg founded it [1], see also [2].",
    "[3] Kenya\n[1] Uganda",
    "[Alma Berg] founded [Ferries]",
    "Alma Berg: founder of Ferries\nOlav: painter",
    "I say {nope} and {never} again.",
    "{nope, 3}",
    "{Alma Berg}",
    "{{entities}}",
    "{ color: red; }",
    "{ font: 'Times', serif }",
    "{'a': {'b': 1,'c'}}",
    "The set {1, 2, 3} is finite.",
    "I'm sorry, I can't do that {as an AI}.",
    '"Alma Berg" founded "Ferries".',
    "entities:\n  - Alma Berg",
    "def f(x): return {x: 1}",
    "{'entities': ['O'Hara Inn', 'Bergen'], 'triples': []}",  # where the first name ends cannot be told
    "{'a' = 'b', 'c' = 'd'}",
    "None",
    "",
]


@pytest.mark.parametrize("name", NEARLY)
def test_what_is_nearly_right_is_read(name: str) -> None:
    assert opened(NEARLY[name])[1] == WHOLE


@pytest.mark.parametrize("text", PROSE)
def test_prose_never_becomes_json(text: str) -> None:
    assert find_json(text) == (None, True)


def test_the_library_alone_makes_values_of_prose() -> None:
    invented = [text for text in PROSE if json_repair.loads(text) not in ("", None, [], {})]
    assert len(invented) >= 8  # which is why it stands behind guards


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"h": "A", "t": "B"}\n{"h": "C", "t": "D"}', [{"h": "A", "t": "B"}, {"h": "C", "t": "D"}]),
        ('["A", "b", "C"]\n["D", "e", "F"]', [["A", "b", "C"], ["D", "e", "F"]]),
        ('{"a": [1]}\n\nWait:\n{"a": [2]}', {"a": [1]}),
        ('{"a": True, "b": None, "c": "http://x.org/a"}', {"a": True, "b": None, "c": "http://x.org/a"}),
        ('{"a": ["the “Alma” ship", "it\'s"],}', {"a": ["the “Alma” ship", "it's"]}),
        ('{"a": ["the "Nordlys" ship", "B"]}', {"a": ['the "Nordlys" ship', "B"]}),
    ],
)
def test_several_values_and_odd_texts(text: str, value: object) -> None:
    assert find_json(text) == (value, True)


@pytest.mark.parametrize(
    ("value", "right"),
    [
        ({"reply": {"triples": []}}, {"triples": []}),
        ([{"triples": [1]}], {"triples": [1]}),
        ({"a": {"b": {"triples": []}}}, {"triples": []}),
        ({"triples": [1]}, {"triples": [1]}),
        ([[1], [2]], [[1], [2]]),
        ({}, {}),
    ],
)
def test_an_object_that_wraps_another_is_opened(value: object, right: object) -> None:
    assert unwrapped(value) == right
    assert only_list({"reply": {"numbers": [3]}}) == [3]


@given(st.text(alphabet="{}[]()\"'“”:,/#*ab1 \n", max_size=40))
def test_every_text_of_what_is_repaired_stands_in_the_reply(text: str) -> None:
    def texts(value: object) -> list[str]:
        if isinstance(value, dict):
            return [str(key) for key in value] + [one for inner in value.values() for one in texts(inner)]
        inner = value if isinstance(value, list) else []
        return [value] if isinstance(value, str) else [one for part in inner for one in texts(part)]

    assert all(part.strip()[:40].split("\n")[0] in text for part in texts(repaired(text)))
