"""Labels by people: a CSV file of cases with an empty column a label, and what comes back in it."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.core.files.replacing import replacing
from graphbrick.judge.cases import StudyCase, digest_of, numbers_of
from graphbrick.judge.verdicts import Label
from graphbrick.study.store.encoding import plain

TEXTS = ("question", "evidence", "answer")
_FIXED = ("id", "system", "group", *TEXTS, "gold")
_YES, _NO = ("1", "yes", "y", "true", "1.0"), ("0", "no", "n", "false", "0.0")
SKIP = "skip"
_LONGEST_CELL = 1 << 30
# A spreadsheet runs a cell that begins with one of these as a formula; an apostrophe before it keeps it a text.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")

Key = tuple[int, int]
"""Run and question of a case."""


@dataclass(frozen=True)
class Labels:
    """The labels of a study's cases.

    Attributes:
        values: For each label 0 or 1 by run and question.
        source: Where they come from, as text.
        skipped: Number of cells with "skip".
        blank: Number of empty cells.
        notes: What a reader should know.
    """

    values: dict[Label, dict[Key, float]]
    source: str
    skipped: int = 0
    blank: int = 0
    notes: tuple[str, ...] = ()


@dataclass
class LabelFile:
    """A file of labels as it is.

    Attributes:
        path: The file.
        columns: Names of the columns.
        rows: The cells of each row by column.
        lines: The line of the file on which each row begins.
        labels: The columns that are labels.
    """

    path: Path
    columns: list[str]
    rows: list[dict[str, str]]
    lines: list[int] = field(default_factory=list)

    @property
    def labels(self) -> list[Label]:
        """The labels that have a column, in the order of the columns."""
        return [Label(column) for column in self.columns if column in set(Label)]

    def save(self) -> None:
        """Write the file; an existing one is replaced only by a complete one.

        Raises:
            OSError: It cannot be written.
        """
        with replacing(self.path) as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(self.columns)
            writer.writerows([[_protected(row[column]) for column in self.columns] for row in self.rows])


def write_cases(cases: Sequence[StudyCase], labels: Sequence[Label], path: Path, *, overwrite: bool = False) -> None:
    """Write cases to label: id, system, group, question, evidence, answers, empty labels.

    Gold answers are there only if correctness is to be labelled.

    Args:
        cases: The cases, in the order of the rows.
        labels: The labels.
        path: The file.
        overwrite: Replace a file that is there, with its labels.

    Raises:
        InputError: There is such a file, or no label.
        OSError: It cannot be written.
    """
    if path.exists() and not overwrite:
        raise InputError(
            "the file is there, and may have labels; name another one, or replace it with --overwrite",
            path,
            code="label_file.exists",
        )
    if not labels:
        raise InputError(
            f"there is nothing to label by; name one of {', '.join(Label)}", code="label_file.no_label_named"
        )
    gold = ("gold",) * (Label.CORRECTNESS in labels)
    columns = [*_FIXED[:-1], *gold, *labels]
    rows = []
    for case in cases:
        texts = (case.text, case.evidence_text, case.answer_text, "\n".join(case.gold))
        cells = [case.id, *map(plain, (case.system, case.group, *texts))]
        rows.append(dict.fromkeys(columns, "") | dict(zip(_FIXED, cells, strict=True)))
    LabelFile(path, columns, rows).save()


def open_labels(path: Path) -> LabelFile:
    """Read a file of labels; the comma, the semicolon and the tabulator may separate cells.

    Raises:
        InputError: It is not a CSV file with the column ``id`` and a label, or two columns have one name.
    """
    rows, lines = list[dict[str, str]](), list[int]()
    columns: list[str] = []
    for line, cells in _cells(path):
        if not columns:
            columns = [cell.strip().lower() for cell in cells]
            _check_columns(columns, path)
        elif any(map(str.strip, cells)):
            if len(cells) > len(columns):
                reason = f"the row has {len(cells)} cells, and the header {len(columns)}"
                raise InputError(reason, path, line, code="label_file.too_many_cells", cells=len(cells))
            padded = [*cells, *[""] * (len(columns) - len(cells))]
            rows.append(dict(zip(columns, map(_unprotected, padded), strict=True)))
            lines.append(line)
    if not columns:
        raise InputError("the file is empty; graphbrick judge sample writes one", path, code="label_file.empty")
    return LabelFile(path, columns, rows, lines)


def read_labels(path: Path, cases: Sequence[StudyCase]) -> Labels:
    """Return the labels of a file for the cases of a study.

    0, no, n, false and 1, yes, y, true are labels, in any case; an empty cell is not labelled, nor is ``skip``. Answers
    that the study has anew since they were drawn are left out, with a note.

    Raises:
        InputError: A row has no id of this study, is there twice, has a text that was edited, or a cell that is no
            label; the error names the line.
    """
    file, known = open_labels(path), {(case.run, case.question): case for case in cases}
    values: dict[Label, dict[Key, float]] = {label: {} for label in file.labels}
    seen: dict[Key, int] = {}
    skipped = blank = changed = 0
    for row, line in zip(file.rows, file.lines, strict=True):
        key, fresh = _key(row, known, path, line)
        if key in seen:
            raise InputError(
                f"the case {row['id']} is labelled on line {seen[key]} too; leave one of them out",
                path,
                line,
                code="label_file.labelled_twice",
                first=seen[key],
            )
        seen[key] = line
        read = {label: label_of(row[label], path, line, label) for label in file.labels}
        if not fresh:
            changed += any(isinstance(value, float) for value in read.values())
            continue
        for label, value in read.items():
            if isinstance(value, float):
                values[label][key] = value
            skipped += value == SKIP
            blank += value == ""
    notes = []
    if changed:
        notes.append(f"{changed} labelled answers have changed since they were drawn; their labels are left out")
    return Labels(values, str(path), skipped, blank, tuple(notes))


def labels_by_rule(cases: Sequence[StudyCase], labels: Sequence[Label]) -> Labels:
    """Return the labels that follow from gold answers, for a study without labels by people.

    Raises:
        InputError: The rule knows none of the labels, or there are no gold answers.
    """
    values: dict[Label, dict[Key, float]] = {}
    for label in labels:
        ruled = {(case.run, case.question): case.by_rule(label) for case in cases}
        known = {key: float(value) for key, value in ruled.items() if value is not None}
        if known:
            values[label] = known
    if not values:
        raise InputError(
            f"no label follows from gold answers; the rule knows {Label.CORRECTNESS} and {Label.CONTEXT_RELEVANCE} of "
            "questions with gold answers",
            code="label_file.no_rule",
        )
    note = (
        "the labels are no judgements of people: they follow from the gold answers (correctness is equality of the "
        "first answer, context relevance is that the evidence names a gold answer)"
    )
    return Labels(values, "gold answers", notes=(note,))


def label_of(cell: str, path: Path, line: int, label: str) -> float | str:
    """Return 0.0 or 1.0; "skip" or an empty text for a case that is not labelled.

    Raises:
        InputError: The cell is something else.
    """
    word = cell.strip().lower()
    if word in _YES or word in _NO:
        return float(word in _YES)
    if word in ("", SKIP):
        return word
    raise InputError(
        f"{label} is {cell!r:.40}; write 1 or 0 (or yes or no), skip, or nothing",
        path,
        line,
        code="label_file.bad_label",
        label=label,
        cell=cell,
    )


def _key(row: dict[str, str], known: dict[Key, StudyCase], path: Path, line: int) -> tuple[Key, bool]:
    """Return run and question of a row, and whether the study still has this answer."""
    numbers = numbers_of(row["id"].strip())
    case = None if numbers is None else known.get(numbers[:2])
    if numbers is None or case is None:
        raise InputError(
            f"{row['id']!r:.40} is not the id of an answer of this study; label what graphbrick judge sample drew from "
            "it",
            path,
            line,
            code="label_file.unknown_id",
            id=row["id"],
        )
    if all(text in row for text in TEXTS) and digest_of(*(row[text] for text in TEXTS)) != numbers[2]:
        raise InputError(
            f"the question, evidence or answer of {row['id']} was edited, so the label may be of another text; "
            "take the texts of the sample",
            path,
            line,
            code="label_file.edited_text",
            id=row["id"],
        )
    return numbers[:2], case.id == row["id"].strip()


def _check_columns(columns: Sequence[str], path: Path) -> None:
    twice = next((column for column in columns if columns.count(column) > 1), None)
    if twice is not None:
        raise InputError(
            f"two columns are called {twice!r}; rename one", path, 1, code="label_file.same_columns", column=twice
        )
    if "id" not in columns or not any(column in set(Label) for column in columns):
        raise InputError(
            f"a file of labels has the column id and one or more of {', '.join(Label)}, got "
            f"{', '.join(columns) or 'no column'}; graphbrick judge sample writes one",
            path,
            1,
            code="label_file.bad_columns",
            columns=columns,
        )


def _cells(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield each row of a table with the line on which it begins."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as text:
            first = text.readline()
            text.seek(0)
            before = csv.field_size_limit(_LONGEST_CELL)
            try:
                reader = csv.reader(text, delimiter=max(",;\t", key=first.count), strict=True)
                line = 1
                for cells in reader:
                    yield line, cells
                    line = reader.line_num + 1
            finally:
                csv.field_size_limit(before)
    except OSError as error:
        raise InputError(f"it cannot be read: {error.strerror or error}", path, code="label_file.unreadable") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"this is not a CSV file in UTF-8: {error}", path, code="label_file.not_csv") from error


def _protected(cell: str) -> str:
    # A reader takes a carriage return for the end of a row, and the writer does not quote a cell for it.
    cell = cell.replace("\r\n", "\n").replace("\r", "\n")
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _unprotected(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell
