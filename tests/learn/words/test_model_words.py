"""Words that a language model suggests: what is taken, what is refused, and what happens when it fails."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from pathlib import Path

import pytest
from organisation import TRIPLES

from graphbrick import LLM, Budget, Graph, Session, build, spending
from graphbrick.cli.app import main
from graphbrick.learn.learning import learn
from graphbrick.learn.words.model_words import ModelWords, suggest
from graphbrick.patterns.words.phrasebook import Phrasebook
from graphbrick.patterns.words_file import WORDS
from graphbrick.testing import ScriptedLLM
from graphbrick.testing.llm_server import Reply, Request

Said = Callable[[str, str, str], dict[str, object]]
_LINE = re.compile(r"^(\d)\. ([\w ]+): (.+) (->|<-) (.+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def org(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return build(TRIPLES, tmp_path_factory.mktemp("org") / "org.graph")


def scripted(said: Said, names: Sequence[str] = ()) -> Callable[[Request], str]:
    """Return a script that replies with what is said of (relation, head, tail), for the end that a request means."""

    def script(request: Request) -> str:
        prompt = request.body["messages"][-1]["content"]
        if prompt.startswith("Members:"):  # the services, or the teams, which no rule names
            return json.dumps({"names": list(names) if "Service" in prompt.splitlines()[0] else []})
        entries = []
        for number, label, first, arrow, second in _LINE.findall(prompt):
            head, tail = (first, second) if arrow == "->" else (second, first)
            words = {"tail": [], "head": [], "ask_tail": "", "ask_head": "", **said(label, head, tail)}
            ends = ("tail", "head") if arrow == "->" else ("head", "tail")
            entry = dict(zip(("second", "first"), (words[end] for end in ends), strict=True))
            asks = dict(zip(("ask_second", "ask_first"), (words[f"ask_{end}"] for end in ends), strict=True))
            entries.append({"number": int(number), **entry, **asks})
        return json.dumps({"relations": entries})

    return script


def suggested(
    graph: Graph, script: Callable[[Request], str] | Sequence[str | Reply], book: Phrasebook | None = None
) -> tuple[Phrasebook, ModelWords]:
    rules = Phrasebook.of(graph)
    book = deepcopy(rules) if book is None else book
    with ScriptedLLM(script) as server:
        return book, suggest(graph, book, rules, LLM(base_url=server.base_url, retries=0))


def reports(label: str, head: str, tail: str) -> dict[str, object]:
    if label != "reports to":
        return {}
    return {
        "tail": ["chieftain", "boss"],
        "head": ["underling"],
        "ask_tail": f"Who does {head} answer to?",
        "ask_head": f"Who is under {tail}'s command?",
    }


def test_what_is_said_both_times_is_taken(org: Graph) -> None:
    book, result = suggested(org, scripted(reports, ["service"]))
    entry = book.relations["reports to"]
    assert "chieftain" in entry.tail
    assert "underling" in entry.head
    assert entry.tail.count("boss") == 1
    assert entry.tail_questions == ["who does @ answer to"]
    assert entry.head_questions == ["who is under @ 's command"]
    assert set(entry.by_model) == {
        "tail: chieftain",
        "head: underling",
        "tail_questions: who does @ answer to",
        "head_questions: who is under @ 's command",
    }
    (owned,) = [one for one in book.classes if one.tails == ["owns"]]
    assert owned.names == owned.by_model == ["service"]
    assert (result.relations, result.classes, result.refused, result.stopped) == (5, 2, [], "")
    assert result.calls == 8
    assert result.tokens_in > 0
    assert result.tokens_out > 0
    assert book.relations["owns"] == Phrasebook.of(org).relations["owns"]


def test_a_model_that_fills_blanks_by_their_place_adds_nothing(org: Graph) -> None:
    def by_place(request: Request) -> str:
        found = _LINE.findall(request.body["messages"][-1]["content"])
        entries = [
            {"number": int(number), "second": ["chieftain"], "first": ["underling"],
             "ask_second": f"Who does {first} answer to?", "ask_first": ""}
            for number, label, first, _, _ in found if label == "reports to"
        ]  # fmt: skip
        return json.dumps({"relations": entries})

    book, result = suggested(org, by_place)
    assert book.relations == Phrasebook.of(org).relations
    assert {reason for _, _, reason in result.refused} == {"it fits both ends"}


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ({"tail": ["employee"]}, "the label says it of the other end"),
        ({"tail": ["crony"], "head": ["crony"]}, "it fits both ends"),
        ({"tail": ["x_1"]}, "it is not a word"),
        ({"tail": ["reported"]}, "it is not a noun"),
        ({"tail": ["head of"]}, "it is not a noun"),
        ({"tail": ["a thing"]}, "it says nothing"),
        ({"ask_tail": "Who is the boss?"}, "it does not name one of the two entities"),
        ({"ask_tail": "Does {head} report to {tail}?"}, "it does not name one of the two entities"),
        ({"ask_tail": "{head} reports"}, "it is not a short question"),
        ({"ask_tail": "Who is the {head}?"}, "it says nothing"),
        ({"ask_tail": "Who {{leads}} {head}?"}, "it is not a short question"),
    ],
)
def test_what_is_refused(org: Graph, words: dict[str, object], reason: str) -> None:
    def said(label: str, head: str, tail: str) -> dict[str, object]:
        filled = {k: v.format(head=head, tail=tail) if isinstance(v, str) else v for k, v in words.items()}
        return filled if label == "reports to" else {}

    book, result = suggested(org, scripted(said))
    assert book.relations == Phrasebook.of(org).relations
    assert {why for _, _, why in result.refused} == {reason}
    assert {name for name, _, _ in result.refused} == {"reports to"}


def test_a_word_for_several_relations_is_refused(org: Graph) -> None:
    def said(label: str, head: str, tail: str) -> dict[str, object]:
        return {"leads": {"tail": ["crew"]}, "owns": {"tail": ["crew"], "head": ["member"]}}.get(label, {})

    book, result = suggested(org, scripted(said))
    assert book.relations == Phrasebook.of(org).relations
    assert sorted(result.refused) == [
        (label, word, "another relation or class has it too")
        for label, word in (("leads", "crew"), ("owns", "crew"), ("owns", "member"))
    ]


def test_words_of_a_symmetric_relation_fit_both_ends(tmp_path: Path) -> None:
    pairs = [("Kenya", "Uganda"), ("Kenya", "Somalia"), ("Uganda", "Rwanda")]
    graph = build([t for a, b in pairs for t in ((a, "touches", b), (b, "touches", a))], tmp_path / "g.graph")
    both = {"tail": ["bystander"], "head": ["bystander"]}
    book, _ = suggested(graph, scripted(lambda label, head, tail: both))
    assert "bystander" in book.relations["touches"].tail
    assert "bystander" in book.relations["touches"].head


def test_what_the_user_wrote_wins(org: Graph) -> None:
    book = Phrasebook.of(org)
    book.relations["reports to"].tail = ["gaffer"]
    mine = deepcopy(book.relations["reports to"])
    book, result = suggested(org, scripted(reports), book)
    assert book.relations["reports to"] == mine
    assert result.relations == 4
    book = suggested(org, scripted(reports))[0]
    book.relations["reports to"].tail.remove("chieftain")  # what the model wrote, and the user took out
    mine = deepcopy(book.relations["reports to"])
    assert suggested(org, scripted(reports), book)[0].relations["reports to"] == mine


def test_words_of_an_earlier_model_are_replaced(org: Graph, tmp_path: Path) -> None:
    book = suggested(org, scripted(reports, ["service"]))[0]
    (tmp_path / WORDS).write_text(book.to_toml(), encoding="utf-8")
    again = Phrasebook.read(tmp_path / WORDS)
    assert again == book
    again, result = suggested(org, scripted(lambda *_: {}, ["tool"]), again)
    assert again.relations == Phrasebook.of(org).relations
    assert [one.names for one in again.classes if one.tails == ["owns"]] == [["tool"]]
    assert result.relations == 5


@pytest.mark.parametrize(
    "reply", ["I cannot do that.", "[]", '{"relations": 3}', '{"relations": [{"number": 9}, 3, {"second": [[]]}]}', ""]
)
def test_replies_that_cannot_be_read_change_nothing(org: Graph, reply: str) -> None:
    book, result = suggested(org, [reply])
    assert book == Phrasebook.of(org)
    assert not result.taken
    assert not result.stopped
    assert result.relations == 5
    assert result.events


def test_half_of_the_replies_bad(org: Graph) -> None:
    good = scripted(reports)
    book, result = suggested(
        org, lambda request: good(request) if "reports to" in request.body["messages"][-1]["content"] else "no"
    )
    assert "chieftain" in book.relations["reports to"].tail
    assert result.unread == 6
    assert "6 replies could not be read" in str(result)


def test_a_server_that_is_down_and_a_small_budget(org: Graph) -> None:
    rules = Phrasebook.of(org)
    book = deepcopy(rules)
    down = suggest(org, book, rules, LLM(base_url="http://127.0.0.1:9/v1", retries=0))
    assert book == rules
    assert down.relations == 0
    assert "was not asked about the rest, which has the words of its labels: " in str(down)
    with ScriptedLLM(scripted(reports)) as server, spending(Budget(tokens=300)):
        stopped = suggest(org, book, rules, LLM(base_url=server.base_url, parallel=1))
    assert book == rules
    assert "budget" in stopped.stopped


def test_recorded_replies_are_used_again(org: Graph, tmp_path: Path) -> None:
    with Session(replies=tmp_path / "replies.sqlite"), ScriptedLLM(scripted(reports)) as server:
        rules, llm = Phrasebook.of(org), LLM(base_url=server.base_url)
        first, second = deepcopy(rules), deepcopy(rules)
        calls = [suggest(org, book, rules, llm).calls for book in (first, second)]
    assert calls == [8, 0]
    assert first == second


@pytest.mark.whole
def test_learning_with_a_model_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "org.graph"
    build(TRIPLES[:15], place)
    command = ["learn", str(place), "--questions", "100", "--max-hops", "1", "--llm", "some-model", "--json"]
    with ScriptedLLM(scripted(reports)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        with pytest.raises(SystemExit) as stopped:
            main(command)
    assert not stopped.value.code
    report = json.loads(capsys.readouterr().out)["by_model"]
    assert "tail: chieftain" in report["taken"]["reports to"]
    assert report["calls"] > 0
    words = (tmp_path / "org.graph.patterns" / WORDS).read_text(encoding="utf-8")
    assert "who does @ answer to" in words
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(SystemExit) as stopped:
        main(command)
    assert not stopped.value.code
    assert json.loads(capsys.readouterr().out)["by_model"]["stopped"]
    assert (tmp_path / "org.graph.patterns" / WORDS).read_text(encoding="utf-8") == words


@pytest.mark.whole
def test_codes_without_words_become_questions(tmp_path: Path) -> None:
    drugs = [(f"drug {i}", "CbG", f"gene {i % 4}") for i in range(12)]
    graph = build(drugs, tmp_path / "codes.graph")
    words = {"tail": ["target"], "head": ["binder"]}
    with ScriptedLLM(scripted(lambda *_: words)) as server:
        report = learn(graph, n=100, max_hops=1, llm=LLM(base_url=server.base_url))
    assert report.unreadable == []
    assert report.by_model is not None
    assert set(report.by_model.taken["CbG"]) == {"tail: target", "head: binder"}
