"""Estimates of the work and cost of indexing, before anything is paid."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from graphbrick.core.compute import Progress, part_of, silent
from graphbrick.core.errors import InputError
from graphbrick.graphs.store.beside_text import text_folder
from graphbrick.text.documents.chunks import Chunker
from graphbrick.text.documents.store import TextStore
from graphbrick.text.extract.extraction import Extractor
from graphbrick.text.extract.model_extractor import ModelExtractor
from graphbrick.text.indexing.describe import Describe, DescribeCost, describe_cost
from graphbrick.text.indexing.extracting import to_ask_again
from graphbrick.text.indexing.indexing import chosen, records_of, stored_describe, unread
from graphbrick.text.indexing.reading import Reading, Source, read_sources
from graphbrick.text.sources.tables import SourceOptions

_ENOUGH = 10  # passages whose tokens tell those of others
_SYNTAX = 30  # tokens of a reply besides its rows


@dataclass
class ModelEstimate:
    """The estimated requests of one extractor to a language model.

    Attributes:
        extractor: The extractor.
        passages: Number of passages.
        calls: Number of calls, if every reply can be read.
        tokens_in: Tokens read, about.
        tokens_out: Tokens written, about.
        measured: Number of earlier passages whose tokens were measured; 0 if the figures are by a rule of thumb.
        cost: US dollars, about; None if no price is known.
        most_tokens: Tokens read and written at most, if every reply is as long as it may be and has to be repeated.
        most_cost: US dollars at most; None if no price is known.
    """

    extractor: ModelExtractor
    passages: int
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    measured: int = 0
    cost: float | None = None
    most_tokens: int = 0
    most_cost: float | None = None


@dataclass
class Estimate:
    """The estimated work of indexing.

    Attributes:
        reading: What has changed in the documents.
        documents: Number of documents then.
        passages: Number of passages then, equal ones counted once.
        extract: Number of passages to extract from.
        extractor: The extractor.
        models: What its parts would ask language models; empty if none is asked.
        describe: What describing would ask about the passages that are extracted already; None if nothing is described
            by a model. What it will ask about the others is not known before they are extracted.
    """

    reading: Reading
    documents: int
    passages: int
    extract: int
    extractor: Extractor
    models: list[ModelEstimate] = field(default_factory=list)
    describe: DescribeCost | None = None


def estimate(
    sources: Iterable[Source],
    path: str | PathLike[str],
    *,
    chunker: Chunker | None = None,
    extractor: Extractor | None = None,
    describe: Describe | Literal[False] | None = None,
    options: SourceOptions | None = None,
    remove: Iterable[str] = (),
    skip_bad: bool = False,
    retry: bool = False,
    progress: Progress = silent,
) -> Estimate:
    """Return what `graphbrick.index` would extract and cost with the same arguments; nothing is changed.

    Documents are read into a copy of the database, which is removed.

    Raises:
        InputError: A source is missing, or a file cannot be read.
    """
    folder = text_folder(Path(path))
    with TemporaryDirectory() as place, TextStore(Path(place)) as store:
        if folder.is_dir():
            with TextStore(folder) as current:
                current.copy_into(store)
        chunker, extractor = chosen(store, chunker, extractor)
        reading = read_sources(
            store,
            sources,
            chunker,
            options or SourceOptions(),
            remove=list(remove),
            progress=part_of(progress, "reading"),
        )
        if reading.problems and not skip_bad:
            raise InputError(unread(reading.problems), code="estimate.unread_files", n=len(reading.problems))
        result = Estimate(reading, len(store.documents()), store.n_passages(), 0, extractor)
        unknown = set[bytes]()
        for part in extractor.parts:
            again = to_ask_again(store, part.identity, skip_bad=skip_bad, retry=retry)
            missing = store.missing(part.identity) + again
            unknown.update(missing)
            result.extract = max(result.extract, len(missing))
            if isinstance(part, ModelExtractor):
                result.models.append(_model_estimate(store, part, missing, progress))
        describer = stored_describe(store) if describe is None else describe
        if describer:
            result.describe = describe_cost(records_of(store, extractor, unknown), store, describer)
        return result


def _model_estimate(
    store: TextStore, extractor: ModelExtractor, missing: list[bytes], progress: Progress
) -> ModelEstimate:
    """Return what an extractor would ask about some passages."""
    model, rounds = extractor.model, len(extractor.follow_ups)
    result = ModelEstimate(extractor, len(missing), len(missing) * (1 + rounds))
    prompts, most_in = 0, 0
    for number, text in enumerate(store.texts(missing), 1):
        prompt = model.tokens(extractor.prompt(text))
        reply = round(extractor.usual_share * model.tokens([{"role": "user", "content": text}])) + _SYNTAX
        prompts += prompt
        # Each further round sends everything so far again, and is answered by about as much.
        result.tokens_in += sum(prompt + round_ * reply for round_ in range(1 + rounds))
        result.tokens_out += (1 + rounds) * reply
        most_in += sum(prompt + sent * model.max_tokens for sent in range(2 + rounds))
        progress("counting tokens", number, len(missing))
    most_out = len(missing) * (2 + rounds) * model.max_tokens
    result.most_tokens = most_in + most_out
    passages, tokens_in, tokens_out = store.usage(extractor.identity)
    if passages >= _ENOUGH:
        result.measured = passages
        result.tokens_in = round(len(missing) * tokens_in / passages)
        result.tokens_out = round(len(missing) * tokens_out / passages)
    price = model.price()
    if price is not None:
        result.cost = price.cost(result.tokens_in, result.tokens_out)
        result.most_cost = price.cost(most_in, most_out)
    return result
