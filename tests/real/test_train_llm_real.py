"""Tuning of language models: a tiny one with random weights, and a small one that talks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import peft
import pytest
import torch
import transformers

from graphbrick import LLM, Graph, LocalLLM, Query, build
from graphbrick.bricks.extract.planned_relations import PlannedRelations
from graphbrick.core.errors import InputError, ModelError
from graphbrick.core.trace import Trace, record
from graphbrick.learn.train.epochs import Course, fit_epochs
from graphbrick.learn.train.frame import linked_questions
from graphbrick.learn.train.llms.llm import LLMReport, train_llm
from graphbrick.learn.train.llms.llm_examples import Lesson, Lost, lessons
from graphbrick.learn.train.llms.llm_fit import encode, open_base, quality
from graphbrick.learn.train.path_examples import PathRules, collect
from graphbrick.models.store import resolve
from graphbrick.questions.question import Question

pytestmark = pytest.mark.models

TEMPLATE = (
    "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
WORDINGS = {
    "director": [
        "who directed {}?",
        "{} was directed by who",
        "the director of {}",
        "who made {}?",
        "whose film is {}?",
    ],
    "year": ["when was {} made?", "the year of {}", "in which year is {} from?", "how old is {}?", "when was {}?"],
    "starring": ["who stars in {}?", "the actors of {}", "who plays in {}?", "{} has which actors?", "who acts in {}?"],
}
FAST = {"epochs": 2, "rank": 4, "alpha": 8, "learning_rate": 0.01, "batch_size": 4, "seed": 3, "device": "cpu"}


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    triples = []
    for i in range(20):
        triples += [(f"Film{i}", "starring", f"Actor{i % 7}"), (f"Film{i}", "director", f"Boss{i % 5}")]
        triples.append((f"Film{i}", "year", f"Y{i % 4}"))
    return build(triples, tmp_path_factory.mktemp("tuned") / "films.graph")


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    answers = {"director": "Boss{}", "year": "Y{}", "starring": "Actor{}"}
    of = {"director": 5, "year": 4, "starring": 7}
    return [
        Question(
            f"{relation}{k}-{i}",
            wording.format(f"Film{i}"),
            (f"Film{i}",),
            (answers[relation].format(i % of[relation]),),
        )
        for relation, wordings in WORDINGS.items()
        for k, wording in enumerate(wordings)
        for i in range(k, 20, 7)
    ]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama of two layers with random weights, and a tokenizer of single bytes."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    folder = tmp_path_factory.mktemp("base") / "tiny"
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    specials = ["<|end|>", "<|system|>", "<|user|>", "<|assistant|>"]
    made = Tokenizer(models.BPE({token: i for i, token in enumerate([*specials, *letters])}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens(specials)
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<|end|>", pad_token="<|end|>")
    tokenizer.chat_template = TEMPLATE
    torch.manual_seed(0)
    model = transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=2, max_position_embeddings=4096, eos_token_id=0, bos_token_id=None, pad_token_id=0,
            initializer_range=0.1,
        )
    )  # fmt: skip
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def trained(
    films: Graph, questions: list[Question], tiny: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, LLMReport]:
    out = tmp_path_factory.mktemp("out") / "planner"
    return out, train_llm(films, questions, out, module="plan", base=str(tiny), max_hops=1, **FAST)


def test_the_loss_falls(trained: tuple[Path, LLMReport]) -> None:
    _, report = trained
    assert report.questions == 45
    assert report.unseeded == report.unanswered == report.unreached == report.unshown == report.unread == 0
    assert report.learned == 45 - 3 * 2
    assert report.untrained is not None
    assert report.trained is not None
    assert report.losses[0] < report.untrained.loss
    assert report.losses[1] < report.losses[0]
    assert report.trained.loss < 0.7 * report.untrained.loss
    assert "loss of each epoch" in str(report)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of peft, where it loads an adapter
def test_the_merged_model_is_the_base_with_its_adapter(
    trained: tuple[Path, LLMReport], tiny: Path, films: Graph
) -> None:
    folder, report = trained
    merged = transformers.AutoModelForCausalLM.from_pretrained(folder / "merged", local_files_only=True)
    base = transformers.AutoModelForCausalLM.from_pretrained(tiny)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder / "merged", local_files_only=True)
    ids = tokenizer("<|user|>who directed Film3?<|end|>", return_tensors="pt")["input_ids"]
    with torch.inference_mode():
        before = base(ids).logits
        after = merged(ids).logits
        adapted = peft.PeftModel.from_pretrained(base, folder / "adapter")(ids).logits
    torch.testing.assert_close(after, adapted, atol=1e-4, rtol=1e-4)
    assert (after - before).abs().max() > 0.1
    assert tokenizer.chat_template == TEMPLATE
    told = json.loads((folder / "training.json").read_text())
    assert told["kind"] == "language model"
    assert told["graph"] == films.hash
    assert told["base"] == str(tiny)
    assert told["report"]["learned"] == report.learned
    assert told["parameters"]["settings"]["rank"] == 4
    assert json.loads((folder / "adapter" / "adapter_config.json").read_text())["base_model_name_or_path"] == str(tiny)


def test_the_same_seed_gives_the_same_adapter(
    films: Graph, questions: list[Question], tiny: Path, tmp_path: Path
) -> None:
    made = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        torch.manual_seed(len(made))  # what was drawn before does not count
        state = torch.random.get_rng_state()
        train_llm(films, questions[:6], tmp_path / name, module="rank", base=str(tiny), **FAST | {"seed": seed})
        assert torch.equal(state, torch.random.get_rng_state())
        made.append((tmp_path / name / "adapter" / "adapter_model.safetensors").read_bytes())
        told = json.loads((tmp_path / name / "training.json").read_text())
        assert told["report"]["untrained"] is None  # too few to keep some apart
    assert made[0] == made[1] != made[2]


def test_only_the_reply_counts_and_padding_does_not(tiny: Path) -> None:
    base = open_base(str(tiny), "cpu")
    made = [
        Lesson("", ({"role": "user", "content": "?" * n}, {"role": "user", "content": "who"}), reply)
        for n, reply in ((3, "Nairobi"), (40, "NONE"), (7, '{"paths": [[1]]}'))
    ]
    encoded, most = encode(base, made, context=1000, longest=100)
    tokens = [some for some in encoded if some is not None]
    assert most == max(len(some.ids) for some in tokens)
    total = count = 0.0
    for lesson, some in zip(made, tokens, strict=True):
        prompt = base.tokenizer.apply_chat_template(
            [dict(m) for m in lesson.messages], add_generation_prompt=True, tokenize=False
        )
        assert base.tokenizer.decode(some.ids[: some.prompt]) == prompt
        assert base.tokenizer.decode(some.ids[some.prompt :]) == f"{lesson.reply}<|end|>"
        with torch.inference_mode():
            logits = base.model(torch.tensor([some.ids])).logits[0, some.prompt - 1 : -1]
        wanted = torch.tensor(some.ids[some.prompt :])
        total += torch.nn.functional.cross_entropy(logits, wanted, reduction="sum").item()
        count += len(wanted)
    assert quality(base.model, tokens).loss == pytest.approx(total / count, rel=1e-5)
    assert encode(base, made, context=50, longest=100)[0] == [tokens[0], None, tokens[2]]
    assert encode(base, made, context=1000, longest=8)[0] == [tokens[0], tokens[1], None]


def test_prompts_that_are_too_long_are_left_out(
    films: Graph, questions: list[Question], tiny: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=r"all 6 prompts are too long \([0-9,]+ tokens the longest\); raise context"):
        train_llm(films, questions[:6], tmp_path / "a", module="plan", base=str(tiny), context=512, **FAST)
    with pytest.raises(InputError, match="the prompts of all 6 that have a path to an answer show nothing of it"):
        train_llm(films, questions[:6], tmp_path / "a", module="plan", base=str(tiny), context=300, **FAST)
    assert list(tmp_path.iterdir()) == []


def test_questions_of_another_graph(films: Graph, tiny: Path, tmp_path: Path) -> None:
    asked = [Question("1", "who?", ("Nobody",), ("Nothing",))]
    with pytest.raises(InputError, match="are they questions of this graph"):
        train_llm(films, asked, tmp_path / "a", module="answer", base=str(tiny), **FAST)


def test_a_base_without_a_chat_template(films: Graph, questions: list[Question], tiny: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(tiny, tmp_path / "base")
    for file in (tmp_path / "base").glob("chat_template*"):
        file.unlink()
    settings: Mapping[str, Any] = json.loads((tmp_path / "base" / "tokenizer_config.json").read_text())
    told = {key: value for key, value in settings.items() if key != "chat_template"}
    (tmp_path / "base" / "tokenizer_config.json").write_text(json.dumps(told))
    with pytest.raises(ModelError, match="has no chat template"):
        train_llm(films, questions, tmp_path / "a", module="plan", base=str(tmp_path / "base"), **FAST)
    (tmp_path / "base" / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(ModelError, match="cannot be loaded as a causal language model"):
        train_llm(films, questions, tmp_path / "a", module="plan", base=str(tmp_path / "base"), **FAST)


def test_nothing_stays_of_what_was_interrupted(
    films: Graph, questions: list[Question], tiny: Path, trained: tuple[Path, LLMReport]
) -> None:
    folder, _ = trained
    before = (folder / "training.json").read_bytes()

    def progress(what: str, done: float, total: float | None) -> None:
        if what == "writing" and done == total:
            raise KeyboardInterrupt

    with pytest.raises(ModelError, match="holds a trained language model already; replace it with --overwrite"):
        train_llm(films, questions[:3], folder, module="plan", base=str(tiny), **FAST)
    with pytest.raises(KeyboardInterrupt):
        train_llm(
            films, questions[:3], folder, module="plan", base=str(tiny), overwrite=True, progress=progress, **FAST
        )
    assert [file.name for file in folder.parent.iterdir()] == [folder.name]
    assert (folder / "training.json").read_bytes() == before


def test_training_stops_when_it_gets_no_better(
    films: Graph, questions: list[Question], tiny: Path, tmp_path: Path
) -> None:
    report = train_llm(
        films, questions, tmp_path / "a", module="plan", base=str(tiny), max_hops=1,
        **FAST | {"learning_rate": 1e-30, "epochs": 6},
    )  # fmt: skip
    assert report.epochs == 1
    assert report.trained == report.untrained
    assert "no epoch was better than the base" in str(report)


def test_gradients_do_not_come_from_the_attention_of_cudnn() -> None:
    model = torch.nn.Linear(1, 1)
    enabled = []

    def learn(places: Sequence[int], _: object) -> tuple[float, float]:
        enabled.append(torch.backends.cuda.cudnn_sdp_enabled())
        model(torch.ones(1)).sum().backward()
        if len(enabled) == 3:
            raise KeyboardInterrupt
        return 0.0, len(places)

    before = torch.backends.cuda.cudnn_sdp_enabled()
    with pytest.raises(KeyboardInterrupt):
        fit_epochs(model, 6, Course(batch_size=2, epochs=1), lambda *_: None, learn=learn, evaluate=lambda name: None)
    assert enabled == [False] * 3
    assert torch.backends.cuda.cudnn_sdp_enabled() is before is True


def test_a_gguf_file_is_written_that_runs_by_itself(films: Graph, questions: list[Question], tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    try:
        source = resolve("smollm2-135m")
    except ModelError as error:
        pytest.skip(str(error))
    some = questions[:3]
    report = train_llm(
        films, some, tmp_path / "a", module="plan", base="smollm2-135m", max_hops=1, gguf=True,
        **FAST | {"epochs": 4, "learning_rate": 2e-3, "batch_size": 1},
    )  # fmt: skip
    assert report.losses[-1] < 0.5 * report.losses[0]
    brick = PlannedRelations(LLM("tuned", context=4096))
    made = lessons(brick, collect(films, linked_questions(films, some, 1), PathRules(1)).all, Lost())
    loss = {}
    for name in (str(source), str(tmp_path / "a" / "merged"), str(tmp_path / "a" / "model.gguf")):
        base = open_base(name, "cpu")
        tokens = [one for one in encode(base, made, context=4096, longest=256)[0] if one is not None]
        assert len(tokens) == len(some)
        loss[Path(name).name] = quality(base.model, tokens).loss
    assert loss["merged"] < 0.5 * loss[source.name]
    assert loss["model.gguf"] == pytest.approx(loss["merged"], abs=0.05)
    pytest.importorskip("xllamacpp")
    llm = LocalLLM(str(tmp_path / "a" / "model.gguf"), context=2048, threads=1)
    with record(Trace(), "test", "extract") as entry:
        found = PlannedRelations(llm, max_hops=1).extract(films, Query(questions[0].text, (films.entity("Film0"),)))
    assert entry.events == []
    assert found.triples is not None
    assert [films.triple_text(triple) for triple in found.triples] == ["Film0 -> director -> Boss0"]
