from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import pytest
from faults import fails, told
from onnx_models import write_cross_encoder, write_settings, write_tokenizer

from graphbrick.core.errors import ModelError
from graphbrick.core.session import Session
from graphbrick.core.trace import Trace, record
from graphbrick.models import torch_text
from graphbrick.models.scorers import cross_encoder
from graphbrick.models.scorers.cross_encoder import CrossEncoder
from graphbrick.testing import check_brick

# Of the query a word counts its number, of the text eleven times that.
ONE = {"kenya": (1.0,), "lake": (2.0,), "uganda": (5.0,), "nan": (float("nan"),)}
TWO = {"kenya": (3.0, 1.0), "lake": (1.0, 2.0), "uganda": (0.0, 5.0)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_cross_encoder(tmp_path / "model", ONE)
    return tmp_path / "model"


# In ONNX


def test_contract(folder: Path) -> None:
    check_brick(CrossEncoder(str(folder)), installed=False)
    check_brick(CrossEncoder(str(folder), template="{query} kenya {text}"), installed=False)


def test_one_logit_is_the_score(folder: Path) -> None:
    scores = CrossEncoder(str(folder)).score("lake", ["kenya", "uganda", "kenya lake", "", "unknown"])
    assert scores.dtype == np.float64
    assert scores.tolist() == [2 + 11, 2 + 55, 2 + 33, 2, 2]


def test_of_two_logits_the_score_is_the_difference(tmp_path: Path) -> None:
    write_cross_encoder(tmp_path, TWO)
    assert CrossEncoder(str(tmp_path)).score("uganda", ["kenya", "lake", ""]).tolist() == [5 - 22, 5 + 11, 5]


def test_the_output_may_have_any_name(tmp_path: Path) -> None:
    write_cross_encoder(tmp_path, ONE, output="score")
    assert CrossEncoder(str(tmp_path)).score("lake", ["kenya"]).tolist() == [13]


def test_three_logits_are_refused(tmp_path: Path) -> None:
    write_cross_encoder(tmp_path, {"kenya": (1.0, 2.0, 3.0)})
    with fails("cross_encoder.wrong_outputs", numbers=3):
        CrossEncoder(str(tmp_path)).score("kenya", ["kenya"])


def test_a_template_makes_one_text(folder: Path) -> None:
    scorer = CrossEncoder(str(folder), template="kenya {text} lake {query} {text}")
    assert scorer.score("uganda", ["kenya", "lake"]).tolist() == [1 + 1 + 2 + 5 + 1, 1 + 2 + 2 + 5 + 2]


def test_braces_in_question_and_text_are_left_alone(folder: Path) -> None:
    scorer = CrossEncoder(str(folder), template="{query} - {text}")
    assert cross_encoder._filled("{query} - {text}", "{text} {query}", "{query} {x}") == "{text} {query} - {query} {x}"
    assert scorer.score("{text} lake", ["uganda {0}"]).tolist() == [7]


@pytest.mark.parametrize("template", ["{query}", "{text}", "Query: %s", "{Query} {text}", " "])
def test_a_template_without_both_is_refused(template: str) -> None:
    with fails("parameter.not_allowed", name="template"):
        CrossEncoder(template=template)


def test_scores_do_not_depend_on_the_other_texts(folder: Path) -> None:
    scorer = CrossEncoder(str(folder))
    texts = [f"kenya {'lake ' * (i % 50)}" for i in range(200)]
    trace = Trace()
    with record(trace, "scorer", "rerank") as entry:
        scores = scorer.score("uganda", texts)
    assert scores.tolist() == [5 + 11 + 22 * (i % 50) for i in range(200)]
    assert entry.tokens_in == sum(5 + i % 50 for i in range(200))  # with three special tokens
    assert entry.tokens_in / 1024 < entry.calls < 2 * entry.tokens_in / 1024
    assert scorer.score("uganda", texts[7:8])[0] == scores[7]
    assert scorer.comparable


def test_long_pairs_are_cut_and_that_is_an_event(folder: Path) -> None:
    write_settings(folder / "tokenizer_config.json", {"model_max_length": 10})
    trace = Trace()
    with record(trace, "scorer", "rerank"):
        scores = CrossEncoder(str(folder)).score("lake", ["kenya " * 6, "kenya " * 7, "kenya"])
    assert scores.tolist() == [2 + 66, 2 + 66, 13]  # the longer of the two is what is cut
    assert told(trace.events) == [("onnx.texts_cut", {"model": str(folder), "tokens": 10, "cut": 1})]


def test_no_text(folder: Path) -> None:
    assert CrossEncoder(str(folder)).score("kenya", []).shape == (0,)


def test_scores_that_are_not_finite_are_refused_by_rate(folder: Path) -> None:
    with fails("scorer.not_finite", text="nan"):
        CrossEncoder(str(folder)).rate("lake", ["kenya", "nan"])


def test_what_is_no_model(folder: Path, tmp_path: Path) -> None:
    (folder / "model.onnx").write_bytes(b"")
    with fails("onnx.unreadable", weights="model.onnx"):
        CrossEncoder(str(folder)).score("a", ["b"])
    with fails("onnx.no_model"):
        CrossEncoder(str(tmp_path)).score("a", ["b"])
    with fails("onnx.no_folder", folder="./away"):
        CrossEncoder("./away").score("a", ["b"])


@pytest.mark.parametrize(("name", "value"), [("model", ""), ("model", None), ("template", 3)])
def test_values_that_are_refused(name: str, value: object) -> None:
    with fails("parameter.not_allowed", brick="CrossEncoder", name=name):
        CrossEncoder(**{name: value})  # type: ignore[arg-type]


# Through sentence-transformers, with a stand-in


class StandIn:
    """What is used of sentence_transformers.CrossEncoder; it scores the lengths of text and query."""

    max_seq_length = 4
    two = False

    def __init__(self, name: str, local_files_only: bool, trust_remote_code: bool) -> None:
        assert not trust_remote_code, "code beside a model is not run"
        self.name, self.asked = name, []

    def tokenizer(self, queries: list[str], texts: list[str], **options: object) -> dict[str, list[list[int]]]:
        return {"input_ids": [[1] * len(f"{a} {b}".split()) for a, b in zip(queries, texts, strict=True)]}

    def predict(self, pairs: list[tuple[str, str]], **options: object) -> npt.NDArray[np.float32]:
        self.asked.append((pairs, options))
        lengths = np.array([[len(query), len(text)] for query, text in pairs], dtype=np.float32)
        return lengths if self.name == "org/two" else lengths[:, 1]


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch, fresh_session: Session) -> None:
    identity = SimpleNamespace(Identity=lambda: "raw")
    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(CrossEncoder=StandIn))
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(nn=identity))


@pytest.mark.usefixtures("stand_in")
def test_hub_models_give_raw_logits() -> None:
    trace = Trace()
    with record(trace, "scorer", "rerank") as entry:
        scores = CrossEncoder("org/one").score("a b", ["c", "c d e f"])
    assert scores.tolist() == [1, 7]
    ((pairs, options),) = torch_text.open_torch("CrossEncoder", "org/one").asked
    assert pairs == [("a b", "c"), ("a b", "c d e f")]
    assert options["activation_fn"] == "raw"
    assert told(trace.events) == [("onnx.texts_cut", {"model": "org/one", "tokens": 4, "cut": 1})]
    assert (entry.calls, entry.tokens_in) == (1, 3 + 4)
    assert CrossEncoder("org/two").score("a b", ["c", "c d e f"]).tolist() == [1 - 3, 7 - 3]


@pytest.mark.usefixtures("stand_in")
def test_a_template_needs_onnx() -> None:
    with fails("cross_encoder.template_needs_onnx"):
        CrossEncoder("org/one", template="{query} {text}").score("a", ["b"])


@pytest.mark.usefixtures("fresh_session")
def test_missing_sentence_transformers_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(
        ModelError, match=r"BAAI/bge-reranker-v2-m3 needs the package sentence_transformers: .*\[torch\]"
    ):
        CrossEncoder().score("a", ["b"])


# Through sentence-transformers itself


@pytest.mark.models
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("labels", [1, 2])
def test_equals_transformers(tmp_path: Path, labels: int) -> None:
    import torch
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    write_tokenizer(tmp_path, list(ONE))
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "tokenizer.json"), model_max_length=16, **names)
    tokenizer.save_pretrained(tmp_path)
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    config = BertConfig(
        vocab_size=4 + len(ONE), max_position_embeddings=32, num_labels=labels, initializer_range=0.5, **sizes
    )
    model = BertForSequenceClassification(config).eval()
    model.save_pretrained(tmp_path)
    texts = ["kenya", "uganda lake lake", "", "lake " * 30]
    fed = tokenizer(["lake kenya"] * 4, texts, padding=True, truncation=True, max_length=16, return_tensors="pt")
    with torch.inference_mode():
        logits = model(**fed).logits.numpy().astype(np.float64)
    expected = logits[:, 0] if labels == 1 else logits[:, 1] - logits[:, 0]
    trace = Trace()
    with record(trace, "scorer", "rerank"):
        scores = CrossEncoder(str(tmp_path)).score("lake kenya", texts)
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-5)
    assert np.ptp(scores) > 0.01
    assert told(trace.events) == [("onnx.texts_cut", {"model": str(tmp_path), "tokens": 16, "cut": 1})]
    check_brick(CrossEncoder(str(tmp_path)), installed=False)
