"""Low-rank adaptation of a causal language model to prompts with replies."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stderr
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress
from graphbrick.core.errors import ModelError
from graphbrick.core.parameters import parameter
from graphbrick.learn.train.epochs import Course, Fitted, fit_epochs
from graphbrick.learn.train.frame import require_packages
from graphbrick.learn.train.llms.llm_examples import Lesson
from graphbrick.learn.train.llms.llm_gguf import write_gguf
from graphbrick.learn.train.torch_tools import device_of, quiet
from graphbrick.models.onnx_text import first_line
from graphbrick.models.store import known, resolve

if TYPE_CHECKING:
    import torch

ADAPTER, MERGED, GGUF = "adapter", "merged", "model.gguf"

_UNSEEN = -100  # a label that the loss ignores
_AT_ONCE = {"cpu": 1_024, "cuda": 16_384}  # tokens of one pass, padding included


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(Course):
    """Settings of the fit; see `graphbrick.learn.train.llms.llm.train_llm`."""

    learning_rate: float = parameter(2e-4, above=0, below=1)
    warm_up: float = parameter(0.1, at_least=0, below=1)
    rank: int = parameter(16, at_least=1, at_most=4_096)
    alpha: int = parameter(32, at_least=1, at_most=65_536)
    dropout: float = parameter(0.05, at_least=0, below=1)


@dataclass(frozen=True, slots=True)
class Quality:
    """Quality of a model on the replies of some lessons.

    Attributes:
        loss: Mean cross-entropy per token of the replies, in nats.
        exact: Share of the lessons for which greedy decoding gives exactly the reply.
    """

    loss: float
    exact: float

    @property
    def merit(self) -> float:
        """Measure by which the best epoch is chosen."""
        return -self.loss


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a lesson: first the prompt, then the reply."""

    ids: tuple[int, ...]
    prompt: int


@dataclass(slots=True)
class Base:
    """A language model to be tuned.

    Attributes:
        name: As it was given.
        model: Of transformers, in evaluation mode.
        tokenizer: Its tokenizer, with a chat template.
        device: Where it is.
        gguf: The GGUF file that it was read from.
        dtype: The type of the numbers that a merged model is written in.
        context: Context length in tokens; 0 if the model does not state it.
    """

    name: str
    model: Any
    tokenizer: Any
    device: torch.device
    gguf: Path | None = None
    dtype: Any = None
    context: int = 0


def require_llm_packages(*, gguf: bool) -> None:
    """Raise ModelError unless the packages for tuning, and perhaps ``gguf``, are installed."""
    packages = ("peft", "torch", "transformers", *(["gguf"] if gguf else []))
    require_packages("tuning a language model", packages)


def find_base(base: str) -> tuple[str, Path | None]:
    """Return the folder or hub name of a model, and its GGUF file if it is one.

    Raises:
        ModelError: It was not fetched, or there is no such file or folder.
    """
    if base in known() or base.endswith(".gguf"):
        file = resolve(base)
        return str(file.parent), file
    folder = Path(base).expanduser()
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise ModelError(
                f"{base} holds no model of transformers: config.json is not there", code="llm_fit.no_config"
            )
        return str(folder), None
    if folder.exists() or base.count("/") != 1 or base.startswith((".", "/", "~")):
        raise ModelError(
            f"there is no base model {base!r}; give a folder of transformers, a GGUF file, a name that graphbrick "
            "models list shows, or a name of the hub such as Qwen/Qwen2.5-0.5B-Instruct",
            code="llm_fit.no_base",
            base=base,
        )
    return base, None


def open_base(base: str, device: str | None) -> Base:
    """Load a model to tune.

    Raises:
        ModelError: It cannot be loaded, or has no chat template.
    """
    import torch
    import transformers

    place, file = find_base(base)
    on = device_of(device)
    options = {"trust_remote_code": False} | ({"gguf_file": file.name} if file else {})
    precise = torch.float32 if on.type == "cpu" else torch.bfloat16
    try:
        with quiet(), redirect_stderr(StringIO()):  # reading GGUF files shows a progress bar that no option turns off
            tokenizer = transformers.AutoTokenizer.from_pretrained(place, **options)
            model = transformers.AutoModelForCausalLM.from_pretrained(place, dtype=precise, **options)
            if file:
                # Its weights are plain numbers now; transformers would not write what it takes for a quantised model.
                model.hf_quantizer.remove_quantization_config(model)
            dtype = None if file else transformers.AutoConfig.from_pretrained(place, trust_remote_code=False).dtype
        model.to(on)
    except Exception as error:  # transformers', torch's and the hub's
        raise ModelError(
            f"{base} cannot be loaded as a causal language model: {first_line(error)}",
            code="llm_fit.not_a_language_model",
        ) from error
    if not getattr(tokenizer, "chat_template", None):
        raise ModelError(
            f"{base} has no chat template, so no server could talk with it; take an instruct model",
            code="llm_fit.no_chat_template",
        )
    if tokenizer.eos_token_id is None:
        raise ModelError(
            f"the tokenizer of {base} has no token that ends a reply; take an instruct model",
            code="llm_fit.no_end_token",
        )
    context = int(getattr(model.config, "max_position_embeddings", 0) or 0)
    return Base(base, model.eval(), tokenizer, on, file, dtype or torch.bfloat16, context)


def encode(base: Base, lessons: Sequence[Lesson], *, context: int, longest: int) -> tuple[list[Tokens | None], int]:
    """Return lessons in tokens, as a server with this chat template sees them; None if too long.

    Args:
        base: The model.
        lessons: The lessons.
        context: Most tokens of a lesson.
        longest: Most tokens of a reply; a longer one would be cut at query time.

    Returns:
        The lessons in tokens, and the number of tokens of the longest lesson.

    Raises:
        ModelError: The chat template refuses the messages.
    """
    encoded = list[Tokens | None]()
    most = 0
    for lesson in lessons:
        messages = [dict(message) for message in lesson.messages]
        try:
            prompt = base.tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
            whole = base.tokenizer.apply_chat_template(
                [*messages, {"role": "assistant", "content": lesson.reply}], tokenize=False
            )
        except Exception as error:  # a template may raise any exception
            raise ModelError(
                f"the chat template of {base.name} refuses the prompt: {first_line(error)}",
                code="llm_fit.template_refuses",
            ) from error
        # Where a template writes an earlier reply in another way, the reply follows the prompt as it is.
        reply = whole[len(prompt) :] if whole.startswith(prompt) else lesson.reply
        reply_ids, end = _ids(base, reply), base.tokenizer.eos_token_id
        # Text that a template writes after the end of the turn is never generated.
        reply_ids = reply_ids[: reply_ids.index(end) + 1] if end in reply_ids else [*_ids(base, reply.rstrip()), end]
        prompt_ids = _ids(base, prompt)
        length = len(prompt_ids) + len(reply_ids)
        most = max(most, length)
        fits = length <= context and len(reply_ids) <= longest
        encoded.append(Tokens((*prompt_ids, *reply_ids), len(prompt_ids)) if fits else None)
    return encoded, most


def adapt(base: Base, settings: Settings) -> Any:
    """Return the model with a low-rank adapter at every linear layer but the last; it changes nothing yet."""
    import peft

    config = peft.LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
    if base.device.type != "cpu":
        base.model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        base.model.enable_input_require_grads()
    try:
        with quiet():
            adapted = peft.get_peft_model(base.model, config)
    except ValueError as error:
        raise ModelError(
            f"{base.name} cannot be given an adapter: {first_line(error)}", code="llm_fit.no_adapter"
        ) from error
    config.base_model_name_or_path = base.name
    return adapted


def fit(
    model: Any, learned: Sequence[Tokens], held: Sequence[Tokens], settings: Settings, progress: Progress
) -> Fitted[Quality]:
    """Fit the adapter of a model to lessons, in place; keep the weights best on held-out ones.

    A step takes ``batch_size`` lessons in as many passes as memory needs; its loss is the mean over all tokens of their
    replies, however they are split.
    """

    def learn(places: Sequence[int], rng: np.random.Generator) -> tuple[float, float]:
        batch = [learned[i] for i in places]
        total, tokens = 0.0, _reply_tokens(batch)
        for part in _passes(batch, model.device.type):
            loss = _loss(*_replies(model, [batch[i] for i in part]))
            (loss / tokens).backward()
            total += loss.item()
        return total, tokens

    def evaluate(name: str) -> Quality | None:
        if not held:
            return None
        progress(name, 0, 1)
        return quality(model, held)

    return fit_epochs(model, len(learned), settings, progress, learn=learn, evaluate=evaluate)


def save(base: Base, model: Any, folder: Path, *, gguf: bool, merged: bool = True) -> None:
    """Write the adapter, and the whole model if wanted: for transformers, or as a GGUF file.

    The model is merged by it.
    """
    with quiet():
        model.save_pretrained(folder / ADAPTER, save_embedding_layers=False)  # else it looks for the base at the hub
        (folder / ADAPTER / "README.md").unlink(missing_ok=True)  # a form to fill in
        if gguf and base.gguf is not None:
            write_gguf(base.gguf, model, folder / GGUF)
        if merged:
            model.merge_and_unload().to(base.dtype).save_pretrained(folder / MERGED)
            base.tokenizer.save_pretrained(folder / MERGED)


def quality(model: Any, lessons: Sequence[Tokens]) -> Quality:
    """Return the quality of a model on the replies of lessons."""
    import torch

    model.eval()
    lost, exact = 0.0, 0
    with torch.inference_mode():
        for part in _passes(lessons, model.device.type):
            logits, labels = _replies(model, [lessons[i] for i in part])
            lost += _loss(logits, labels).item()
            exact += int(((logits.argmax(-1) == labels) | (labels == _UNSEEN)).all(-1).sum())
    return Quality(lost / _reply_tokens(lessons), exact / len(lessons))


def reply_losses(model: Any, lessons: Sequence[Tokens]) -> npt.NDArray[np.float64]:
    """Return the sum of the losses of each reply's tokens in nats, float64 [lessons]."""
    import torch

    losses = np.zeros(len(lessons))
    model.eval()
    with torch.inference_mode():
        for part in _passes(lessons, model.device.type):
            logits, labels = _replies(model, [lessons[i] for i in part])
            flat = torch.nn.functional.cross_entropy(
                logits.transpose(1, 2), labels, ignore_index=_UNSEEN, reduction="none"
            )
            losses[part] = flat.sum(-1).double().cpu().numpy()
    return losses


def first_tokens(base: Base, model: Any, lessons: Sequence[Tokens], n: int) -> list[list[tuple[str, float]]]:
    """Return the ``n`` likeliest first tokens of each reply with log probabilities, as servers do."""
    import torch

    by_lesson: dict[int, list[tuple[str, float]]] = {}
    model.eval()
    with torch.inference_mode():
        for part in _passes(lessons, model.device.type):
            logits, _ = _replies(model, [lessons[i] for i in part])
            values, tokens = torch.log_softmax(logits[:, 0], -1).topk(n)
            for i, of_row, ids in zip(part, values.tolist(), tokens.tolist(), strict=True):
                by_lesson[i] = [(base.tokenizer.decode([id_]), value) for id_, value in zip(ids, of_row, strict=True)]
    return [by_lesson[i] for i in range(len(lessons))]


def _replies(model: Any, batch: Sequence[Tokens]) -> tuple[Any, Any]:
    """Return logits at replies, and the tokens that should follow, [lessons, longest reply].

    Lessons are filled up on the right. On the left, the first places would have nothing to attend to, and not every
    attention kernel has a finite gradient there. The last layer sees the places of replies only, as logits of whole
    prompts would take much memory.
    """
    import torch

    longest = max(len(lesson.ids) for lesson in batch)
    longest_reply = max(len(lesson.ids) - lesson.prompt for lesson in batch)
    ids, mask = np.zeros((2, len(batch), longest), dtype=np.int64)
    labels = np.full((len(batch), longest_reply), _UNSEEN, dtype=np.int64)
    place = np.zeros((len(batch), longest_reply), dtype=np.int64)
    for row, lesson in enumerate(batch):
        reply = lesson.ids[lesson.prompt :]
        ids[row, : len(lesson.ids)] = lesson.ids
        mask[row, : len(lesson.ids)] = 1
        labels[row, : len(reply)] = reply
        place[row, : len(reply)] = np.arange(lesson.prompt - 1, len(lesson.ids) - 1)
    there = (torch.from_numpy(array).to(model.device) for array in (ids, mask, place, labels))
    ids, mask, place, labels = there

    def of_replies(_: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        hidden, *rest = inputs
        return (hidden.gather(1, place[..., None].expand(-1, -1, hidden.shape[-1])), *rest)

    hook = model.get_output_embeddings().register_forward_pre_hook(of_replies)
    try:
        with _half(model.device.type):
            logits = model(input_ids=ids, attention_mask=mask, use_cache=False).logits
    finally:
        hook.remove()
    return logits.float(), labels


def _loss(logits: Any, labels: Any) -> Any:
    """Return the sum of the losses of all tokens of replies."""
    import torch

    return torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), ignore_index=_UNSEEN, reduction="sum"
    )


def _passes(lessons: Sequence[Tokens], device: str) -> list[list[int]]:
    """Return indices of lessons in groups of like length that fit into memory, at least one each."""
    most, groups = _AT_ONCE.get(device, _AT_ONCE["cuda"]), list[list[int]]()
    for i in sorted(range(len(lessons)), key=lambda i: len(lessons[i].ids)):
        if groups and (len(groups[-1]) + 1) * len(lessons[i].ids) <= most:
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups


def _reply_tokens(lessons: Sequence[Tokens]) -> int:
    return sum(len(lesson.ids) - lesson.prompt for lesson in lessons)


def _ids(base: Base, text: str) -> list[int]:
    return list(base.tokenizer(text, add_special_tokens=False)["input_ids"])


def _half(device: str) -> AbstractContextManager[Any]:
    import torch

    return nullcontext() if device == "cpu" else torch.autocast(device, dtype=torch.bfloat16)
