from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.core.files.locks import claim
from graphbrick.models.vectors import segments
from graphbrick.models.vectors.segments import Hashes, Segment, hash_texts, merge, write_segment

ODD = ["", " ", "a", "A", "á", "a\u0301", "\x00", "\ud800", "\udfff", "😀", "x" * 10_000]


def vectors_of(texts: Sequence[str], dimensions: int = 4) -> npt.NDArray[np.float16]:
    """A vector a text that depends on the text only."""
    digests = [blake2b(t.encode("utf-8", "surrogatepass"), digest_size=dimensions).digest() for t in texts]
    numbers = np.frombuffer(b"".join(digests), dtype=np.uint8).reshape(len(texts), dimensions)
    return (numbers.astype(np.float32) / 256 + 0.001).astype(np.float16)


def segment_of(folder: Path, texts: Sequence[str]) -> Segment:
    folder.mkdir(exist_ok=True)
    return Segment(write_segment(folder, hash_texts(texts), vectors_of(texts)))


def check(segment: Segment, texts: Sequence[str]) -> None:
    """Every text is found with its vector, bit by bit."""
    rows = segment.find(hash_texts(texts))
    assert (rows >= 0).all()
    assert np.asarray(segment.vectors[rows]).tobytes() == vectors_of(texts, segment.dimensions).tobytes()


def test_hashes_are_of_the_text_alone() -> None:
    hashes = hash_texts(ODD)
    assert (hashes.dtype, hashes.shape) == (np.uint64, (len(ODD), 2))
    assert len({row.tobytes() for row in hashes}) == len(ODD)
    for row, text in zip(hashes, ODD, strict=True):
        assert row.tobytes() == blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    assert (hash_texts(ODD[::-1])[::-1] == hashes).all()
    assert hash_texts([]).shape == (0, 2)


@given(texts=st.lists(st.one_of(st.sampled_from(ODD), st.text(max_size=3)), min_size=1, max_size=30))
def test_what_is_written_is_found(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    folder = tmp_path_factory.getbasetemp() / "segments"
    segment = segment_of(folder, texts)
    check(segment, texts)
    assert len(segment.keys) == len(segment.vectors) == len(set(texts))
    assert segment.dimensions == 4
    assert segment.bytes == segment.file.stat().st_size
    first = [int(key) for key in segment.keys[:, 0]]
    assert first == sorted(first)
    others = [f"{text}?" for text in texts if f"{text}?" not in texts]
    assert not others or (segment.find(hash_texts(others)) == -1).all()
    assert segment.find(hash_texts([])).tolist() == []
    assert list(folder.glob(".*")) == []
    segment.file.unlink()


@pytest.mark.parametrize("last", [0, 2**64 - 1])
def test_hashes_at_the_ends_of_the_range(tmp_path: Path, last: int) -> None:
    keys: Hashes = np.array([[last, 5], [7, 7]], dtype=np.uint64)
    segment = Segment(write_segment(tmp_path, keys, np.array([[1.0], [2.0]], dtype=np.float16)))
    asked = np.array([[last, 5], [last, 6], [7, 7], [8, 7], [6, 7], [2**64 - 2, 0]], dtype=np.uint64)
    rows = segment.find(asked)
    assert [float(segment.vectors[row, 0]) if row >= 0 else None for row in rows] == [1, None, 2, None, None, None]


def test_more_rows_than_are_written_at_once(tmp_path: Path) -> None:
    texts = [f"text {i}" for i in range(10_000)]
    check(segment_of(tmp_path, texts), texts)


def test_equal_hashes_keep_the_vector_that_came_first(tmp_path: Path) -> None:
    keys = hash_texts(["a", "b", "a"])
    segment = Segment(write_segment(tmp_path, keys, np.array([[1.0], [2.0], [3.0]], dtype=np.float16)))
    assert segment.vectors[segment.find(keys)].tolist() == [[1.0], [2.0], [1.0]]


def test_names_are_never_used_twice(tmp_path: Path) -> None:
    names = {segment_of(tmp_path, ["a"]).file.name for _ in range(50)}
    assert len(names) == 50
    assert all(name.endswith(".seg") for name in names)


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "rename", full)
    with pytest.raises(OSError, match="No space left"):
        write_segment(tmp_path, hash_texts(["a"]), vectors_of(["a"]))
    assert list(tmp_path.iterdir()) == []


def test_a_merge_holds_all_and_removes_the_parts(tmp_path: Path) -> None:
    one, other = segment_of(tmp_path, ["a", "b", "both"]), segment_of(tmp_path, ["c", "both"])
    merged = merge(tmp_path, [one, other])
    assert merged is not None
    check(merged, ["a", "b", "c", "both"])
    assert len(merged.keys) == 4
    assert list(tmp_path.iterdir()) == [merged.file]
    # Who has the parts open still reads them.
    check(one, ["a", "b", "both"])
    check(other, ["c", "both"])


def test_parts_that_another_process_has_merged_are_left(tmp_path: Path) -> None:
    one, other, third = (segment_of(tmp_path, [text]) for text in "abc")
    assert merge(tmp_path, [one, other]) is not None
    before = sorted(tmp_path.iterdir())
    assert merge(tmp_path, [other, third]) is None
    assert sorted(tmp_path.iterdir()) == before
    check(third, ["c"])


def test_only_one_process_merges_at_a_time(tmp_path: Path) -> None:
    pair = [segment_of(tmp_path, [text]) for text in "ab"]
    with claim(tmp_path / ".merge.lock"):
        assert merge(tmp_path, pair) is None
        assert len(list(tmp_path.glob("*.seg"))) == 2
    assert merge(tmp_path, pair) is not None


def header(*numbers: int) -> bytes:
    return np.array(numbers, dtype=np.uint64).tobytes()


MAGIC = 0x31564247
DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda whole: b"",
    "one byte": lambda whole: whole[:1],
    "half a header": lambda whole: whole[:12],
    "two thirds of a header": lambda whole: whole[:16],
    "only the header": lambda whole: whole[:24],
    "cut in the hashes": lambda whole: whole[:40],
    "cut at the end": lambda whole: whole[:-1],
    "too long": lambda whole: whole + b"\0",
    "all zeros": lambda whole: bytes(len(whole)),
    "another magic": lambda whole: b"XXXX" + whole[4:],
    "text": lambda whole: b"<html>" * 50,
    "huge counts": lambda whole: header(MAGIC, 2**63, 2**63) + whole[24:],
    "no rows": lambda whole: header(MAGIC, 4, 0),
    "another hash": lambda whole: whole[:30] + bytes([whole[30] ^ 1]) + whole[31:],
    "another vector": lambda whole: whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:],
    "another checksum": lambda whole: whole[:-1] + bytes([whole[-1] ^ 1]),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_refused(tmp_path: Path, damage: str) -> None:
    file = segment_of(tmp_path, ["a", "b", "c"]).file
    file.write_bytes(DAMAGE[damage](file.read_bytes()))
    with pytest.raises(ValueError, match=r"\w"):
        Segment(file)


def test_a_file_of_an_earlier_version_has_no_checksum(tmp_path: Path) -> None:
    file = segment_of(tmp_path, ["a", "b", "c"]).file
    file.write_bytes(file.read_bytes()[:-4] + bytes(4))
    Segment(file).check()


def test_a_large_damaged_file_is_found_by_its_check_and_not_merged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "_SMALL", 0)
    first, second = segment_of(tmp_path, ["a", "b"]).file, segment_of(tmp_path, ["c"])
    data = bytearray(first.read_bytes())
    data[-9] ^= 1
    first.write_bytes(data)
    damaged = Segment(first)
    with pytest.raises(ValueError, match="checksum"):
        damaged.check()
    assert merge(tmp_path, [damaged, second]) is None
    assert first.exists()


def test_a_file_that_is_away_is_not_damaged(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Segment(tmp_path / "away.seg")
