"""Provenance of a study: the facts at the top and at the end of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from graphbrick.questions.question import natural_order
from graphbrick.study.report.browser import Listing
from graphbrick.study.report.figures import PipelineFigures
from graphbrick.study.report.markup import macro
from graphbrick.study.report.page import Figure, Section
from graphbrick.study.report.tables import Column, Table, name_cell, number_cell
from graphbrick.study.store.identity import changed_files
from graphbrick.study.store.reader import Study
from graphbrick.study.store.records import EvaluationSession, QuestionFile, StudyQuestion, StudyRun


def cards(study: Study, listing: Listing, figures: Sequence[PipelineFigures]) -> list[tuple[str, str]]:
    """Return the facts above a report, each as a large text and a small one below."""
    questions = listing.questions
    datasets = sorted({question.dataset for question in questions if question.dataset})
    answerable = sum(question.answerable for question in questions)
    share = f"{100 * answerable / len(questions):.0f} % answerable in the graph" if questions else "none asked yet"
    graphs = sorted({one.run.graph_path.rstrip("/").rpartition("/")[2] for one in figures})
    answers = sum(one.results for one in figures)
    cards = [
        (", ".join(graphs) or "–", "graph" if len(graphs) < 2 else "graphs"),
        (f"{len(questions):,}", f"question{'s' * (len(questions) != 1)}, {share}"),
        (f"{len(figures):,}", f"pipeline{'s' * (len(figures) != 1)}"),
        (f"{answers:,}", f"result{'s' * (answers != 1)}"),
    ]
    if datasets:
        cards.insert(1, (", ".join(datasets[:3]) + (f" and {len(datasets) - 3} more" if len(datasets) > 3 else ""),
                         "data set" if len(datasets) == 1 else "data sets"))  # fmt: skip
    sessions = study.sessions()
    if sessions:
        last = sessions[-1]
        days = sorted({session.started[:10] for session in sessions})
        machine = (("cores", "{} cores"), ("memory", "{}"))
        size = [text.format(_plain(key, last.machine[key])) for key, text in machine if last.machine.get(key)]
        cards.append((", ".join(size) or "–", str(last.machine.get("cpu") or "machine")))
        by = f"evaluated, with graphbrick {last.versions.get('graphbrick', '')}".rstrip()
        cards.append((days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}", by))
    return cards


def warnings(study: Study, figures: Sequence[PipelineFigures]) -> list[str]:
    """Return warnings to read before comparing pipelines."""
    texts = []
    unfinished = [one for one in figures if one.run.done < one.run.questions]
    if unfinished:
        texts.append(
            f"{len(unfinished)} of {len(figures)} pipelines are not done with all their questions; their figures are "
            "over those that are done, and the easier ones may have come first."
        )
    changes = changed_files([one.run for one in sorted(figures, key=lambda one: one.run.id)])
    for one in figures:
        if one.run.id in changes:
            before, files = changes[one.run.id]
            texts.append(f"{one.name} is another run than {before}, because a file changed: {', '.join(files)}")
    hashes = {one.run.graph_hash for one in figures}
    if len(hashes) > 1:
        texts.append(f"The pipelines ran on {len(hashes)} graphs; only those on the same graph are compared.")
    machines = {str(sorted(session.machine.items())) for session in study.sessions()}
    if len(machines) > 1:
        texts.append(f"The study was run on {len(machines)} machines; times cannot be compared between them.")
    failed = sum(one.errors for one in figures)
    if failed:
        texts.append(f"{failed:,} result{'s' * (failed > 1)} ended in an error; such a question counts 0.")
    return texts


def dataset_counts(questions: Sequence[StudyQuestion]) -> list[dict[str, Any]]:
    """Return the counts of each data set: questions, answerable ones, gold answers and seeds on average, hops."""
    groups: dict[str, list[StudyQuestion]] = {}
    for question in questions:
        groups.setdefault(question.dataset, []).append(question)
    return [
        {
            "dataset": name,
            "questions": len(groups[name]),
            "answerable": sum(question.answerable for question in groups[name]),
            "gold_answers": fmean(len(question.gold) for question in groups[name]),
            "seeds": fmean(len(question.seeds) + len(question.missing_seeds) for question in groups[name]),
            "hops": {
                hops: sum(question.group("hop_group") == hops for question in groups[name])
                for hops in ("1", "2", "multi", "")
            },
        }
        for name in sorted(groups, key=natural_order)
    ]


def datasets_table(questions: Sequence[StudyQuestion]) -> Table:
    """Return a row of counts for each data set."""
    columns = [
        Column("data set", text=True), Column("questions"),
        Column("answerable", note="questions of which the graph has an answer"),
        Column("gold answers", note="a question, on average"), Column("seeds", note="a question, on average"),
        Column("1", "hops"), Column("2", "hops"), Column("3 and more", "hops"), Column("unknown", "hops"),
    ]  # fmt: skip
    rows = []
    for counts in dataset_counts(questions):
        numbers = (counts["questions"], counts["answerable"])
        means = (counts["gold_answers"], counts["seeds"])
        cells = [name_cell(counts["dataset"] or "unknown"), *(number_cell(number) for number in numbers)]
        cells += [number_cell(mean, 1) for mean in means]
        rows.append(cells + [number_cell(number) for number in counts["hops"].values()])
    return Table("datasets", "Questions of each data set", columns, rows)


def setup(study: Study, figures: Sequence[PipelineFigures]) -> Section:
    """Return the section with machine, versions and options of every session, and the origin of every run."""
    question_files, sessions = {file.id: file for file in study.files()}, {s.id: s for s in study.sessions()}
    last = max(sessions, default=0)
    parts = [
        _folded(f"evaluated {_moment(session.started)}", _session_facts(session), unfolded=number == last)
        for number, session in reversed(sessions.items())
    ]
    for one in figures:
        title = macro("parts.html", "named", one.number, one.name)
        parts.append(_folded(title, _facts_of(one.run, question_files, sessions)))
    return Section("setup", "How it was run", [] if parts else ["Nothing has been run yet."], parts)


def _folded(title: str, facts: Sequence[tuple[str, str]], *, unfolded: bool = False) -> Figure:
    return Figure(macro("parts.html", "definitions", facts), title, folded=True, unfolded=unfolded)


def _session_facts(session: EvaluationSession) -> list[tuple[str, str]]:
    facts = [("begun", session.started), ("finished", session.finished or "not recorded"), ("ended", session.ended)]
    groups = (("machine", session.machine), ("options", session.options), ("versions", session.versions))
    for name, values in groups:
        facts.append((name, ", ".join(f"{key} {_plain(key, value)}" for key, value in values.items())))
    return facts


def _moment(text: str) -> str:
    """Write a time in ISO 8601 to the minute."""
    return text[:16].replace("T", " ") + " UTC"


def _plain(key: str, value: object) -> str:
    if key == "memory" and isinstance(value, int):
        return f"{value / 2**30:.0f} GiB"
    if isinstance(value, (list, tuple)):
        return " ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


def _facts_of(
    run: StudyRun, files: Mapping[int, QuestionFile], sessions: Mapping[int, EvaluationSession]
) -> list[tuple[str, str]]:
    """Return the provenance of a run as names and values."""
    own = [sessions[i] for i in run.sessions if i in sessions]
    facts = [
        ("recipe", run.recipe),
        ("graph", f"{run.graph_path} ({run.graph_hash})"),
        ("seeds", "looked for in the question" if run.linked else "given with the questions where they have any"),
        ("questions", f"{run.done:,} of {run.questions:,} done"),
    ]
    facts += [("file", f"{files[i].path}, sha256 {files[i].sha256}") for i in run.files if i in files]
    if run.identity is not None:
        facts += [("pipeline file", f"{path}, sha256 {digest}") for path, digest in run.identity.files.items()]
    facts += [("begun", run.started), ("finished", run.finished or "not yet")]
    return facts + [("sessions", ", ".join(f"{s.started} ({s.ended})" for s in own))] * bool(own)
