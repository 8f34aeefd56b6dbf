"""Training text models with torch: a tiny BERT made here, and all-MiniLM-L6-v2 where it was fetched."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from following import follow_pattern

from graphbrick import CrossEncoder, EmbeddingModel, Graph, GraphBuilder, PathAnswer, Rerank, ShortestPaths
from graphbrick.cli.app import main
from graphbrick.core.errors import InputError, ModelError
from graphbrick.learn.train.texts.embedder import EmbedderTrainee, train_embedder
from graphbrick.learn.train.texts.reranker import RerankerTrainee, train_reranker
from graphbrick.learn.train.texts.text_models import TextReport
from graphbrick.models.onnx_text import onnx_weights
from graphbrick.models.store import resolve
from graphbrick.questions.question import Question
from graphbrick.recipes import recipe
from graphbrick.study.metrics.sets import answer_scores

pytestmark = pytest.mark.models

PATTERNS = {
    "who stars in {}": (("starring", True),),
    "{} was directed by who": (("director", True),),
    "when was {} made": (("year", True),),
    "which other films did the director of {} make": (("director", True), ("director", False)),
}
FAST: dict[str, Any] = {
    "max_hops": 2, "epochs": 6, "learning_rate": 2e-3, "pool": 12, "negatives": 4, "hard": 2, "device": "cpu",
}  # fmt: skip
LONG = FAST | {"epochs": 20, "patience": 20}
HEAD = FAST | {"epochs": 30, "patience": 30, "learning_rate": 4e-3}  # from a last layer at random
Train = Callable[..., TextReport]
TRAININGS = pytest.mark.parametrize("train", [train_embedder, train_reranker], ids=["embedder", "reranker"])


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    """Forty films, each with two of thirty actors, one of ten directors and one of seven years."""
    with GraphBuilder(tmp_path_factory.mktemp("train") / "films.graph", source="test") as builder:
        for i in range(40):
            for actor in (i % 30, (7 * i + 3) % 30):
                builder.add((f"Film{i}", "starring", f"Actor{actor}"))
            builder.add((f"Film{i}", "director", f"Boss{i % 10}"))
            builder.add((f"Film{i}", "year", f"Y{i % 7}"))
        return builder.finish()


def question_of(graph: Graph, number: int, wording: str, seed: str, more: int) -> Question:
    relations = {graph.relation_label(relation): relation for relation in range(graph.n_relations)}
    pattern = [(relations[label], forward) for label, forward in PATTERNS[wording]]
    ends = {path.end for path in follow_pattern(graph, graph.entity(seed), pattern)} - {graph.entity(seed)}
    # One of fifteen wordings each, so that some can be kept apart.
    return Question(str(number), wording.format(seed) + " now" * more, (seed,), tuple(map(graph.key, sorted(ends))))


@pytest.fixture(scope="module")
def questions(films: Graph) -> list[Question]:
    pairs = [(wording, f"Film{i}", (i + j) % 4) for i in range(40) for j, wording in enumerate(PATTERNS)]
    return [question_of(films, number, *pair) for number, pair in enumerate(pairs)]


@pytest.fixture(scope="module")
def learned(questions: list[Question]) -> list[Question]:
    return [question for question in questions if not question.seeds[0].endswith(("5", "7"))]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An untrained BERT of 32 dimensions, as a folder of sentence-transformers."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("base") / "tiny"
    said = " ".join(PATTERNS).replace("{}", "") + " starring director year now film actor boss y - < > -> <-"
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *dict.fromkeys(said.split()), *map(str, range(10))]
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Digits(individual_digits=True)]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(words), hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=64,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        model_max_length=64, model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    ).save_pretrained(folder)  # fmt: skip
    transformer = Transformer(str(folder))
    SentenceTransformer(modules=[transformer, Pooling(32, "mean")], device="cpu").save_pretrained(
        str(folder), create_model_card=False
    )
    return str(folder)


def accuracy(graph: Graph, scorer: Any, questions: list[Question], by: str) -> float:
    pipeline = ShortestPaths(max_hops=2) >> Rerank(scorer, by=by) >> PathAnswer()
    return float(
        np.mean(
            [
                answer_scores(
                    pipeline(graph, q.text, seeds=q.seeds).entities, [(graph.entity(a),) for a in q.answers]
                ).hits_at_1
                for q in questions
            ]
        )
    )


@pytest.fixture(scope="module")
def embedder(
    films: Graph, learned: list[Question], base: str, tmp_path_factory: pytest.TempPathFactory
) -> tuple[TextReport, Path]:
    out = tmp_path_factory.mktemp("embedder") / "model"
    return train_embedder(films, learned, out, base=base, **FAST), out


@pytest.fixture(scope="module")
def reranker(
    films: Graph, learned: list[Question], base: str, tmp_path_factory: pytest.TempPathFactory
) -> tuple[TextReport, Path]:
    out = tmp_path_factory.mktemp("reranker") / "model"
    return train_reranker(films, learned, out, base=base, **HEAD), out


def test_a_trained_embedder_answers_for_new_seeds(
    films: Graph, questions: list[Question], base: str, embedder: tuple[TextReport, Path]
) -> None:
    report, out = embedder
    assert report.untrained is not None
    assert report.trained is not None
    assert report.trained.mrr > report.untrained.mrr
    assert report.best > 0
    kept = [question for question in questions if question.seeds[0].endswith(("5", "7"))]
    for by in ("path", "pattern"):
        before, after = (accuracy(films, EmbeddingModel(str(folder)), kept, by) for folder in (base, out))
        assert after > max(0.8, before + 0.2), (by, before, after)


def test_a_trained_reranker_answers_for_new_seeds(
    films: Graph, questions: list[Question], reranker: tuple[TextReport, Path]
) -> None:
    report, out = reranker
    assert report.new_head
    assert "its last layer began at random" in str(report)
    kept = [question for question in questions if question.seeds[0].endswith(("5", "7"))]
    for by in ("path", "pattern"):
        assert accuracy(films, CrossEncoder(str(out)), kept, by) > 0.8, by


def test_onnx_gives_what_torch_gives(embedder: tuple[TextReport, Path], reranker: tuple[TextReport, Path]) -> None:
    from sentence_transformers import CrossEncoder as TorchCrossEncoder
    from sentence_transformers import SentenceTransformer

    texts = ["Film1", "Film1 -> year -> Y1", "Film12 -> starring -> Actor3 " * 3, *("boss " * i for i in range(1, 50))]
    folder = str(embedder[1])
    assert onnx_weights(folder) == embedder[1] / "onnx" / "model.onnx"
    expected = SentenceTransformer(folder, device="cpu", local_files_only=True).encode(texts, normalize_embeddings=True)
    assert np.abs(EmbeddingModel(folder).encode(texts) - expected).max() < 1e-5
    folder = str(reranker[1])
    model = TorchCrossEncoder(folder, device="cpu", local_files_only=True)
    scores = model.predict([("when was Film1 made", text) for text in texts], activation_fn=torch.nn.Identity())
    assert np.abs(CrossEncoder(folder).score("when was Film1 made", texts) - scores).max() < 1e-4


def test_the_folders_are_used_without_torch(
    films: Graph, embedder: tuple[TextReport, Path], reranker: tuple[TextReport, Path]
) -> None:
    code = (
        "import sys\n"
        "for name in ('torch', 'transformers', 'sentence_transformers'): sys.modules[name] = None\n"
        "from graphbrick import *\n"
        f"graph = Graph.open({str(films.path)!r})\n"
        f"for scorer in (EmbeddingModel({str(embedder[1])!r}), CrossEncoder({str(reranker[1])!r})):\n"
        "    pipeline = ShortestPaths(max_hops=2) >> Rerank(scorer, by='pattern') >> PathAnswer()\n"
        "    print(pipeline(graph, 'Film5 was directed by who', seeds=['Film5']).texts[0])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["Boss5", "Boss5"]


def test_a_recipe_takes_the_trained_embedder(films: Graph, embedder: tuple[TextReport, Path]) -> None:
    pipeline = recipe("P18").pipeline(tuned_embedder=EmbeddingModel(str(embedder[1])))
    assert pipeline(films, "Film5 was directed by who", seeds=("Film5",)).texts


@TRAININGS
def test_the_same_seed_gives_the_same_weights(
    train: Train, films: Graph, learned: list[Question], base: str, tmp_path: Path
) -> None:
    state = torch.get_rng_state()
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        train(films, learned[:40], tmp_path / name, base=base, seed=seed, **FAST | {"epochs": 2})
        torch.rand(3)  # what is drawn elsewhere does not matter
    files = {name: (tmp_path / name / "model.safetensors").read_bytes() for name in "abc"}
    assert files["a"] == files["b"] != files["c"]
    said = {name: json.loads((tmp_path / name / "training.json").read_text(encoding="utf-8")) for name in "abc"}
    assert said["a"] == said["b"]
    assert said["a"]["graph"] == films.hash
    assert said["c"]["parameters"]["seed"] == 2
    torch.set_rng_state(state)


@pytest.mark.parametrize(
    ("train", "loss"),
    [(train_embedder, "margin"), (train_reranker, "softmax"), (train_reranker, "margin")],
    ids=["embedder-margin", "reranker-softmax", "reranker-margin"],
)
def test_every_loss_learns(
    train: Train, loss: str, films: Graph, learned: list[Question], base: str, tmp_path: Path
) -> None:
    report = train(films, learned, tmp_path / "out", base=base, loss=loss, by="pattern", **LONG)
    assert report.untrained is not None
    assert report.trained is not None
    assert report.trained.mrr > report.untrained.mrr + 0.1


def test_training_goes_on_from_what_was_trained(
    films: Graph, learned: list[Question], embedder: tuple[TextReport, Path], tmp_path: Path
) -> None:
    report = train_embedder(films, learned, tmp_path / "more", base=str(embedder[1]), **FAST | {"epochs": 1, "hard": 0})
    assert report.untrained is not None
    assert embedder[0].trained is not None
    assert report.untrained.mrr == pytest.approx(embedder[0].trained.mrr, abs=1e-6)


# What goes wrong


@TRAININGS
def test_a_file_that_gives_other_numbers_is_not_written(
    train: Train, films: Graph, learned: list[Question], base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from graphbrick.learn.train.texts import text_trainer

    write = text_trainer.write_onnx

    def with_dropout(model: Any, *rest: Any) -> None:
        for one in model.modules():
            if isinstance(one, torch.nn.LayerNorm):
                one.eps = 0.5  # what the file holds is then another model than the one in memory was
        write(model, *rest)
        for one in model.modules():
            if isinstance(one, torch.nn.LayerNorm):
                one.eps = 1e-12

    monkeypatch.setattr(text_trainer, "write_onnx", with_dropout)
    with pytest.raises(ModelError, match="the model in ONNX differs from the trained one by"):
        train(films, learned[:20], tmp_path / "out", base=base, **FAST | {"epochs": 1})
    assert not list(tmp_path.iterdir())


@TRAININGS
@pytest.mark.parametrize("at", ["epoch 1 of 6", "epoch 1 of 6, hard negatives", "questions searched"])
def test_ctrl_c_leaves_nothing(
    train: Train, at: str, films: Graph, learned: list[Question], base: str, tmp_path: Path
) -> None:
    def stop(what: str, done: float, total: float | None) -> None:
        if what.partition(";")[0] == at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(films, learned[:40], tmp_path / "out", base=base, progress=stop, **FAST)
    assert not list(tmp_path.iterdir())


@TRAININGS
def test_a_rate_that_is_too_high_is_said(
    train: Train, films: Graph, learned: list[Question], base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for model in (EmbedderTrainee, RerankerTrainee):
        monkeypatch.setattr(model, "loss", lambda self, drawn: torch.tensor(float("nan"), requires_grad=True))
    with pytest.raises(ModelError, match="the loss became nan in epoch 1 of 6; train with a lower learning_rate"):
        train(films, learned[:20], tmp_path / "out", base=base, **FAST)
    assert not list(tmp_path.iterdir())


@TRAININGS
def test_a_device_or_base_that_is_not_there_is_said(
    train: Train, films: Graph, learned: list[Question], base: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=r"device 'abacus' cannot be used: .*; try 'cpu'"):
        train(films, learned, tmp_path / "out", base=base, device="abacus")
    (tmp_path / "broken").mkdir()
    for name in ("config.json", "model.safetensors"):
        (tmp_path / "broken" / name).write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError, match=r"sentence-transformers cannot load .*broken: .*; are its files complete"):
        train(films, learned, tmp_path / "out", base=str(tmp_path / "broken"))


@pytest.mark.parametrize("command", ["embedder", "reranker"])
def test_the_command_trains_and_prints(
    command: str, films: Graph, learned: list[Question], base: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "questions.jsonl", tmp_path / "out"
    lines = [{"question": q.text, "seeds": list(q.seeds), "answers": list(q.answers)} for q in learned[:40]]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    given = ["train", command, str(films.path), str(file), "--out", str(out), "--base", base, "--max-hops", "2"]
    more = ["--epochs", "1", "--by", "pattern", "--batch-size", "8", "--learning-rate", "0.001", "--device", "cpu"]
    with pytest.raises(SystemExit) as stopped:
        main([*given, *more])
    assert stopped.value.code == 0
    said = capsys.readouterr().out
    assert "40 questions, of which" in said
    model = "model=" if command == "reranker" else ""
    assert f"({model}{str(out)!r})" in said.replace("\n", "")
    with pytest.raises(SystemExit) as stopped:
        main([*given, *more])
    assert stopped.value.code == 1
    assert "--overwrite" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stopped:
        main([*given, *more, "--overwrite", "--json"])
    assert stopped.value.code == 0
    assert json.loads(capsys.readouterr().out)["questions"] == 40


def test_all_minilm_is_trained_on(films: Graph, learned: list[Question], tmp_path: Path) -> None:
    try:
        resolve("all-minilm-l6-v2")
    except ModelError as error:
        pytest.skip(str(error))
    options: dict[str, Any] = {"epochs": 1, "by": "pattern", "learning_rate": 1e-4}
    report = train_embedder(films, learned[:60], tmp_path / "out", base="all-minilm-l6-v2", **FAST | options)
    assert report.untrained is not None
    assert report.trained is not None
    assert report.trained.mrr >= report.untrained.mrr
    assert EmbeddingModel(str(tmp_path / "out")).encode(["Film1"]).shape == (1, 384)
