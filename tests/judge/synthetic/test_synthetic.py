"""Data for judges: questions are kept if their passage is found again, and no negative answers its question."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from faults import fails

from graphbrick import LLM
from graphbrick.core.errors import InputError, ModelError
from graphbrick.core.graph import PassageText
from graphbrick.judge.synthetic.facts import facts_of
from graphbrick.judge.synthetic.making import NO_ANSWER, REFUSALS, Selection, make_data, write_data
from graphbrick.judge.synthetic.negatives import ANSWER_REMOVED, KINDS, RETRIEVED, SAME_ENTITIES, Negatives
from graphbrick.judge.synthetic.passages import CHAIN, FACT, FAN_OUT, Passage, names_in, passages_of, windows
from graphbrick.judge.synthetic.questions import Pair, QuestionWriter, pairs_by_rule, read_pairs
from graphbrick.judge.synthetic.rows import OWN, Row, read_rows
from graphbrick.judge.synthetic.written import written_about
from graphbrick.judge.verdicts import Label
from graphbrick.judge.words import content_words, says
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.testing import Reply, ScriptedLLM, tiny_graph
from graphbrick.text.documents.document import Document

LAKES = [
    f"The lake {name} lies in {land}. It is {deep} metres deep. People call it {nick}."
    for name, land, deep, nick in [
        ("Victoria", "Uganda", 84, "the Nyanza"),
        ("Turkana", "Kenya", 109, "the Jade Sea"),
        ("Malawi", "Malawi", 706, "the Calendar Lake"),
        ("Kivu", "Rwanda", 475, "the Sleeping Lake"),
        ("Chad", "Chad", 11, "the Shrinking Lake"),
    ]
]
PAIRS = [
    ("How deep is the lake Victoria in Uganda?", "84 metres"),
    ("What is the lake Turkana called?", "the Jade Sea"),
]


@dataclass(frozen=True, repr=False)
class CountWords(Embedder):
    """Texts with the same words are similar; no model is needed."""

    @property
    def identity(self) -> str:
        return "words"

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        rows = np.full((len(texts), 1024), 1e-3, dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in content_words(text):
                row[int(hashlib.sha256(word.encode()).hexdigest(), 16) % 1024] += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def passages(texts: Sequence[str] = LAKES) -> list[Passage]:
    return [Passage(text, f"lake {i}", entities=names_in(text)) for i, text in enumerate(texts)]


def pairs() -> list[Pair]:
    return [Pair(question, answer, i) for i, (question, answer) in enumerate(PAIRS)]


def test_windows_cover_the_document_and_overlap_by_two_sentences() -> None:
    text = " ".join(f"Sentence {i} stands here." for i in range(17))
    made = list(windows(Document("a.txt", "", text)))
    numbers = [[int(part.split()[1]) for part in one.text.split(". ")] for one in made]
    assert numbers == [list(range(7)), list(range(5, 12)), list(range(10, 17))]
    assert made[0].overlaps(made[1])
    assert not made[0].overlaps(made[2])
    assert all(text[one.place[0] : one.place[1]] == one.text for one in made)


def test_facts_are_single_ones_fans_and_chains_written_as_evidence() -> None:
    graph = tiny_graph()
    made = facts_of(graph, 30, seed=3)
    assert made == facts_of(graph, 30, seed=3)
    assert {one.kind for one in made} == {FACT, FAN_OUT, CHAIN}
    known = {graph.triple_text(int(triple)) for triple in graph.triple_ids()}
    assert {one.text for one in made if one.kind == FACT} <= known
    assert all(len(one.text.splitlines()) > 1 for one in made if one.kind == FAN_OUT)
    assert all("\n" not in one.text and len(one.entities) in (3, 4) for one in made if one.kind == CHAIN)


def test_questions_about_facts_need_no_model_and_have_all_answers_in_their_passage() -> None:
    made, asked = written_about(tiny_graph(), 20, seed=1)
    assert len(asked) > 5
    assert len({pair.passage for pair in asked}) == len(asked) < len(made)
    for pair in asked:
        assert all(answer in made[pair.passage].text for answer in pair.answer.split(", "))


def test_a_question_by_rule_replaces_a_name_that_is_its_answer() -> None:
    for pair in pairs_by_rule(passages(), 2, seed=5):
        text = LAKES[pair.passage]
        assert pair.answer in text
        assert pair.question.endswith("?")
        assert "what" in pair.question.lower()


def test_a_question_by_rule_is_a_clause_however_long_its_sentence_is() -> None:
    foods = " - ".join(f"food number {i} in a box" for i in range(40))
    text = f"To stay healthy on the road, people travelling to Kenya should avoid raw fish, such as - {foods}."
    (pair,) = pairs_by_rule([Passage(text, "a")], 1)
    assert pair.answer == "Kenya"
    assert pair.question == "People travelling to what should avoid raw fish?"


def test_a_question_by_rule_asks_for_a_year_but_for_no_part_of_a_number() -> None:
    numbers = "the city of the south has 19500 inhabitants, 120000 trees and 3.1415 fields in every part."
    assert list(pairs_by_rule([Passage(numbers, "a")], 5)) == []
    (pair,) = pairs_by_rule([Passage("the old bridge of the city was built in 1963, people say.", "a")], 5)
    assert (pair.question, pair.answer) == ("The old bridge of the city was built in when?", "1963")


def test_no_negative_has_the_answer_and_each_kind_is_what_it_is_called() -> None:
    known = [
        *passages(),
        Passage("Uganda has the lake Victoria and many rivers.", "rivers", entities=names_in("of Uganda")),
    ]
    vectors = CountWords().encode([one.text for one in known])
    finder = Negatives(known, vectors, seed=2)
    for pair in pairs():
        query = CountWords().encode([pair.question])[0]
        found = {kind: finder.of(pair, query, kind) for kind in KINDS}
        assert not any(says(one.text, pair.answer) for one in found.values() if one)
        assert found[ANSWER_REMOVED] is not None
        without = LAKES[0].replace("It is 84 metres deep. ", ""), LAKES[1].replace(" People call it the Jade Sea.", "")
        assert found[ANSWER_REMOVED].text in without
        assert found[RETRIEVED] is not None
        order = np.argsort(-(vectors @ query)).tolist()
        assert order.index(known.index(found[RETRIEVED])) >= 1
    uganda = finder.of(pairs()[0], vectors[0], SAME_ENTITIES)
    assert uganda is not None
    assert uganda.source == "rivers"


def test_questions_whose_passage_is_not_found_first_are_dropped_and_counted() -> None:
    vague = Pair("What is deep?", "84 metres", 0)
    wrong = Pair("How deep is the lake Kivu in Rwanda?", "84 metres", 0)
    made = make_data(passages(), [*pairs(), wrong], CountWords())
    assert made.counts["questions"] == 3
    assert made.counts["kept"] == 2
    assert made.counts["dropped: found, but not first"] == 1
    assert not any(row.case.question == wrong.question for row in made.rows)
    with fails("judge_data.no_question_left", InputError):
        make_data(passages(), [wrong], CountWords())
    assert make_data(passages(), [vague], CountWords(), Selection(found_again=False)).counts["kept"] == 1


def test_rows_of_every_label_are_positive_only_for_own_passages_and_answers() -> None:
    made = make_data(passages(), pairs(), CountWords(), Selection(seed=4))
    assert {row.label for row in made.rows} == set(Label) - {Label.CORRECTNESS}
    assert all((row.kind == OWN) == (row.value == 1) for row in made.rows)
    assert all(not row.case.answer for row in made.rows if row.label is Label.CONTEXT_RELEVANCE)
    assert all(not row.case.evidence for row in made.rows if row.label is Label.ANSWER_RELEVANCE)
    assert len({row.group for row in made.rows}) == 2
    refusals = [row for row in made.rows if row.kind == NO_ANSWER]
    assert {row.label for row in refusals} == {Label.ANSWER_RELEVANCE}
    assert {row.case.answer for row in refusals} <= set(REFUSALS)


def test_a_data_set_is_the_same_by_seed_and_is_never_replaced(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_data(tmp_path / name, passages(), pairs(), CountWords(), Selection(seed=7), about={"sources": ["a"]})
    assert (tmp_path / "one/rows.jsonl").read_bytes() == (tmp_path / "two/rows.jsonl").read_bytes()
    assert read_rows(tmp_path / "one") == list(make_data(passages(), pairs(), CountWords(), Selection(seed=7)).rows)
    settings = json.loads((tmp_path / "one/settings.json").read_text())
    assert settings["settings"]["seed"] == 7
    assert settings["counts"]["kept"] == 2
    with fails("judge_folder.exists", InputError, file=tmp_path / "one"):
        write_data(tmp_path / "one", passages(), pairs(), CountWords(), about={})


def test_after_a_kill_no_passage_is_asked_about_twice(tmp_path: Path) -> None:
    prompts: list[str] = []

    def reply(request: object) -> str | Reply:
        prompt = json.dumps(request, default=str)
        prompts.append(next(text for text in LAKES if text[:20] in prompt))
        if len(prompts) == 3:
            return Reply(status=500)
        i = LAKES.index(prompts[-1])
        question, answer = PAIRS[i] if i < 2 else ("Where is it?", "far away")
        return json.dumps({"pairs": [{"question": question, "answer": answer}]})

    with ScriptedLLM(reply) as server:
        writer = QuestionWriter(LLM(base_url=server.base_url, retries=0, timeout=60.0, parallel=1))
        with pytest.raises(ModelError):
            write_data(tmp_path / "a", passages(), writer, CountWords(), about={})
        assert not (tmp_path / "a").exists()
        write_data(tmp_path / "a", passages(), writer, CountWords(), about={})
    assert sorted(prompts[:2] + prompts[3:]) == sorted(LAKES)
    assert len(read_rows(tmp_path / "a")) > 4
    assert not list(tmp_path.glob(".a*"))


def test_replies_that_cannot_be_read_are_no_questions() -> None:
    assert read_pairs("I cannot.") == ()
    assert read_pairs('{"pairs": [{"question": "", "answer": "x"}, {"question": "Who?", "answer": "He"}]}') == (
        ("Who?", "He"),
    )


def test_tables_of_ares_are_read(tmp_path: Path) -> None:
    file = tmp_path / "ares.tsv"
    file.write_text(
        "document\tsynthetic_query\tContext_Relevance_Label\tAnswer_Relevance_Label\n"
        "Kenya has lakes.\tWhat has lakes?\tYes\t\nIt rained.\tWhat has lakes?\tNo\tNo\n"
    )
    rows = read_rows(file)
    assert [(row.label, row.value) for row in rows] == [
        (Label.CONTEXT_RELEVANCE, 1),
        (Label.CONTEXT_RELEVANCE, 0),
        (Label.ANSWER_RELEVANCE, 0),
    ]
    assert rows[0].group == rows[1].group
    (tmp_path / "ares.tsv.gz").write_bytes(gzip.compress(file.read_bytes()))
    assert [replace(row, source="ares.tsv") for row in read_rows(tmp_path / "ares.tsv.gz")] == rows
    file.write_text("document\tquery\nx\ty\n")
    with fails("judge_data.missing_columns", InputError, file=file, columns=["question"]):
        read_rows(file)


def test_a_cell_that_is_never_closed_and_a_line_that_is_nested_too_deeply_are_told(tmp_path: Path) -> None:
    table, lines = tmp_path / "ares.tsv", tmp_path / "rows.jsonl"
    table.write_text('document\tQuery\tContext_Relevance_Label\n"' + "It rained.\n" * 1_000_000)
    with fails("judge_data.bad_table", InputError, file=table):
        read_rows(table)
    lines.write_text("\n" + "[" * 100_000)
    with fails("judge_data.bad_row", InputError, file=lines, line=2):
        read_rows(lines)


def test_rows_hold_texts_and_labels_of_0_or_1(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    row = {"label": "context_relevance", "value": 1, "question": "Who built it?", "evidence": ["Ada built it."]}

    def read(**changes: object) -> Row:
        file.write_text("\n" + json.dumps(row | changes) + "\n")
        return read_rows(file)[0]

    assert read(evidence="Ada built it.").case == read().case == read(answer=None).case
    assert [read(value=value).value for value in (True, False, 1, 0, 1.0)] == [1, 0, 1, 0, 1]
    for changes in (
        {"value": 0.9},
        {"value": 2},
        {"value": "yes"},
        {"evidence": [3]},
        {"evidence": {"a": "b"}},
        {"question": None},
        {"answer": 7},
        {"label": "truth"},
    ):
        with fails("judge_data.bad_row", InputError, line=2) as caught:
            read(**changes)
        assert next(iter(changes)) in str(caught.value.values["fault"]) or "truth" in changes.values()


class TwoPassages:
    """The passages of a graph that was made from text, and the names of its entities."""

    n_passages = 2
    mentions = np.array([0, 2, 3]), np.array([0, 1, 1], dtype=np.int32)

    def passage(self, number: int) -> PassageText:
        return PassageText(LAKES[number], "lakes.txt", 100 * number, 100 * number + 60, "Lakes", "")

    def label(self, entity: int) -> str:
        return ("Lake Victoria", "the Nyanza")[entity]


def test_passages_of_a_graph_have_the_entities_that_it_knows() -> None:
    graph = TwoPassages()
    made = passages_of(graph, graph)  # type: ignore[arg-type]
    assert [one.text for one in made] == LAKES[:2]
    assert made[0].entities == {"lake victoria", "nyanza"}
    assert made[1].entities == {"nyanza"}
    assert not made[0].overlaps(made[1])
