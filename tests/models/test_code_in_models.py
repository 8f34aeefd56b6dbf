"""Files of models, graphs and indexes are data: what is pickled in them is not run, and neither is code beside them."""

from __future__ import annotations

import ast
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import graphbrick
from graphbrick.core.errors import GraphbrickError
from graphbrick.graphs.store.strings import open_array
from graphbrick.models.indexes.faiss_files import open_groups
from graphbrick.models.use_encoder import UseEncoder
from graphbrick.patterns.learned_file import load_learned

SOURCE = Path(graphbrick.__file__).parent
TRUSTED = {
    "core/workers/child.py",
    "spark/executors.py",
    "testing/contract.py",
}  # between processes of one job; in the memory of one test


class Attack:
    """An object that makes a file when it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self):
        return Path.touch, (self.file,)


def hostile(file: Path, mark: Path) -> None:
    """Write an array file, or several, that make a mark when they are unpickled."""
    array = np.array([Attack(mark)], dtype=object)
    if file.suffix == ".npy":
        np.save(file, array, allow_pickle=True)
    else:
        np.savez(file, description=array, q1=array, weights=array)


def test_what_is_pickled_in_an_array_is_not_run(tmp_path):
    mark = tmp_path / "mark"
    hostile(tmp_path / "a.npy", mark)
    np.load(tmp_path / "a.npy", allow_pickle=True)
    assert mark.exists(), "the attack works where pickles are allowed"
    mark.unlink()
    hostile(tmp_path / "learned.npz", mark)
    hostile(tmp_path / "weights.npz", mark)
    (tmp_path / "pickled.npz").write_bytes(pickle.dumps(Attack(mark)))
    (tmp_path / "sp.model").write_bytes(b"")
    with pytest.raises((ValueError, GraphbrickError), match=r"Python objects|damaged"):
        open_array(tmp_path / "a.npy")
    for file in ("learned.npz", "pickled.npz"):
        with pytest.raises(GraphbrickError):
            load_learned(str(tmp_path / file), "towers")
    with pytest.raises(GraphbrickError):
        UseEncoder.load(tmp_path)
    assert not mark.exists()


def test_what_is_pickled_in_an_index_is_not_run(tmp_path):
    faiss = pytest.importorskip("faiss")
    quantizer = faiss.IndexFlatIP(4)
    faiss.write_index(faiss.IndexIVFFlat(quantizer, 4, 1), str(tmp_path / "vectors.faiss"))
    mark = tmp_path / "mark"
    hostile(tmp_path / "group_sizes.npy", mark)
    with pytest.raises((ValueError, RuntimeError)):
        open_groups(tmp_path)
    assert not mark.exists()


def calls():
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                owner = ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else ""
                yield (
                    str(file.relative_to(SOURCE)),
                    owner,
                    name,
                    {key.arg: ast.unparse(key.value) for key in node.keywords},
                )


@pytest.mark.whole
def test_nothing_is_unpickled_or_evaluated_and_no_code_of_models_is_run():
    for file, owner, name, options in calls():
        place = f"{file}: {owner}.{name}"
        assert options.get("allow_pickle", "False") == "False", place
        assert options.get("trust_remote_code", "False") == "False", place
        assert not (owner in ("pickle", "dill", "joblib", "yaml") and name in ("load", "loads")) or file in TRUSTED, (
            place
        )
        assert not (owner == "torch" and name == "load" and options.get("weights_only") != "True"), place
        assert not (not owner and name in ("eval", "exec", "__import__")), place
        if owner.startswith("transformers.") and name == "from_pretrained" and "Tokenizer" not in owner:
            assert "trust_remote_code" in options or None in options, place  # None: `**options`, which has it
        if owner == "sentence_transformers" and name == "CrossEncoder":
            assert "trust_remote_code" in options, place


def test_an_onnx_model_reads_no_configuration_that_names_code(tmp_path):
    """The file that transformers would follow to code beside the weights is not read at all."""
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "tokenizer.json").write_text("{}")
    (folder / "model.onnx").write_bytes(b"none")
    (folder / "config.json").write_text(json.dumps({"auto_map": {"AutoModel": "attack.Attack"}}))
    (folder / "attack.py").write_text(f"from pathlib import Path; Path({str(tmp_path / 'mark')!r}).touch()")
    with pytest.raises(GraphbrickError):
        graphbrick.EmbeddingModel(str(folder)).encode(["a"])
    assert not (tmp_path / "mark").exists()
