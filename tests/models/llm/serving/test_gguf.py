from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
from faults import fails
from hypothesis import given
from hypothesis import strategies as st
from local_models import write_gguf

from graphbrick.core.errors import ModelError
from graphbrick.models.llm.serving.gguf import Head, read_head

ARCHITECTURE = {"general.architecture": "qwen2"}
VALUES = st.one_of(
    st.booleans(),
    st.integers(0, 2**32 - 1),
    st.floats(width=32),
    st.text(max_size=20),
    st.lists(st.integers(0, 9), max_size=5),
    st.lists(st.text(max_size=5), max_size=5),
    st.lists(st.lists(st.text(max_size=3), min_size=1, max_size=3), max_size=3),
)


@given(before=st.dictionaries(st.text(max_size=9), VALUES, max_size=5), context=st.integers(1, 2**31))
def test_the_context_is_found_among_other_values(
    tmp_path_factory: pytest.TempPathFactory, before: dict[str, Any], context: int
) -> None:
    path = tmp_path_factory.mktemp("gguf") / "model.gguf"
    values = before | ARCHITECTURE | {"llama.context_length": 7, "qwen2.context_length": context, "after": ["a"]}
    assert read_head(write_gguf(path, values)) == Head("qwen2", context)


def test_the_architecture_may_come_last(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "model.gguf", {"qwen2.context_length": 512} | ARCHITECTURE, version=2)
    assert read_head(path) == Head("qwen2", 512)


def test_a_file_need_not_say_its_context(tmp_path: Path) -> None:
    assert read_head(write_gguf(tmp_path / "model.gguf", ARCHITECTURE)) == Head("qwen2", None)


def test_long_texts_are_passed_over(tmp_path: Path) -> None:
    values = {"template": "x" * 100_000} | ARCHITECTURE | {"qwen2.context_length": 512}
    assert read_head(write_gguf(tmp_path / "model.gguf", values)) == Head("qwen2", 512)


@pytest.mark.parametrize("content", [b"", b"GG", b"not a model", b"PK\x03\x04"])
def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "model.gguf").write_bytes(content)
    with fails("gguf.other_format"):
        read_head(tmp_path / "model.gguf")


def test_a_cut_file_is_refused_wherever_it_is_cut(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "model.gguf", {"a": [1, 2], "b": "text"} | ARCHITECTURE | {"qwen2.context_length": 9})
    whole = path.read_bytes().removesuffix(b"MODE:")
    for end in range(4, len(whole)):
        path.write_bytes(whole[:end])
        with fails("gguf.damaged"):
            read_head(path)


@pytest.mark.parametrize(
    ("head", "says"),
    [
        (struct.pack("<IQQ", 1, 0, 0), "is GGUF version 1; versions 2 to 3 can be read"),
        (struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"a" + struct.pack("<I", 99), "unknown kind 99"),
        (
            struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"a" + struct.pack("<IIQ", 9, 8, 2**60),
            "a list has 1,152,921,504,606,846,976 entries",
        ),
    ],
)
def test_a_damaged_head_is_refused(tmp_path: Path, head: bytes, says: str) -> None:
    (tmp_path / "model.gguf").write_bytes(b"GGUF" + head)
    with pytest.raises(ModelError, match=says):
        read_head(tmp_path / "model.gguf")


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with fails("gguf.is_a_folder"):
        read_head(tmp_path)
    with fails("gguf.unreadable"):
        read_head(tmp_path / "nothing.gguf")
