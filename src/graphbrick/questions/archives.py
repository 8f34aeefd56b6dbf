"""Safe extraction of single files from a downloaded zip archive."""

from __future__ import annotations

import stat
import zipfile
import zlib
from pathlib import Path

from graphbrick.core.errors import InputError

LARGEST = 4 << 30
"""Maximum size of an extracted file in bytes."""

_CHUNK = 1 << 20
_SHOWN = 8  # names of an archive's files in an error


def take_out(archive: Path, member: str, target: Path) -> None:
    """Extract one file of an archive to the given path; paths inside the archive are ignored.

    Args:
        archive: The archive.
        member: The name of the file in the archive.
        target: The path to write; an existing file is overwritten.

    Raises:
        InputError: The archive is not a zip file or is damaged; it does not contain the file; the file is a link, is
            encrypted, or is larger than `LARGEST`.
        OSError: The target cannot be written.
    """
    try:
        with (
            zipfile.ZipFile(archive) as opened,
            opened.open(_checked(opened, archive, member)) as source,
            target.open("wb") as out,
        ):
            left = LARGEST
            while block := source.read(_CHUNK):
                left -= len(block)  # the size stated in the archive may be wrong
                if left < 0:
                    raise InputError(
                        f"{member} has more than {LARGEST:,} bytes and is not taken out",
                        archive,
                        code="archive.too_large",
                        member=member,
                    )
                out.write(block)
    except (zipfile.BadZipFile, RuntimeError, EOFError, zlib.error) as error:
        raise InputError(
            f"this is not a zip archive that can be read: {error}", archive, code="archive.not_readable"
        ) from error


def _checked(opened: zipfile.ZipFile, archive: Path, member: str) -> zipfile.ZipInfo:
    """Return the entry of a file in the archive."""
    try:
        info = opened.getinfo(member)
    except KeyError:
        names = [name for name in opened.namelist() if not name.endswith("/")]
        held = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
        raise InputError(
            f"there is no {member} in it; it holds {held or 'nothing'}",
            archive,
            code="archive.no_member",
            member=member,
        ) from None
    if stat.S_ISLNK(info.external_attr >> 16):
        raise InputError(f"{member} is a link, not a file", archive, code="archive.link", member=member)
    if info.flag_bits & 1:
        raise InputError(f"{member} is encrypted; unpack it by hand", archive, code="archive.encrypted", member=member)
    if info.file_size > LARGEST:
        raise InputError(
            f"{member} has more than {LARGEST:,} bytes and is not taken out",
            archive,
            code="archive.member_too_large",
            member=member,
        )
    return info
