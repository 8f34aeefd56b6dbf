"""The rows that a judge learns from or is checked on, and the folder or file that they are kept in."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from graphbrick.core.errors import InputError
from graphbrick.core.files.folders import new_folder
from graphbrick.graphs.readers.streams import open_source, unpacked_name
from graphbrick.judge.verdicts import Case, Label

FORMAT, VERSION = "graphbrick-judge-data", 1
ROWS, SETTINGS = "rows.jsonl", "settings.json"
OWN = "own"
"""Kind of a row whose label holds: a question with its own passage or answer."""
_ARES = {
    Label.CONTEXT_RELEVANCE: "Context_Relevance_Label",
    Label.ANSWER_FAITHFULNESS: "Answer_Faithfulness_Label",
    Label.ANSWER_RELEVANCE: "Answer_Relevance_Label",
}
_ARES_TEXTS = {"question": ("synthetic_query", "Query", "Question"), "document": ("document", "Document")}
_ARES_ANSWERS = ("generated_answer", "synthetic_answer", "Answer")
_HOLDS = {"yes": 1, "1": 1, "1.0": 1, "no": 0, "0": 0, "0.0": 0}


@dataclass(frozen=True, slots=True)
class Row:
    """One case with what is known of it.

    Attributes:
        label: What is known.
        value: 1 if the label holds, else 0.
        kind: `OWN`, the kind of negative, or "labelled" for labels by people.
        case: Question, evidence and answer.
        group: Rows of one group are never split between training and a held-out part.
        source: Where the evidence is from.
    """

    label: Label
    value: int
    kind: str
    case: Case
    group: str
    source: str = ""


def write_rows(folder: Path, rows: Sequence[Row], settings: Mapping[str, Any], counts: Mapping[str, int]) -> None:
    """Write a data set: ``rows.jsonl``, and ``settings.json`` with how it was made and what it holds.

    Raises:
        InputError: The folder exists, or cannot be written.
    """
    with new_folder(folder, lambda: require_new(folder, "a data set"), InputError) as work:
        lines = (json.dumps(_to_json(row), ensure_ascii=False) + "\n" for row in rows)
        (work / ROWS).write_text("".join(lines), encoding="utf-8")
        by_kind = Counter(f"{row.label} {row.kind}" for row in rows)
        about = {"format": FORMAT, "version": VERSION, "settings": settings, "counts": dict(counts), "rows": by_kind}
        (work / SETTINGS).write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def require_new(folder: Path, what: str = "a judge") -> None:
    """Raise InputError if there is something at the place of a new judge or data set."""
    if folder.exists():
        reason = f"exists already, and {what} is never replaced; choose another place or remove it"
        raise InputError(reason, folder, code="judge_folder.exists")


def read_rows(place: Path) -> list[Row]:
    """Return the rows of a data set of ours (folder or JSON lines) or of a table of ARES (TSV).

    Files may be packed (.gz, .zst).

    Raises:
        InputError: There is no such file, or a row of it cannot be read.
    """
    file = place / ROWS if place.is_dir() else place
    if not file.exists():
        reason = "cannot be read: there is no such file; name a data set of graphbrick judge data"
        raise InputError(reason, place, code="judge_data.no_file")
    try:
        with open_source(file) as data, TextIOWrapper(data, encoding="utf-8", newline="") as lines:
            return list(_from_tsv(lines, file) if unpacked_name(file).endswith(".tsv") else _from_lines(lines, file))
    except UnicodeDecodeError as error:
        raise InputError("is not in UTF-8", file, code="judge_data.not_utf8") from error
    except csv.Error as error:
        reason = f"is not a table of ARES: {error}; is a quotation mark never closed?"
        raise InputError(reason, file, code="judge_data.bad_table") from error


def _to_json(row: Row) -> dict[str, Any]:
    case = row.case
    return {
        "label": row.label,
        "value": row.value,
        "kind": row.kind,
        "question": case.question,
        "evidence": list(case.evidence),
        "answer": case.answer,
        "group": row.group,
        "source": row.source,
    }


def _from_lines(lines: Iterable[str], file: Path) -> Iterator[Row]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            answer = "" if value.get("answer") is None else _text(value, "answer")
            case = Case(_text(value, "question"), _evidence(value["evidence"]), answer)
            row = Row(
                Label(value["label"]), _held(value["value"]), str(value.get("kind", "labelled")), case,
                str(value.get("group", case.question)), str(value.get("source", "")),
            )  # fmt: skip
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise InputError(
                f"is not a row of a data set for judges ({error}); it needs label, value, question and evidence",
                file,
                number,
                line,
                code="judge_data.bad_row",
                fault=str(error),
            ) from error
        yield row


def _text(values: Mapping[str, Any], name: str) -> str:
    """Return a field that is a text; ValueError if it is something else."""
    text = values[name]
    if not isinstance(text, str):
        raise ValueError(f"{name} must be a text, got {text!r:.40}")
    return text


def _evidence(value: object) -> tuple[str, ...]:
    """Return evidence, a list of texts or one text; ValueError if it is something else."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"evidence must be a list of texts, or a text, got {value!r:.40}")
    return tuple(texts)


def _held(value: object) -> int:
    """Return a label of 0, 1, true or false; ValueError if it is something else."""
    if not isinstance(value, bool | int | float) or value not in (0, 1):
        raise ValueError(f"value must be 0, 1, true or false, got {value!r:.40}")
    return int(value)


def _from_tsv(lines: Iterable[str], file: Path) -> Iterator[Row]:
    """Yield the rows of a table as ARES writes them; labels that are empty are left out."""
    limit = csv.field_size_limit(10_000_000)
    try:
        table = csv.DictReader(lines, delimiter="\t")
        names = set(table.fieldnames or ())
        labels = {label: name for label, name in _ARES.items() if name in names}
        columns = {what: next((one for one in known if one in names), None) for what, known in _ARES_TEXTS.items()}
        missing = [what for what, name in columns.items() if name is None]
        if missing or not labels:
            raise InputError(
                f"is not a table of ARES: it lacks a column of {missing or 'labels'}; it has "
                f"{', '.join(sorted(names))}",
                file,
                code="judge_data.missing_columns",
                columns=missing or ["labels"],
            )
        answer = next((one for one in _ARES_ANSWERS if one in names), "")
        for number, row in enumerate(table, 2):
            texts = {what: (row[name or ""] or "").strip() for what, name in columns.items()}
            case = Case(texts["question"], (texts["document"],), (row.get(answer) or "").strip())
            for label, name in labels.items():
                value = (row[name] or "").strip().lower()
                if value and value not in _HOLDS:
                    reason = f"{name} must be Yes, No, 1 or 0, got {value!r}"
                    raise InputError(reason, file, number, code="judge_data.bad_label", value=value)
                if value:
                    yield Row(label, _HOLDS[value], "labelled", case, case.question, file.name)
    finally:
        csv.field_size_limit(limit)
