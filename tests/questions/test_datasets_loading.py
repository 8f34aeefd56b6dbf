"""The plain format, packed files, and what is said of files that cannot be read."""

from __future__ import annotations

import gzip
import json
import logging
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from faults import fails
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.core.errors import InputError
from graphbrick.core.files.zstd import zstd
from graphbrick.questions.formats.plain import together
from graphbrick.questions.loading import FORMS, load
from graphbrick.questions.question import Question

ROW = {
    "id": "q1",
    "question": "Which currency has Kenya?",
    "seeds": ["Kenya"],
    "answers": ["m.1", "m.2"],
    "answer_names": ["Kenyan shilling", ["KES", "KSh"]],
    "hops": 1,
    "dataset": "world",
    "pattern": "currency",
    "path": [["currency", "out"]],
    "score": 0.5,
    "checked": True,
    "note": None,
}
QUESTION = Question(
    "q1",
    "Which currency has Kenya?",
    ("Kenya",),
    ("m.1", "m.2"),
    (("Kenyan shilling",), ("KES", "KSh")),
    hops=1,
    dataset="world",
    facts={"pattern": "currency", "path": '[["currency", "out"]]', "score": "0.5", "checked": "true"},
)


def written(folder: Path, text: str | bytes, name: str = "q.jsonl") -> Path:
    file = folder / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def test_all_columns_of_a_plain_question(tmp_path: Path) -> None:
    assert load(written(tmp_path, json.dumps(ROW))) == (QUESTION,)


def test_what_may_be_left_out(tmp_path: Path) -> None:
    file = written(
        tmp_path, '\n{"question": " who? ", "answers": ["A", "B", "A", 7]}\n\n{"question": "?", "answers": []}'
    )
    assert load(file) == (
        Question("1", "who?", (), ("A", "B", "7"), dataset="q"),
        Question("2", "?", dataset="q"),
    )


@pytest.mark.parametrize("name", ["q.jsonl", "q.json", "q.ndjson", "q.jsonl.gz", "q.JSON.gz", "q.jsonl.zst"])
@pytest.mark.parametrize("layout", ["lines", "list", "pretty list"])
def test_json_in_any_layout_and_packing(tmp_path: Path, name: str, layout: str) -> None:
    rows = [ROW, ROW | {"id": "q2"}]
    text = (
        "\n".join(map(json.dumps, rows)) if layout == "lines" else json.dumps(rows, indent=(layout[0] == "p") or None)
    )
    data = b"\xef\xbb\xbf" + text.encode()
    data = gzip.compress(data) if name.endswith("gz") else data
    data = zstd.compress(data) if name.endswith("zst") else data
    assert [question.id for question in load(written(tmp_path, data, name))] == ["q1", "q2"]


@pytest.mark.parametrize(("name", "mark"), [("q.csv", ","), ("q.tsv", "\t"), ("q.csv", ";"), ("q.tsv.gz", "\t")])
def test_tables(tmp_path: Path, name: str, mark: str) -> None:
    rows = [
        ("ID", "Question", "seeds", "answers", "answer_names", "hops", "pattern"),
        ("a", "who?", "A|B", "C | D", "see|dee", "2", "x_to_y"),
        ("b", "what?", "", "", "", "", ""),
    ]
    data = "\n".join(mark.join(row) for row in rows).encode()
    file = written(tmp_path, gzip.compress(data) if name.endswith("gz") else data, name)
    assert load(file) == (
        Question("a", "who?", ("A", "B"), ("C", "D"), (("see",), ("dee",)), 2, "q", {"pattern": "x_to_y"}),
        Question("b", "what?", dataset="q"),
    )


def test_quoted_cells(tmp_path: Path) -> None:
    file = written(tmp_path, 'question,seeds,answers\n"Who, and\nwhat?",A,"B, C|D"\n', "q.csv")
    assert load(file) == (Question("1", "Who, and\nwhat?", ("A",), ("B, C", "D"), dataset="q"),)


def test_values_that_json_does_not_have_are_facts_too(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    row = {"question": "?", "answers": ["a"], "day": date(2020, 1, 2), "price": Decimal("1.50"), "n": 3,
           "days": [date(2020, 1, 2)]}  # fmt: skip
    parquet.write_table(pyarrow.Table.from_pylist([row]), tmp_path / "q.parquet")
    (found,) = load(tmp_path / "q.parquet")
    assert found.facts == {"day": "2020-01-02", "price": "1.50", "n": "3", "days": '["2020-01-02"]'}


def test_parquet(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    rows = [{"question": "who?", "seeds": ["A"], "answers": ["B"], "hops": 1.0}, {"question": "?", "answers": ["C"]}]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "q.parquet")
    assert load(tmp_path / "q.parquet") == (
        Question("1", "who?", ("A",), ("B",), hops=1, dataset="q"),
        Question("2", "?", (), ("C",), dataset="q"),
    )
    with fails("questions.not_parquet", InputError):
        load(written(tmp_path, "no", "r.parquet"))


def test_an_empty_list_of_all_answers_takes_no_place(tmp_path: Path) -> None:
    file = written(tmp_path, '{"question": "?", "answers": ["a"], "all_answers": []}')
    assert load(file)[0].answers == ("a",)


def test_all_answers_take_the_place_of_those_in_a_part_of_the_graph(tmp_path: Path) -> None:
    file = written(
        tmp_path, '{"question": "?", "answers": ["a"], "all_answers": ["a", "b"], "answer_names": ["A", "B"]}'
    )
    assert load(file)[0].answer_names == (("A",), ("B",))


def test_names_that_belong_to_no_answer_are_kept_and_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = written(tmp_path, '{"question": "?", "answers": ["a", "b"], "answer_names": ["A"]}')
    with caplog.at_level(logging.INFO, "graphbrick"):
        (found,) = load(file)
    assert (found.answer_names, found.facts) == ((), {"answer_names": "A"})
    assert "1 questions have another number of answer_names than of answers" in caplog.text


def test_the_form_can_be_given(tmp_path: Path) -> None:
    file = written(tmp_path, '{"question": "?", "answers": ["Gene::1"]}')
    assert [load(file, form)[0].dataset for form in ("hetionet", "metaqa", "plain")] == ["hetionet", "metaqa", "q"]


GOOD = '{"question": "?", "answers": []}'
BAD: dict[str, tuple[Any, str, dict[str, object]]] = {
    "blank lines": ("\n  \n", "questions.none", {}),
    "an empty list": ("[]", "questions.none", {}),
    "not UTF-8": (b'{"question": "?", "answers": ["a"]}\n{"question": "\xff"}', "questions.bad_line", {"line": 2}),
    "a document that is not UTF-8": (b'[\n{"question": "\xff"}]', "questions.bad_document_line", {"line": 2}),
    "no JSON": ('{"question": "?", "answers": []}\nhello', "questions.not_json", {"line": 2}),
    "no JSON at all": ("hello", "questions.not_json", {"line": 1}),
    "a number": ("[7]", "questions.value_not_an_object", {"line": 1}),
    "a line that is no object": ('{"question": "?", "answers": []}\n[]', "questions.line_not_an_object", {"line": 2}),
    "a list cut short": ('[\n{"question": "?", "answers": []},\n{"question"', "questions.cut_json", {"line": 3}),
    "a list without its end": ('[\n{"question": "?", "answers": []}\n', "questions.no_comma", {"line": 3}),
    "an object of something else": ('{\n"a": 1\n}', "questions.not_json", {"line": 1}),
    "fields of no form": ('{"a": 1, "b": 2}', "questions.unknown_fields", {"fields": ("a", "b"), "line": 1}),
    "twice an id": (
        '{"id": "a", "question": "?", "answers": []}\n\n{"id": "a", "question": "!", "answers": []}',
        "questions.same_id",
        {"question": "a", "line": 3},
    ),
    "an id that a number has": (
        '{"id": "2", "question": "?", "answers": []}\n{"question": "!", "answers": []}',
        "questions.same_id",
        {"question": "2", "line": 2},
    ),
    "a misspelt column": (
        '{"question": "?", "seed": ["A"], "answers": []}',
        "plain.misspelt_column",
        {"column": "seed", "meant": "seeds", "line": 1},
    ),
    "a capital": (
        '{"Question": "?", "answers": []}',
        "plain.misspelt_column",
        {"column": "Question", "meant": "question", "line": 1},
    ),
    "no answers": ('{"question": "?", "gold": ["A"]}', "plain.no_column", {"column": "answers", "line": 1}),
    "no question": ('{"question": " ", "answers": []}', "questions.no_field", {"field": "question", "line": 1}),
    "a text for a list": ('{"question": "?", "answers": "A"}', "questions.not_a_list", {"field": "answers", "line": 1}),
    "an object in a list": (
        '{"question": "?", "answers": [{"a": 1}]}',
        "questions.not_text",
        {"field": "answers", "line": 1},
    ),
    "a flag": ('{"question": "?", "answers": [true]}', "questions.not_text", {"field": "answers", "line": 1}),
    "an empty answer": ('{"question": "?", "answers": [""]}', "questions.empty_text", {"field": "answers", "line": 1}),
    "half a character": (
        '{"question": "?", "answers": ["\\ud800"]}',
        "questions.half_character",
        {"field": "answers", "line": 1},
    ),
    "hops as words": (
        '{"question": "?", "answers": [], "hops": "two"}',
        "questions.not_a_number",
        {"field": "hops", "line": 1},
    ),
    "hops below 0": (
        '{"question": "?", "answers": [], "hops": -1}',
        "questions.not_a_number",
        {"field": "hops", "line": 1},
    ),
    "hops beyond all measure": (
        '{"question": "?", "answers": [], "hops": 1' + "0" * 30 + "}",
        "questions.not_a_number",
        {"field": "hops", "line": 1},
    ),
    "hops of thousands of digits": (
        '{"question": "?", "answers": [], "hops": "' + "9" * 5000 + '"}',
        "questions.not_a_number",
        {"field": "hops", "line": 1},
    ),
    "text after a list": (f"[\n{GOOD}\n]\n\nand more", "questions.not_one_value", {"line": 5}),
    "two lists": (f"[{GOOD}]\n[{GOOD}]", "questions.not_one_value", {"line": 2}),
    "a list in JSON lines": (f"{GOOD}\n[{GOOD}]", "questions.line_not_an_object", {"line": 2}),
    "two objects in a line": (f"{GOOD}\n{GOOD} {GOOD}", "questions.not_json", {"line": 2}),
    "a NUL": (b'{"question": "?\0", "answers": []}', "questions.bad_line", {"line": 1}),
    "nested too deeply": ('{"a": ' + "[" * 100_000, "questions.not_json", {"line": 1}),
}


@pytest.mark.parametrize(
    ("text", "code", "values"),
    [
        ('{"Questions": [\n' + GOOD + "\n]}\n" + GOOD, "questions.not_one_value", {"line": 4}),
        ('{"Questions": [' + GOOD + "],\n", "questions.not_one_value", {"line": 2}),
        (f"{GOOD} {GOOD}", "questions.not_one_value", {"line": 1}),
        ('{"Questions": [\n' + GOOD + "\n], \n'version': 1}", "questions.not_one_value", {"line": 4}),
    ],
)
def test_documents_that_are_not_one_value(tmp_path: Path, text: str, code: str, values: dict[str, object]) -> None:
    with fails(code, InputError, **values):
        load(written(tmp_path, text, "q.json"))


@pytest.mark.parametrize("case", BAD)
def test_json_that_cannot_be_read(tmp_path: Path, case: str) -> None:
    text, code, values = BAD[case]
    with fails(code, InputError, **values) as caught:
        load(written(tmp_path, text))
    assert "q.jsonl" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "code", "values"),
    [
        ("question,answers\n?,A,B\n", "questions.bad_row_length", {"n": 3, "line": 2}),
        ("question,answers,answers\n", "questions.bad_columns", {"line": 1}),
        ("question,answers,\n", "questions.bad_columns", {"line": 1}),
        ("question,answers\n", "questions.none", {}),
        ("question,answers\n?,A||B\n", "questions.empty_text", {"field": "answers", "line": 2}),
        ("question,answer\n?,A\n", "plain.misspelt_column", {"column": "answer", "meant": "answers", "line": 2}),
        ("who,what\n?,A\n", "questions.unknown_fields", {"fields": ("who", "what"), "line": 2}),
    ],
)
def test_tables_that_cannot_be_read(tmp_path: Path, text: str, code: str, values: dict[str, object]) -> None:
    with fails(code, InputError, **values):
        load(written(tmp_path, text, "q.csv"))


@pytest.mark.parametrize(
    ("text", "name"), [("", "q.jsonl"), ("{}".encode("utf-16"), "q.jsonl"), ('question,answers\n"?,A\n', "q.csv")]
)
def test_files_that_are_empty_or_of_no_known_text(tmp_path: Path, text: str | bytes, name: str) -> None:
    with pytest.raises(InputError):
        load(written(tmp_path, text, name))


def test_what_is_no_file_of_questions(tmp_path: Path) -> None:
    file = written(tmp_path, json.dumps(ROW))
    with fails("questions.is_folder", InputError):
        load(tmp_path)
    with fails("questions.not_there", InputError):
        load(tmp_path / "none.jsonl")
    with fails("questions.other_ending", InputError):
        load(written(tmp_path, "<a/>", "q.xml"))
    with fails("questions.other_ending", InputError):
        load(written(tmp_path, "?", "questions"))
    with pytest.raises(InputError, match="the gzip data end too early"):
        load(written(tmp_path, gzip.compress(b'{"question": "?"}' * 9)[:-9], "q.jsonl.gz"))
    with fails("questions.packed_parquet", InputError):
        load(written(tmp_path, gzip.compress(b"?"), "q.parquet.gz"))
    with fails("questions.no_form", InputError, form="webqps", example="webqsp"):
        load(file, "webqps")
    with fails("questions.other_form", InputError, form="cwq"):
        load(written(tmp_path, "who is [A]\tB\n", "q.txt"), "cwq")
    with fails("questions.no_field", InputError, field="QuestionId", line=1):
        load(file, "webqsp")


@pytest.mark.parametrize("form", sorted({*FORMS} - {"auto", "plain", "metaqa", "hetionet", "simplequestions"}))
def test_a_file_of_another_form_is_an_error(tmp_path: Path, form: str) -> None:
    with fails("questions.no_field", InputError, line=1):
        load(written(tmp_path, '{"question": "?", "answers": [{"answer_id": "m.1"}]}'), form)


def test_names_without_an_answer_each() -> None:
    with pytest.raises(ValueError, match="2 answers and names for 1"):
        Question("1", "?", answers=("a", "b"), answer_names=(("A",),))


def test_a_question_can_be_a_key(tmp_path: Path) -> None:
    other = Question("q1", "Which currency has Kenya?", ("Kenya",), ("m.1", "m.2"), QUESTION.answer_names, 1, "world")
    assert hash(QUESTION) == hash(other)
    assert other != QUESTION


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).map(str.strip).filter(bool)


@pytest.mark.whole
@given(
    rows=st.lists(st.tuples(texts, st.lists(texts, max_size=3), st.lists(texts, max_size=3)), min_size=1, max_size=5)
)
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, rows) -> None:
    lines = [json.dumps({"question": q, "seeds": s, "answers": a}, ensure_ascii=False) for q, s, a in rows]
    file = written(tmp_path_factory.mktemp("plain"), "\n".join(lines))
    assert [(q.text, q.seeds, q.answers) for q in load(file)] == [
        (question, tuple(dict.fromkeys(seeds)), tuple(dict.fromkeys(answers))) for question, seeds, answers in rows
    ]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.lists(st.sampled_from("xyz"), max_size=2).map(tuple)), max_size=6))
def test_answers_together(pairs) -> None:
    answers, names = together([answer for answer, _ in pairs], [some for _, some in pairs])
    assert sorted(answers) == sorted({answer for answer, _ in pairs})
    assert bool(names) == any(some for _, some in pairs)
    for answer, found in zip(answers, names, strict=False):
        assert set(found) == {name for other, some in pairs if other == answer for name in some}
        assert len(found) == len(set(found))
