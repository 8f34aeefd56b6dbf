"""The identity of bricks and pipelines: what decides their results.

Recipe text is not enough to know a pipeline again. A prompt file may have changed while its name stayed the same, and
another time-out changes no result. The identity leaves out parameters declared with ``changes_results=False``. In the
place of a file or folder that a parameter names, it has a checksum of the contents. A model known by a name, at a
server or at a hub, counts as the same as long as its name is. The identity of a whole pipeline (`Pipeline.identity`)
ends with a checksum of the source of the bricks of other packages in it; this package has its version in each study.
"""

from __future__ import annotations

import re
from hashlib import sha256

from graphbrick.core.errors import PipelineError
from graphbrick.core.files.digests import digest
from graphbrick.core.files.sources import sources_of
from graphbrick.core.parameters import declared
from graphbrick.pipeline.apply import Apply
from graphbrick.pipeline.brick import Brick, literal
from graphbrick.pipeline.composition import Pipeline, Sequence, Union, parts_within


def identity_of(value: Brick | Pipeline) -> str:
    """Return the identity of a brick or pipeline as text.

    Raises:
        InputError: A file that a parameter names cannot be read.
        PipelineError: A function of an `Apply` without a name uses a value that cannot be told again.

    Example:
        >>> from graphbrick import LLM, BM25, Generate, Rerank
        >>> identity_of(Rerank(BM25(), n=8) >> Generate(LLM(timeout=5)))
        'Rerank(BM25(), n=8) >> Generate(LLM())'
    """
    if isinstance(value, Sequence | Union):
        return value.text(identity_of)
    if not isinstance(value, Brick):
        raise PipelineError(
            f"{value!r} is neither a brick nor a pipeline, so it has no identity", code="identity.not_a_brick"
        )
    if isinstance(value, Apply):
        return value.own_identity
    files = value.files()

    def write(name: str, argument: object) -> str:
        if name in files:
            return f"sha256:{digest(files[name])}"
        return identity_of(argument) if isinstance(argument, Brick | Pipeline) else literal(argument)

    without_effect = {entry.name for entry in declared(type(value)) if not entry.declaration.changes_results}
    return value.text(write, always=files, never=without_effect)


def code_files(pipeline: Brick | Pipeline) -> dict[str, str]:
    """Return the SHA-256 of each source file of the bricks in a pipeline that are not of this package, by path."""
    kinds = {base for part in parts_within(pipeline) for base in type(part).__mro__ if issubclass(base, Brick)}
    return dict(sorted(file for kind in kinds for file in sources_of(kind)))  # type: ignore[arg-type]


def code_of(pipeline: Brick | Pipeline) -> str:
    """Return the end of the identity of a pipeline: a checksum of `code_files`, not of their paths; empty for none."""
    digests = [digest for _, digest in sorted(code_files(pipeline).items(), key=lambda file: file[1])]
    return f" # code sha256:{sha256(' '.join(digests).encode()).hexdigest()}" if digests else ""


def without_code(identity: str) -> str:
    """Return the identity of a pipeline as older versions had it, without `code_of`.

    >>> without_code("Mine() # code sha256:" + 64 * "0"), without_code("Mine()")
    ('Mine()', 'Mine()')
    """
    return re.sub(r" # code sha256:[0-9a-f]{64}$", "", identity)
