"""Embedding models through sentence-transformers, with a stand-in and with the library itself."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import pytest
from faults import fails, told
from onnx_models import write_settings, write_tokenizer
from word_vectors import TABLE, unit

from graphbrick.core.errors import ModelError
from graphbrick.core.session import Session
from graphbrick.core.trace import Trace, record
from graphbrick.models import torch_text
from graphbrick.models.embedders.embedding_model import EmbeddingModel
from graphbrick.testing import check_brick

# Through sentence-transformers, with a stand-in


class StandIn:
    """What is used of a SentenceTransformer."""

    prompts = {"query": "", "document": ""}
    max_seq_length = 3

    def __init__(self, name: str, local_files_only: bool, trust_remote_code: bool) -> None:
        assert not trust_remote_code, "code beside a model is not run"
        if name == "no/such":
            raise OSError("no/such is not a valid model identifier\nmore about it")
        self.made_with, self.asked = (name, local_files_only), []

    def tokenizer(self, texts: list[str], **options: object) -> dict[str, list[list[int]]]:
        assert options == {"padding": False, "truncation": False, "verbose": False}
        return {"input_ids": [[1] * len(text.split()) for text in texts]}

    def encode(self, texts: list[str], **options: object) -> npt.NDArray[np.float32]:
        self.asked.append((texts, options))
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32) * (texts != ["zero"])


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch, fresh_session: Session) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=StandIn))
    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(try_to_load_from_cache=lambda *_, **__: None))


@pytest.mark.usefixtures("stand_in")
def test_hub_models_are_asked_without_their_prompts() -> None:
    trace, model = Trace(), EmbeddingModel("org/name", query_prefix="q: ", text_prefix="t: ")
    with record(trace, "model", "rerank") as entry:
        vectors = model.encode(["a b c d", "b"])
    np.testing.assert_allclose(vectors, [unit(10, 1), unit(4, 1)], rtol=0, atol=1e-6)
    opened = torch_text.open_torch("SentenceTransformer", "org/name")
    assert opened.made_with == ("org/name", False)
    ((texts, options),) = opened.asked
    assert texts == ["t: a b c d", "t: b"]
    assert options["prompt"] == ""
    assert options["show_progress_bar"] is False
    assert told(trace.events) == [("onnx.texts_cut", {"model": "org/name", "tokens": 3, "cut": 1})]
    assert (entry.calls, entry.tokens_in) == (1, 5)
    assert model.encode_query("x").tolist() == pytest.approx(unit(4, 1))
    assert opened.asked[1][0] == ["q: x"]
    assert model.identity == "hub org/name of unknown revision, text_prefix='t: '"


@pytest.mark.usefixtures("stand_in")
def test_questions_have_a_model_of_their_own() -> None:
    passages = EmbeddingModel("org/passages")
    both = EmbeddingModel("org/passages", query_prefix="q: ", query_model="org/questions")
    both.encode(["a"])
    both.encode_query("b")
    asked = [torch_text.open_torch("SentenceTransformer", name).asked for name in ("org/passages", "org/questions")]
    assert [[texts for texts, _ in calls] for calls in asked] == [[["a"]], [["q: b"]]]
    assert both.identity == passages.identity  # vectors of passages are shared


@pytest.mark.usefixtures("stand_in")
def test_texts_run_in_batches_of_the_given_size() -> None:
    trace = Trace()
    with record(trace, "model", "rerank") as entry:
        EmbeddingModel("org/name", batch=2).encode(["a b", "c", "d", "e", "f g"])
    ((_, options),) = torch_text.open_torch("SentenceTransformer", "org/name").asked
    assert options["batch_size"] == 2
    assert (entry.calls, entry.tokens_in) == (3, 7)


@pytest.mark.usefixtures("stand_in")
def test_a_folder_of_torch_weights_is_not_looked_for_at_the_hub(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    model = EmbeddingModel(str(tmp_path))
    model.encode(["a"])
    assert torch_text.open_torch("SentenceTransformer", str(tmp_path)).made_with == (str(tmp_path), True)
    first = model.identity
    assert hashlib.sha256(hashlib.sha256(b"weights").hexdigest().encode()).hexdigest() in first
    (tmp_path / "config.json").write_text("{}")
    assert model.identity != first


@pytest.mark.usefixtures("stand_in")
def test_what_the_hub_refuses_is_one_line() -> None:
    with pytest.raises(ModelError) as caught:
        EmbeddingModel("no/such").encode(["a"])
    assert str(caught.value) == (
        "sentence-transformers cannot load no/such: no/such is not a valid model identifier; "
        "is that a name of the hub, and can it be reached?"
    )


@pytest.mark.usefixtures("stand_in")
def test_a_zero_vector_of_torch_names_its_text_too() -> None:
    with fails("onnx.no_direction", text="zero", is_zero=True):
        EmbeddingModel("org/name").encode(["zero"])


@pytest.mark.usefixtures("fresh_session")
def test_missing_sentence_transformers_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ModelError, match=r"org/name needs the package sentence_transformers: .*'graphbrick\[torch\]'"):
        EmbeddingModel("org/name").score("a", ["b"])


# Through sentence-transformers itself

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model with random weights, as sentence-transformers saves it."""
    import sentence_transformers as library
    import torch
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("torch")
    write_tokenizer(folder / "bert", list(TABLE))
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    file = str(folder / "bert" / "tokenizer.json")
    PreTrainedTokenizerFast(tokenizer_file=file, model_max_length=16, **names).save_pretrained(folder / "bert")
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    BertModel(BertConfig(vocab_size=4 + len(TABLE), max_position_embeddings=32, **sizes)).save_pretrained(
        folder / "bert"
    )
    library.SentenceTransformer(str(folder / "bert")).save(str(folder / "model"))
    return folder / "model"


@pytest.mark.models
@pytest.mark.filterwarnings("default")
def test_equals_sentence_transformers(bert: Path) -> None:
    from sentence_transformers import SentenceTransformer

    texts = ["kenya uganda", "lake", "", "kenya " * 40, "passage: lake"]
    assert EmbeddingModel(str(bert)).encode(["lake \ud800"]).shape == (1, 16)
    expected = SentenceTransformer(str(bert)).encode(texts, normalize_embeddings=True)
    trace, model = Trace(), EmbeddingModel(str(bert))
    with record(trace, "model", "rerank") as entry:
        np.testing.assert_allclose(model.encode(texts), expected, rtol=0, atol=1e-6)
    assert told(trace.events) == [("onnx.texts_cut", {"model": str(bert), "tokens": 16, "cut": 1})]
    assert (entry.calls, entry.tokens_in) == (1, 4 + 3 + 2 + 16 + 5)
    marked = EmbeddingModel(str(bert), query_prefix="passage: ")
    np.testing.assert_allclose(marked.encode_query("lake"), expected[4], rtol=0, atol=1e-6)
    check_brick(model, installed=False)


@pytest.mark.posix
@pytest.mark.models
def test_a_hub_model_in_the_cache_is_known_by_its_commit(bert: Path, tmp_path: Path) -> None:
    kept = tmp_path / "hub" / "models--tiny--bert"
    write_settings(kept / "refs" / "main", 0)
    (kept / "refs" / "main").write_text(COMMIT)
    (kept / "snapshots").mkdir()
    (kept / "snapshots" / COMMIT).symlink_to(bert)
    code = "from graphbrick.models.embedders.embedding_model import EmbeddingModel as M; print(M('tiny/bert').identity)"
    places = {"HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1", "PATH": "", "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=places, capture_output=True, text=True, check=False)
    assert done.stdout == f"hub tiny/bert {COMMIT}, text_prefix=''\n", done.stderr
