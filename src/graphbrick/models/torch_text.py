"""Text models that sentence-transformers loads: opened once a session, with their tokens counted."""

from __future__ import annotations

from typing import Any

from graphbrick.core.errors import ModelError
from graphbrick.core.session import current_session
from graphbrick.core.trace import count_call, event
from graphbrick.models.onnx_text import HELD, TOKENIZER, WEIGHTS, Texts, cut_event, first_line
from graphbrick.models.places import called, folder_of, near

BATCH = 32  # texts that sentence-transformers runs at once


def open_torch(kind: str, model: str) -> Any:
    """Return a model of sentence-transformers; a session loads it once.

    Args:
        kind: The class, "SentenceTransformer" or "CrossEncoder".
        model: A folder, or a name of the hub.

    Raises:
        ModelError: sentence-transformers is not installed, or cannot load the model.
    """
    return current_session().get(("torch model", kind, model), lambda: _open_torch(kind, model), at_most=HELD)


def _open_torch(kind: str, model: str) -> Any:
    try:
        import sentence_transformers
    except ImportError as error:
        raise ModelError(
            f"{called(model)} needs the package {error.name}: pip install 'graphbrick[torch]' "
            f"(a folder with {TOKENIZER} and {WEIGHTS[0]} needs only 'graphbrick[minilm]')",
            code="torch.not_installed",
            package=error.name,
        ) from error
    folder = folder_of(model)
    here = folder.is_dir()
    try:
        named = str(folder) if here else model
        # Code that stands in a folder of a model is not run; torch itself reads weights alone from its pickles.
        return getattr(sentence_transformers, kind)(named, local_files_only=here, trust_remote_code=False)
    except Exception as error:  # the hub's, torch's and a dozen others
        hint = "are its files complete?" if here else f"is that a name of the hub, and can it be reached?{near(model)}"
        raise ModelError(
            f"sentence-transformers cannot load {model}: {first_line(error)}; {hint}", code="torch.cannot_load"
        ) from error


def count_tokens(name: str, model: Any, texts: Texts, batch: int = BATCH) -> None:
    """Record the calls and tokens of a model of sentence-transformers, and the texts that it cuts.

    Args:
        name: Its name, for events.
        model: The model.
        texts: Texts or pairs of texts, at least one.
        batch: Texts of one call.
    """
    if not callable(model.tokenizer):
        event(f"{name} does not tell how many tokens it reads", "torch.unknown_tokens", model=name)
        return
    sides = [list(texts)] if isinstance(texts[0], str) else [list(side) for side in zip(*texts, strict=True)]
    ids = model.tokenizer(*sides, padding=False, truncation=False, verbose=False)["input_ids"]
    longest = getattr(model, "max_seq_length", None) or model.tokenizer.model_max_length
    lengths = [min(len(of_text), longest) for of_text in ids]
    cut = sum(len(of_text) > longest for of_text in ids)
    if cut:
        cut_event(name, longest, cut)
    for start in range(0, len(lengths), batch):
        count_call(tokens_in=sum(lengths[start : start + batch]))
