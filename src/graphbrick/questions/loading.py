"""Loader of question files in any known form."""

from __future__ import annotations

import difflib
import re
import warnings
from collections.abc import Callable, Iterator
from itertools import chain
from os import PathLike
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.core.trace import NOTE, Event, Trace, in_stage, tell_again
from graphbrick.core.trace import record as recorded
from graphbrick.graphs.readers.streams import unpacked_name
from graphbrick.questions.formats import (
    cwq,
    grailqa,
    linked_data,
    metaqa,
    passages,
    plain,
    ragevaluator,
    rog,
    simplequestions,
    tog,
    webqsp,
    webquestions,
)
from graphbrick.questions.formats.files import read_json, read_lines, read_parquet, read_table
from graphbrick.questions.formats.record import Record
from graphbrick.questions.question import Question

_READERS: dict[str, Callable[[Iterator[Record], str], Iterator[Question]]] = {
    "plain": plain.read,
    "metaqa": plain.read,  # only its text files are read differently, see `_questions`
    "webqsp": webqsp.read,
    "cwq": cwq.read,
    "grailqa": grailqa.read,
    "webquestions": webquestions.read,
    "hetionet": plain.read,
    "rog": rog.read,
    "tog": tog.read,
    "hotpotqa": passages.read_hotpotqa,
    "musique": passages.read_musique,
    "qald": linked_data.read_qald,
    "lcquad": linked_data.read_lcquad,
    "ragevaluator": ragevaluator.read,
    "simplequestions": plain.read,  # only its text files are read differently
}

FORMS = ("auto", *_READERS)
"""Forms of question files; "auto" detects the form."""


class QuestionsWarning(UserWarning):
    """What a reader of questions should know of a file, such as that its questions have no gold answers."""


_TABLES = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_JSON = (".jsonl", ".ndjson", ".json")
_SUFFIXES = (*_JSON, *_TABLES, ".parquet", ".txt")


def load(path: str | PathLike[str], form: str = "auto") -> tuple[Question, ...]:
    """Return all questions of a file, in file order.

    Supported are JSON lines, a JSON document, delimited text (``.csv``, ``.tsv``), Parquet, and the text files of
    MetaQA and SimpleQuestions. All but Parquet may be compressed with gzip or Zstandard.

    Args:
        path: The file.
        form: "plain" for your own questions (see `graphbrick.questions.formats.plain`); "metaqa", "webqsp", "cwq",
            "grailqa", "webquestions", "qald", "lcquad" and "simplequestions" for the original files; "rog" for WebQSP
            and CWQ as prepared for RoG; "tog" for the files of Think-on-Graph (its ``cwq.json`` is also read as "cwq");
            "ragevaluator" for questions about documents with an answer or a document;
            "hotpotqa" and "musique" for questions over passages; "hetionet" for plain questions with Hetionet keys;
            "auto" detects the form.

    Returns:
        At least one question; ids are distinct. If the file does not name a data set, the data set is the form, or the
        file name for plain questions and those of Think-on-Graph.

    Raises:
        InputError: The file is missing, empty, damaged or not UTF-8, is a folder, or has an unknown form; a record
            cannot be read or repeats an id (the error gives the line).

    Warns:
        QuestionsWarning: Some questions lack what they need to be scored. In a stage it is an event of that stage.

    Example:
        >>> import tempfile
        >>> file = Path(tempfile.mkdtemp()) / "mine.jsonl"
        >>> _ = file.write_text('{"question": "Which currency?", "seeds": ["Kenya"], "answers": ["Kenyan shilling"]}')
        >>> load(file)[0].answers
        ('Kenyan shilling',)
    """
    file, place = Path(path), [0]
    if form not in FORMS:
        near = difflib.get_close_matches(form, FORMS, n=1) or ["auto"]
        raise InputError(
            f"there is no form {form!r}; there is {', '.join(FORMS)}; try {near[0]!r}",
            file,
            code="questions.no_form",
            form=form,
            example=near[0],
        )
    by_id, trace = dict[str, Question](), Trace()
    with recorded(trace, f"load {file.name}", "questions"):
        _read(file, form, place, by_id)
    if not by_id:
        raise InputError("the file holds no questions", file, code="questions.none")
    tell_again(trace)  # outside a stage it is logged
    if not in_stage():
        for one in trace.events:
            if isinstance(one, Event) and one.told_as == NOTE:
                warnings.warn(str(one), QuestionsWarning, stacklevel=2)
    return tuple(by_id.values())


def _read(file: Path, form: str, place: list[int], by_id: dict[str, Question]) -> None:
    """Read the questions of a file by their ids; ``place[0]`` is the line of the last one."""
    lines: dict[str, int] = {}
    for question in _questions(file, _suffix(file), form, place):
        if question.id in by_id:
            first = f" in line {lines[question.id]:,}"
            raise InputError(
                f"there is a question with the id {question.id!r}{first}; give each its own",
                file,
                place[0],
                code="questions.same_id",
                question=question.id,
            )
        by_id[question.id], lines[question.id] = question, place[0]


def _suffix(file: Path) -> str:
    """Return the suffix that determines the file format."""
    if file.is_dir():
        names = sorted(entry.name for entry in file.iterdir() if Path(unpacked_name(entry)).suffix in _SUFFIXES)
        held = f"; it holds {', '.join(names[:5])}" if names else ""
        raise InputError(f"this is a folder; give the file with the questions{held}", file, code="questions.is_folder")
    if not file.exists():
        raise InputError("there is no such file", file, code="questions.not_there")
    suffix = Path(unpacked_name(file)).suffix
    if suffix not in _SUFFIXES:
        ending = f"the suffix {suffix!r}" if suffix else "no suffix"
        raise InputError(
            f"questions in a file with {ending} cannot be read; there is {' '.join(_SUFFIXES)}, also with .gz or .zst",
            file,
            code="questions.other_ending",
        )
    if suffix == ".parquet" and unpacked_name(file) != file.name.lower():
        raise InputError("Parquet is compressed inside; unpack it first", file, code="questions.packed_parquet")
    return suffix


def _questions(file: Path, suffix: str, form: str, place: list[int]) -> Iterator[Question]:
    """Yield the questions of a file; ``place[0]`` is the line of the last one yielded."""
    if suffix in (".txt", ".tsv", ".tab") and _is_simple(file, suffix, form):
        return _noting_number(simplequestions.read(file, "simplequestions"), place)
    if suffix == ".txt":
        if form not in ("auto", "metaqa"):
            raise InputError(
                f"a .txt file holds questions of MetaQA or SimpleQuestions, not of the form {form!r}",
                file,
                code="questions.other_form",
                form=form,
            )
        return metaqa.read(file, "metaqa")
    records = read_json(file) if suffix in _JSON else read_parquet(file) if suffix == ".parquet" else None
    if records is None:
        records = read_table(file, _TABLES[suffix])
    if form == "auto":
        first = next(records, None)
        if first is None:
            return iter(())
        form, records = _form_of(first, suffix), chain([first], records)
    dataset = re.split(r"\.", file.name)[0] if form in ("plain", "tog") else form
    return _READERS[form](_noting_line(records, place), dataset)


def _is_simple(file: Path, suffix: str, form: str) -> bool:
    """Return whether a text file is read as SimpleQuestions; tables with column names are not."""
    line = next(read_lines(file), (0, ""))[1]
    if form == "simplequestions" and suffix == ".txt":
        return True
    return form in ("auto", "simplequestions") and simplequestions.is_line(line)


def _noting_line(records: Iterator[Record], place: list[int]) -> Iterator[Record]:
    for record in records:
        place[0] = record.line
        yield record


def _noting_number(questions: Iterator[Question], place: list[int]) -> Iterator[Question]:
    for question in questions:
        place[0] = int(question.id)
        yield question


def _form_of(first: Record, suffix: str) -> str:
    """Return the form whose fields the first record of a file has; ``suffix`` is that of the file."""
    has = first.values.keys()
    if "Parses" in has:
        return "webqsp"
    if "targetValue" in has:
        return "webquestions"
    if "ID" in has and has & {"sparql", "compositionality_type"}:
        return "cwq"
    if "qid" in has and (has & {"graph_query", "s_expression"} or has == {"qid", "question"}):
        return "grailqa"
    if {"question", "paragraphs"} <= has:
        return "musique"
    if {"_id", "question", "context"} <= has:
        return "hotpotqa"
    if isinstance(first.values.get("question"), list):
        return "qald"
    if has & {"sparql_query", "sparql_wikidata", "NNQT_question"}:
        return "lcquad"
    if "q_entity" in has:
        return "rog"
    if suffix == ".json" and has in ({"question", "answer"}, {"question", "doc"}):
        return "ragevaluator"
    if isinstance(first.values.get("topic_entity"), dict) and has & {"answer", "answers"}:
        return "tog"
    if "question" in has or difflib.get_close_matches("question", has, cutoff=0.8):
        return "plain"
    raise first.fault(
        f"these are not fields of a known form: {', '.join(map(repr, has)) or 'none'}; plain questions have question, "
        "seeds and answers",
        code="questions.unknown_fields",
        fields=tuple(has),
    )
