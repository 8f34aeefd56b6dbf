"""The seal of a graph folder: the checksum of its manifest, and how many changes were made since it was built.

It is written with the manifest, and again after each change, so that a change whose file has vanished is noticed. A
process that is killed in between leaves one change more than the seal says, which is right. Folders of earlier versions
have no seal.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import NamedTuple

from graphbrick.core.errors import GraphFormatError
from graphbrick.core.files.writing import write_in

NAME = "seal.json"
UNFINISHED = re.compile(r"\.seal\.json\.\d+")


class Seal(NamedTuple):
    """The seal of a graph folder.

    Attributes:
        manifest: SHA-256 of the manifest.
        changes: Least number of changes since the build.
    """

    manifest: str
    changes: int

    @classmethod
    def of(cls, manifest: bytes, changes: int = 0) -> Seal:
        """Return the seal of a manifest."""
        return cls(hashlib.sha256(manifest).hexdigest(), changes)

    @classmethod
    def read(cls, folder: Path) -> Seal | None:
        """Return the seal of a folder; None if it has none.

        Raises:
            GraphFormatError: It is damaged.
        """
        file = folder / NAME
        try:
            parts = json.loads(file.read_bytes())
            seal = cls(parts["manifest"], parts["changes"])
            if parts != seal.to_dict() or type(seal.changes) is not int:
                raise ValueError("its checksum differs")
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise GraphFormatError(
                f"{file} is damaged ({error}); build the graph again from its source, or remove that file if "
                f"graphbrick info --check {folder} then has no complaint",
                code="graph.damaged_seal",
                file=file,
            ) from error
        return seal

    def to_dict(self) -> dict[str, str | int]:
        """Return the content of the file, with a checksum of the other parts."""
        checksum = hashlib.sha256(f"{self.manifest} {self.changes}".encode()).hexdigest()
        return {"manifest": self.manifest, "changes": self.changes, "checksum": checksum}

    def write(self, folder: int) -> None:
        """Write or replace the file of a folder that is open by this descriptor.

        Raises:
            OSError: It cannot be written; what was there is kept.
        """
        write_in(folder, NAME, self.encode())

    def encode(self) -> bytes:
        """Return the bytes of the file."""
        return json.dumps(self.to_dict()).encode() + b"\n"
