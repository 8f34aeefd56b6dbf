from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from faults import fails

from graphbrick import LLM, Evidence, Generate, Query, Subgraph, build
from graphbrick.bricks.extract.planned_relations import PlannedRelations
from graphbrick.bricks.prune.edges import PruneEdges
from graphbrick.bricks.rerank.rerank import Rerank
from graphbrick.bricks.retrieve.paths.beam_search import BeamSearch
from graphbrick.cli.app import main
from graphbrick.core import Path as Walk
from graphbrick.core.errors import InputError, ModelError
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.graph import Graph
from graphbrick.learn.train.frame import linked_questions
from graphbrick.learn.train.llms.llm import train_llm
from graphbrick.learn.train.llms.llm_examples import TEXTS, Lesson, Lost, Tuned, lessons
from graphbrick.learn.train.path_examples import PathExample, PathRules, collect
from graphbrick.models.scorers.llm_listwise import LLMListwiseScorer
from graphbrick.models.scorers.llm_pointwise import LLMPointwiseScorer
from graphbrick.models.scorers.llm_rating import LLMRatingScorer
from graphbrick.questions.question import Question
from graphbrick.testing import Request, ScriptedLLM

WAYS = pytest.mark.parametrize("structured", [True, False], ids=["json", "lines"])


KINDS = {"list": LLMListwiseScorer, "scores": LLMRatingScorer, "yes_no": LLMPointwiseScorer}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    """Twenty films, each with two of ten actors, one of five directors and one of seven years."""
    triples = []
    for i in range(20):
        triples += [(f"Film{i}", "starring", f"Actor{actor}") for actor in (i % 10, (3 * i + 1) % 10)]
        triples += [(f"Film{i}", "director", f"Boss{i % 5}"), (f"Film{i}", "year", f"Y{i % 7}")]
    return build(triples, tmp_path_factory.mktemp("lessons") / "films.graph")


@pytest.fixture(scope="module")
def asked() -> list[Question]:
    """Of every fourth film its director, and of two directors their films."""
    questions = [Question(f"d{i}", f"who directed Film{i}?", (f"Film{i}",), (f"Boss{i % 5}",)) for i in range(0, 20, 4)]
    for boss in range(2):
        made = tuple(f"Film{i}" for i in range(20) if i % 5 == boss)
        questions.append(Question(f"f{boss}", f"which films did Boss{boss} direct?", (f"Boss{boss}",), made))
    return questions


@pytest.fixture(scope="module")
def examples(films: Graph, asked: list[Question]) -> list[PathExample]:
    return collect(films, linked_questions(films, asked, 2), PathRules(2, least=0.8)).all


@pytest.fixture
def server() -> Iterator[ScriptedLLM]:
    """Says what the lesson with the same prompt says, and NOTHING LEARNED where there is none."""
    with ScriptedLLM(lambda request: learned.get(_key(request.body["messages"]), "NOTHING LEARNED")) as server:
        learned.clear()
        yield server


learned: dict[str, str] = {}


def _key(messages: Sequence[object]) -> str:
    return json.dumps(list(messages), sort_keys=True)


def teach(made: Sequence[Lesson]) -> None:
    learned.update({_key(lesson.messages): lesson.reply for lesson in made})


def llm(server: ScriptedLLM | None = None, *, structured: bool = True, **more: int) -> LLM:
    url = server.base_url if server else "http://127.0.0.1:9/v1"
    return LLM("tuned", base_url=url, structured=structured, timeout=60.0, retries=0, context=8192, **more)


def made_of(
    brick: Tuned, films: Graph, examples: Sequence[PathExample], *, texts: Sequence[str] = TEXTS, nothing: float = 0.0
) -> list[Lesson]:
    lost = Lost()
    made = lessons(brick, examples, lost, texts=texts, nothing=nothing)
    assert lost == Lost()
    assert made
    return made


def candidates(lesson: Lesson) -> list[str]:
    listed = lesson.messages[-1]["content"].split("Candidates:\n")[1].split("\n\nQuestion: ")[0]
    return re.findall(r"^[0-9]+\. (.*)$", listed, re.MULTILINE)


# What is learned is what the bricks ask, and what they read


@WAYS
def test_a_learned_plan_is_read_as_the_right_relation_paths(
    films: Graph, examples: list[PathExample], server: ScriptedLLM, structured: bool
) -> None:
    brick = PlannedRelations(llm(server, structured=structured), max_hops=2)
    made = made_of(brick, films, examples)
    assert len(made) == len(examples)
    teach(made)
    for example in examples:
        with record(Trace(), "test", "extract") as entry:
            found = brick.extract(films, Query(example.text, example.grounded.seeds))
        assert entry.events == []
        assert found.triples is not None
        # Exactly the triples on the right paths: their pattern leads nowhere else.
        assert set(found.triples.tolist()) == {triple for path in example.positives for triple in path.triples}
    replies = {lesson.reply for lesson in made}
    assert all(json.loads(reply).keys() == {"paths"} for reply in replies) if structured else "1" in replies


@pytest.mark.whole
@WAYS
@pytest.mark.parametrize("reply", ["list", "scores", "yes_no"])
def test_a_learned_choice_keeps_what_is_right(
    films: Graph, examples: list[PathExample], server: ScriptedLLM, structured: bool, reply: str
) -> None:
    scorer = KINDS[reply](llm(server, structured=structured, max_tokens=1000))
    made = made_of(scorer, films, examples, texts=["path"])
    teach(made)
    for example in examples:
        listed = _listed(example, [*example.positives, *example.negatives], made, one_by_one=reply == "yes_no")
        kept = Rerank(scorer, n=100, threshold=0.5 if reply == "yes_no" else 0).rerank(
            Query(example.text, example.grounded.seeds), Evidence(tuple(listed))
        )
        assert {path.text for path in kept.items} == {path.text for path in example.positives} & {
            path.text for path in listed
        }
        assert kept.items


def _listed(example: PathExample, paths: Sequence[Walk], made: Sequence[Lesson], *, one_by_one: bool) -> list[Walk]:
    """The paths of an example in the order of its lesson."""
    of = [lesson for lesson in made if lesson.messages[-1]["content"].count(example.text)]
    by_text = {path.text: path for path in paths}
    if one_by_one:
        found = [re.findall(r"^Candidate: (.*)$", lesson.messages[-1]["content"], re.MULTILINE)[0] for lesson in of]
        return [by_text[text] for text in found]
    return [by_text[text] for text in candidates(of[0])]


@WAYS
def test_learned_answers_are_read_with_the_paths_that_hold_them(
    films: Graph, examples: list[PathExample], server: ScriptedLLM, structured: bool
) -> None:
    brick = Generate(llm(server, structured=structured))
    made = made_of(brick, films, examples)
    teach(made)
    for example, lesson in zip(examples, made, strict=True):
        by_text = {path.text: path for path in (*example.positives, *example.negatives)}
        listed = re.findall(r"^[0-9]+\. (.*)$", lesson.messages[-1]["content"], re.MULTILINE)
        with record(Trace(), "test", "generate") as entry:
            answer = brick.generate(
                Query(example.text, example.grounded.seeds), Evidence(tuple(by_text[text] for text in listed))
            )
        assert entry.events == []
        ends = {path.end for path in example.positives}
        assert set(answer.entities) == ends <= set(example.grounded.answers)
        assert set(answer.evidence.items) == set(example.positives)


@WAYS
def test_a_prompt_without_what_is_right_is_learned_as_such(
    films: Graph, examples: list[PathExample], structured: bool
) -> None:
    # Of the two directors every path of up to two hops goes through one of their films.
    some = [example for example in examples if "who directed" in example.text]
    answer = made_of(Generate(llm(structured=structured)), films, some, nothing=0.999999)
    choice = made_of(LLMListwiseScorer(llm(structured=structured)), films, some, nothing=0.999999)
    assert {lesson.reply for lesson in answer} == {'{"answers": []}' if structured else "NOT IN THE PATHS"}
    assert {lesson.reply for lesson in choice} == {'{"numbers": []}' if structured else "NONE"}
    for example, lesson in zip(some, answer, strict=True):
        assert films.label(example.grounded.answers[0]) not in lesson.messages[-1]["content"]
    others = [example for example in examples if "who directed" not in example.text]
    assert all('"paths": [' in lesson.reply for lesson in made_of(Generate(llm()), films, others, nothing=0.999999))


def test_steps_are_those_of_a_beam_search(films: Graph, examples: list[PathExample], server: ScriptedLLM) -> None:
    seen: list[Request] = []

    def script(request: Request) -> str:
        seen.append(request)
        return "NONE"

    example, graph = examples[0], films
    query = Query(example.text, example.grounded.seeds)
    with ScriptedLLM(script) as other:
        scorer = LLMListwiseScorer(llm(other), per_call=64)
        BeamSearch(scorer, max_hops=1).retrieve(query, Subgraph(graph))
        BeamSearch(scorer, max_hops=1, by="triple").retrieve(query, Subgraph(graph))
        PruneEdges(scorer, n=4).prune(query, Subgraph(graph))
    for kind, request in zip(("step", "triple", "relation"), seen, strict=True):
        sent = request.body["messages"]
        lesson = made_of(scorer, films, [example], texts=[kind])[0]
        assert lesson.messages[0] == sent[0]
        sent_texts = candidates(Lesson("", tuple(sent), ""))
        assert set(candidates(lesson)) == set(sent_texts), kind
        right = [candidates(lesson)[number - 1] for number in json.loads(lesson.reply)["numbers"]]
        assert right == [
            {"step": "Film0 -> director -> Boss0", "triple": "Film0 -> director -> Boss0", "relation": "director"}[kind]
        ]


def test_what_goes_on_like_a_right_path_is_never_wrong(films: Graph) -> None:
    question = Question("1", "who stars in Film3?", ("Film3",), ("Actor3", "Actor0"))
    example = collect(films, linked_questions(films, [question], 1), PathRules(1)).all[0]
    assert len(example.positives) == 2
    few = replace(example, positives=example.positives[:1])
    for lesson in made_of(LLMListwiseScorer(llm()), films, [few], texts=["step", "triple"]):
        assert len(candidates(lesson)) == 3  # the other actor is neither right nor wrong
        assert sum("starring" in text for text in candidates(lesson)) == 1


def test_the_same_seed_makes_the_same_lessons(films: Graph, examples: list[PathExample]) -> None:
    scorer = LLMListwiseScorer(llm())
    once, again, other = (lessons(scorer, examples, Lost(), seed=seed) for seed in (1, 1, 2))
    assert once == again != other


def test_what_cannot_be_shown_is_counted(films: Graph, examples: list[PathExample]) -> None:
    lost = Lost()
    near = [example for example in examples if "which films" in example.text]
    assert lessons(PlannedRelations(llm(), relations=1), examples, lost)
    assert lost.unshown == len(examples) - len(near)
    lost = Lost()
    assert lessons(Generate(LLM("tuned", context=300, max_tokens=250)), examples, lost) == []
    assert lost.unshown == len(examples)


def test_a_name_that_is_read_as_something_else_is_left_out(tmp_path: Path) -> None:
    graph = build([("Kenya", "song", "Seven [7]"), ("Kenya", "capital", "Nairobi")], tmp_path / "songs.graph")
    example = collect(
        graph, linked_questions(graph, [Question("1", "song of Kenya?", ("Kenya",), ("Seven [7]",))], 1)
    ).all
    for structured, number in ((True, 1), (False, 1)):
        lost = Lost()
        made = lessons(Generate(llm(structured=structured)), example, lost, nothing=0.0)
        assert len(made) + lost.unread == number
    graph = build([("Kenya", "song", "NOT IN THE PATHS"), ("Kenya", "capital", "Nairobi")], tmp_path / "other.graph")
    example = collect(
        graph, linked_questions(graph, [Question("1", "song?", ("Kenya",), ("NOT IN THE PATHS",))], 1)
    ).all
    lost = Lost()
    assert lessons(Generate(llm()), example, lost, nothing=0.0) == []
    assert lost.unread == 1


# Errors before any work is done


@pytest.mark.parametrize(
    ("options", "code", "values"),
    [
        ({"module": "extract"}, "train_llm.bad_module", {"module": "extract"}),
        ({"brick": Generate(LLM())}, "train_llm.other_brick", {"module": "plan"}),
        ({"epochs": 0}, "train.bad_parameter", {"name": "epochs"}),
        ({"learning_rate": 0.0}, "train.bad_parameter", {"name": "learning_rate"}),
        ({"dropout": 1.0}, "train.bad_parameter", {"name": "dropout"}),
        ({"texts": ["paths"]}, "train_llm.bad_texts", {}),
        ({"gguf": True}, "train_llm.no_gguf_base", {}),
        ({"seed": True}, "train.bad_parameter", {"name": "seed"}),
    ],
    ids=lambda value: next(iter(value), "") if isinstance(value, dict) else "",
)
def test_parameters_out_of_range(
    films: Graph,
    asked: list[Question],
    tmp_path: Path,
    options: dict[str, object],
    code: str,
    values: dict[str, object],
) -> None:
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "config.json").write_text("{}")
    parameters = {"module": "plan", "base": str(tmp_path / "base")} | options
    with fails(code, InputError, **values):
        train_llm(films, asked, tmp_path / "out", **parameters)  # type: ignore[arg-type]


def test_a_base_that_is_not_there(films: Graph, asked: list[Question], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for base, message in (
        (str(tmp_path / "empty"), r"holds no model of transformers: config\.json is not there"),
        (str(tmp_path / "away"), "there is no base model"),
        ("away.gguf", r"away\.gguf does not exist"),
        ("qwen", "there is no base model 'qwen'"),
    ):
        with pytest.raises(ModelError, match=message):
            train_llm(films, asked, tmp_path / "out", module="plan", base=base)


def test_a_place_that_is_taken(films: Graph, asked: list[Question], tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with fails("place.other_contents", ModelError, what="a trained language model"):
        train_llm(films, asked, tmp_path, module="plan", base="someone/model", overwrite=True)


def test_a_missing_package_says_what_to_install(
    films: Graph, asked: list[Question], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "peft", None)
    with fails("train.no_package", ModelError, package="peft"):
        train_llm(films, asked, tmp_path / "out", module="plan", base="someone/model")
    assert not (tmp_path / "out").exists()


def test_the_command_says_what_is_wrong(films: Graph, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "questions.jsonl").write_text(
        '{"id": "1", "question": "who directed Film0?", "seeds": ["Film0"], "answers": ["Boss0"]}\n'
    )
    given = ["train", "llm", str(films.path), str(tmp_path / "questions.jsonl"), "--out", str(tmp_path / "out")]
    for more, message in (
        (["--module", "extract", "--base", "a/b"], "module must be one of plan, rank, answer"),
        (
            ["--module", "rank", "--base", "a/b", "--brick", "Rerank(BM25())"],
            "the module rank is that of LLMScorer",
        ),
        (["--module", "plan", "--base", str(tmp_path / "away")], "there is no base model"),
    ):
        with pytest.raises(SystemExit, match="1"):
            main([*given, *more])
        assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
