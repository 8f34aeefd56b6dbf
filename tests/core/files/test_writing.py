"""Files whose errors name them."""

from __future__ import annotations

import errno
from pathlib import Path

import numpy as np
import pytest

from graphbrick.core.files.writing import FileWriter, naming, write_array


def test_an_error_without_a_file_gets_one_and_another_keeps_its_own(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space") as full, naming(tmp_path / "a"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert full.value.filename == str(tmp_path / "a")
    with pytest.raises(OSError, match="No such file") as missing, naming(tmp_path / "a"):
        (tmp_path / "b").read_bytes()
    assert missing.value.filename == str(tmp_path / "b")


def test_a_file_knows_where_it_is(tmp_path: Path) -> None:
    file = FileWriter(tmp_path / "a")
    assert (file.tell(), file.write(b"abc"), file.tell()) == (0, 3, 3)
    file.rewind()
    file.write(np.frombuffer(b"x", dtype=np.uint8))
    file.close()
    assert (tmp_path / "a").read_bytes() == b"xbc"


def test_an_array_is_written_as_its_bytes(tmp_path: Path) -> None:
    array = np.arange(6, dtype=np.int32).reshape(2, 3).T
    write_array(tmp_path / "a", array)
    assert (tmp_path / "a").read_bytes() == np.ascontiguousarray(array).tobytes()
