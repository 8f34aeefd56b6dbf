"""Pack the files of a wheel more closely, by libdeflate: the same content in 2 % fewer bytes of the wheel.

    python tools/pack_wheel.py dist/*.whl

Part of ``make dist``. Every file is read back and compared before the wheel is replaced.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import deflate

LEVEL = 12  # the closest


class _Packer:
    """What `zipfile` compresses a file with: all of it at the end."""

    def __init__(self) -> None:
        self._content = bytearray()

    def compress(self, data: bytes) -> bytes:
        """Keep a part of the file."""
        self._content += data
        return b""

    def flush(self) -> bytes:
        """Return the compressed file."""
        return bytes(deflate.deflate_compress(bytes(self._content), LEVEL))


def pack(wheel: Path) -> None:
    """Pack a wheel in place.

    Raises:
        ValueError: A file is not the same after it was packed.
    """
    half, found = wheel.with_name(f"{wheel.name}.half"), zipfile._get_compressor  # type: ignore[attr-defined]
    zipfile._get_compressor = lambda kind, level=None: (  # type: ignore[attr-defined]
        _Packer() if kind == zipfile.ZIP_DEFLATED else found(kind, level)
    )
    try:
        with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(half, "w", zipfile.ZIP_DEFLATED) as new:
            for entry in old.infolist():
                new.writestr(entry, old.read(entry), zipfile.ZIP_DEFLATED)
    finally:
        zipfile._get_compressor = found  # type: ignore[attr-defined]
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(half) as new:
        other = [entry.filename for entry in old.infolist() if old.read(entry) != new.read(entry.filename)]
        if other or old.namelist() != new.namelist():
            raise ValueError(f"{wheel} was packed wrongly: {', '.join(other)}")
    before = wheel.stat().st_size
    half.replace(wheel)
    print(f"{wheel.name}: {wheel.stat().st_size:,} bytes, {before:,} before")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        pack(Path(name))
