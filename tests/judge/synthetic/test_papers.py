"""References and tables, which no question is written about."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults import told

from graphbrick import index
from graphbrick.core.trace import Trace, record
from graphbrick.judge.rag.questions import DOCUMENT, QuestionWriting, questions_about
from graphbrick.judge.synthetic.papers import written_parts
from graphbrick.judge.synthetic.passages import passages_of, windows, windows_of
from graphbrick.models.llm.llm import LLM
from graphbrick.testing import ScriptedLLM
from graphbrick.text.documents.document import Document, Heading

REFERENCES = "[1] Smith J. A study of mice. Nature 2001.\n[2] Jones K. On rats. Cell 2003."


def kept(text: str, *headings: tuple[str, int]) -> list[str]:
    marks = tuple(Heading(text.index(title), level, title) for title, level in headings)
    return [text[start:end].strip() for start, end in written_parts(Document("a", "", text, marks))]


@pytest.mark.parametrize("title", ["References", "7. REFERENCES", "Literature cited:", "Bibliographie", "# References"])
def test_references_go_to_the_end(title: str) -> None:
    assert kept(f"Mice sleep.\n\n{title}\n{REFERENCES}") == ["Mice sleep."]


def test_references_end_at_the_next_heading_of_their_level_or_an_appendix() -> None:
    text = f"Mice sleep.\nReferences\n{REFERENCES}\nOnline\n[3] Z.\nFunding\nThe state paid."
    assert kept(text, ("References", 2), ("Online", 3), ("Funding", 2)) == ["Mice sleep.", "Funding\nThe state paid."]
    text = f"Mice sleep.\nReferences\n{REFERENCES}\nAppendix A\nMore mice."
    assert kept(text) == ["Mice sleep.", "Appendix A\nMore mice."]


def test_pages_of_a_pdf_end_no_references() -> None:
    text = f"Mice sleep.\nReferences\n{REFERENCES}\n\n[3] Third page."
    marks = (Heading(text.index("[3]"), 9, "page 3"),)
    assert written_parts(Document("a", "", text, marks)) == [(0, text.index("References"))]


@pytest.mark.parametrize(
    "table",
    [
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "gene\tdose\tn\nTP53\t3\t4",
        "gene   dose   n\n\nTP53   3   4",
        "12 4.5 p=0.1\n13 4.6 p=0.2",
    ],
)
def test_tables_with_their_captions(table: str) -> None:
    assert kept(f"Mice sleep.\n\nTable 2. Doses of mice\n{table}\n\nRats do not.") == ["Mice sleep.", "Rats do not."]
    assert kept(f"Mice sleep.\n\n{table}\nTable 2. Doses of mice\n\nRats do not.") == ["Mice sleep.", "Rats do not."]


def test_what_is_neither_stays() -> None:
    text = (
        "References to mice are rare. See Table 2.\nIn 2003 and 2004, 12 mice slept.\n"
        "The references\nare old.\n1 2 3\nOne row is no table."
    )
    assert kept(text) == [text]
    assert written_parts(Document("a", "", "a\tb\tc\nd\te\tf")) == []


def test_no_window_goes_over_a_table() -> None:
    table = "a | b | c\n1 | 2 | 3"
    text = f"Mice sleep long. Mice eat.\n\n{table}\n\nRats do not sleep. Rats eat.\n\nReferences\n{REFERENCES}"
    made = list(windows(Document("a", "", text)))
    assert [one.text for one in made] == ["Mice sleep long. Mice eat.", "Rats do not sleep. Rats eat."]
    assert all(text[one.place[0] : one.place[1]] == one.text for one in made)
    row = "a\tb\tc\nd\te\tf"
    assert [one.text for one in windows(Document("a", "", row))] == [row]


def test_passages_of_a_graph_and_questions_about_one_document(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    body = "# Mice\n\n" + "Mice of Nairobi sleep long in winter. " * 40
    (folder / "a.md").write_text(f"{body}\n\n# References\n\n" + "Smith J. wrote Nature in Kisumu. " * 60)
    graph = index([folder], tmp_path / "a.graph").graph
    everything = [graph.passage(i).text for i in range(graph.n_passages)]
    assert any("Smith" in text for text in everything)
    assert not any("Smith" in one.text for one in passages_of(graph, graph))
    with ScriptedLLM(lambda request: '{"question": "Where do mice sleep?"}') as server:
        llm = LLM("model", base_url=server.base_url)
        made = questions_about(graph, QuestionWriting(llm, overall=0, single=len(everything)))
        assert not any("Smith" in request.prompt for request in server.requests)
    assert [one.facts["kind"] for one in made] == [DOCUMENT]


def test_what_is_left_out_of_documents_is_counted(tmp_path: Path) -> None:
    (tmp_path / "paper.md").write_text(
        "# Lakes\n\nLake Victoria is large. It borders Kenya.\n\n# References\n\nSmith, Lakes, 1999. Jones, 2001.\n"
    )
    (tmp_path / "note.md").write_text("# Rivers\n\nThe Nile is long. It begins at Lake Victoria.\n")
    trace = Trace()
    with record(trace, "data", "data"):
        made = windows_of([tmp_path])
    assert not any("Smith" in passage.text for passage in made)
    ((code, values),) = told(trace.events)
    assert (code, values["documents"]) == ("passages.left_out", 1)
    assert values["characters"] >= len("# References\n\nSmith, Lakes, 1999. Jones, 2001.")
