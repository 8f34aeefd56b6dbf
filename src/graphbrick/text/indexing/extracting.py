"""Extract from all passages that have no result yet, and keep every result as soon as it is there."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import islice

from graphbrick.core.compute import Progress
from graphbrick.core.errors import InputError
from graphbrick.models.llm.conversations import Usage, ask_about
from graphbrick.text.documents.results import PassageProblem, StoredDrafts
from graphbrick.text.documents.store import TextStore
from graphbrick.text.extract.extraction import Extraction, Extractor
from graphbrick.text.extract.from_file import FromFile
from graphbrick.text.extract.model_extractor import ModelExtractor, better

_BATCH = 64  # passages extracted and kept together, if no language model is asked
_ENOUGH = 10  # passages of which many may not be without a result
_MANY = 0.5


@dataclass
class Extracted:
    """The result of extraction.

    Attributes:
        passages: Number of passages that were extracted now, by the extractor that had most to do.
        usage: What language models were asked.
        problems: Passages without a result, or without all of it, also of earlier times.
        dropped: Number of rows of replies and files that were left out, by reason, also of earlier times.
    """

    passages: int = 0
    usage: Usage = field(default_factory=Usage)
    problems: list[PassageProblem] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)


def extract_missing(
    store: TextStore, extractor: Extractor, progress: Progress, *, skip_bad: bool = False, retry: bool = False
) -> Extracted:
    """Extract from all passages without a result.

    Args:
        store: Where passages and results are.
        extractor: The extractor; each of its parts has results of its own.
        progress: Called now and then.
        skip_bad: Go on if a language model gives no result for many passages.
        retry: Ask again about passages without a result, or without all of it.

    Raises:
        InputError: A language model gives no result for more than half of the passages.
        ModelError: A language model cannot be asked.
        StoppedError: The budget is used up; what was extracted until then is kept.
    """
    done = Extracted()
    for part in extractor.parts:
        identity = part.identity
        missing, again = store.missing(identity), to_ask_again(store, identity, skip_bad=skip_bad, retry=retry)
        done.passages = max(done.passages, len(missing) + len(again))
        if isinstance(part, ModelExtractor):
            _ask(store, part, missing, again, done.usage, progress, skip_bad)
            problems = store.passage_problems(identity)
            _refuse_many(part, [one.reason for one in problems if one.is_empty], store.n_passages(), skip_bad)
            done.problems += problems
        else:
            _extract(store, part, missing, progress)
        if isinstance(part, ModelExtractor | FromFile):
            done.dropped.update(store.dropped_rows(identity))
    return done


def to_ask_again(store: TextStore, identity: str, *, skip_bad: bool, retry: bool) -> list[bytes]:
    """Return the passages to ask about again: all with a problem, or those for which a server failed.

    All of them too if the run before gave a result for few, and so no graph: the same command would only repeat that.
    """
    failed, passages = sum(one.is_empty for one in store.passage_problems(identity)), store.n_passages()
    has_few = failed > 0 and (failed == passages or _are_many(failed, passages))
    return store.with_problem(identity) if retry or (has_few and not skip_bad) else store.failed(identity)


def _extract(store: TextStore, extractor: Extractor, missing: list[bytes], progress: Progress) -> None:
    texts = store.texts(missing)
    for first in range(0, len(missing), _BATCH):
        keys = missing[first : first + _BATCH]
        results = extractor.extract(list(islice(texts, len(keys))))
        store.keep(extractor.identity, [(key, one.to_json()) for key, one in zip(keys, results, strict=True)])
        progress("extracting", first + len(keys), len(missing))


def _ask(
    store: TextStore,
    extractor: ModelExtractor,
    missing: list[bytes],
    again: list[bytes],
    usage: Usage,
    progress: Progress,
    skip_bad: bool,
) -> None:
    """Ask a language model; each result is one transaction.

    A passage that is asked about again keeps what it has until there is a better result.
    """
    failed, counted = list[str](), (usage.tokens_in, usage.tokens_out)
    keys = [*missing, *again]
    passages = zip(keys, store.texts(keys), strict=True)
    earlier, new = frozenset(again), 0
    drafts = StoredDrafts(store, extractor.identity)
    results = ask_about(extractor, passages, drafts=drafts, usage=usage, forgiving=True)
    for number, (key, result) in enumerate(results, 1):
        tokens = usage.tokens_in - counted[0], usage.tokens_out - counted[1]
        if key in earlier:
            result = better(Extraction.from_json(store.result(key, extractor.identity)), result)
        store.keep(extractor.identity, [(key, result.to_json())], tokens)
        counted = usage.tokens_in, usage.tokens_out
        progress("extracting", number, len(keys))
        if key in earlier:
            continue  # most of these fail again, which says nothing of the others
        new += 1
        if _has_failed(result):
            failed.append(result.problem)
            if new >= _ENOUGH:
                _refuse_many(extractor, failed, new, skip_bad)


def _has_failed(result: Extraction) -> bool:
    return bool(result.problem) and not result.size


def _are_many(failed: int, passages: int) -> bool:
    return failed > max(_MANY * passages, 1)


def _refuse_many(extractor: Extractor, failed: list[str], passages: int, skip_bad: bool) -> None:
    """Raise InputError if there is no result for more than half of the passages."""
    if _are_many(len(failed), passages) and not skip_bad:
        reason = Counter(failed).most_common(1)[0][0]
        raise InputError(
            f"{extractor!r} has no result for {len(failed):,} of {passages:,} passages, such as: {reason}; the same "
            "command asks about them again; try another model, or --skip-bad (skip_bad=True) to go on without them",
            code="extract.few_results",
            n=len(failed),
            total=passages,
        )
