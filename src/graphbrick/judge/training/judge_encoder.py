"""Training of a judge that reads question and text together, by low-rank adapters and torch."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress, part_of, silent
from graphbrick.core.errors import ModelError
from graphbrick.core.parameters import parameter
from graphbrick.judge.judges.classifier.logistic import Logistic, platt
from graphbrick.judge.judges.classifier.training import TrainedLabel, folds
from graphbrick.judge.judges.encoder import KIND, closest_parts
from graphbrick.judge.judges.folder import new_judge
from graphbrick.judge.synthetic.rows import Row, require_new
from graphbrick.judge.training.frame import description, learnable
from graphbrick.judge.verdicts import Label
from graphbrick.learn.train.epochs import Course, Fitted, check_parameters, fit_epochs
from graphbrick.learn.train.export import WEIGHTS, check_agreement, exported, samples, write_onnx
from graphbrick.learn.train.frame import require_packages
from graphbrick.learn.train.texts.text_models import PACKAGES, base_of
from graphbrick.learn.train.torch_tools import device_of, quiet, seeded
from graphbrick.models.onnx_text import first_line
from graphbrick.models.scorers.cross_encoder import CrossEncoder
from graphbrick.study.statistics.agreement import auc

if TYPE_CHECKING:
    import torch

CALLER = "train_judge_encoder"
BASE = "all-minilm-l6-v2"
_TOKENS = 256
_BATCH = 32  # pairs that are scored at once
Floats = npt.NDArray[np.float64]
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderParameters(Course):
    """Parameters of one training.

    Attributes:
        rank: Rank of the adapters.
        dropout: Share of the adapters' inputs that is left out at random.
    """

    decay: ClassVar[float] = 0.01
    epochs: int = parameter(3, at_least=1, at_most=1000)
    batch_size: int = parameter(16, at_least=1, at_most=10_000)
    learning_rate: float = parameter(1e-3, above=0, at_most=1)
    rank: int = parameter(16, at_least=1, at_most=1024)
    dropout: float = parameter(0.05, at_least=0, below=1)


@dataclass(frozen=True)
class Held:
    """Figures of an encoder on held-out questions.

    Attributes:
        auc: Area under the ROC curve.
    """

    auc: float

    @property
    def merit(self) -> float:
        """The area."""
        return self.auc


@dataclass(frozen=True, slots=True)
class EncoderReport(TrainedLabel):
    """Report of the training of the encoder of one label.

    Attributes:
        auc: Area under the ROC curve on the held-out fifth of the questions.
        parameters: Parameters of the training.
        trials: Parameters that were tried, each with its area.
        seconds: Time that it took.
    """

    auc: float
    parameters: dict[str, Any]
    trials: list[dict[str, Any]]
    seconds: float

    def lines(self) -> list[str]:
        """Return what to tell the user."""
        tried = f", the best of {len(self.trials)} settings" if self.trials else ""
        return [f"AUC {self.auc:.3f} on held-out questions ({self.rows:,} rows{tried})"]


def train_judge_encoder(
    rows: Sequence[Row],
    out: Path,
    *,
    base: str = BASE,
    parameters: EncoderParameters | None = None,
    trials: int = 0,
    device: str | None = None,
    about: Mapping[str, Any] | None = None,
    progress: Progress = silent,
) -> dict[Label, EncoderReport]:
    """Train a judge for every label of a data set and write its folder of ONNX encoders.

    Low-rank adapters (Hu et al., LoRA, ICLR 2022) are added to all linear layers and merged at the end. A fifth of the
    questions is held out: the best epoch, and the best of the ``trials`` settings that optuna tries (learning rate,
    rank, dropout, epochs), are chosen by the area under the ROC curve on it, and probabilities are calibrated on it.
    The figure of the report is therefore a little too good.

    Args:
        rows: The rows.
        out: The folder to make.
        base: A BERT, an embedding model or a re-ranker: a folder, a name that `graphbrick models` knows, or of the hub.
        parameters: Parameters of the training, or those that the trials start from.
        trials: Number of settings that are tried; 0 to train once with ``parameters``.
        device: Such as "cpu"; by default a CUDA GPU if there is one.
        about: What ``judge.json`` should say of the data.
        progress: Told the step, the number done and the total.

    Raises:
        InputError: There are too few questions, the folder exists, or a parameter is out of range.
        ModelError: A package is missing, the base cannot be loaded, or the model in ONNX differs from the trained one.
    """
    require_new(out)
    how = parameters or EncoderParameters()
    check_parameters(CALLER, how)
    require_packages("tuning a judge", (*PACKAGES, "peft", *(["optuna"] if trials else [])))
    chosen = learnable([row for row in rows if row.label is not Label.CORRECTNESS])
    labels = [label for label in Label if label in chosen]
    trained = {label: _train(chosen[label], label, base_of(base), how, trials, device, progress) for label in labels}
    scales = {label: one.scale for label, one in trained.items()}
    reports = {label: one.report for label, one in trained.items()}
    with new_judge(out, description(scales, reports, about or {}, kind=KIND, base=base)) as work:
        for label, one in trained.items():
            _write(one.model, work / label, one.pairs)
    return reports


@dataclass(frozen=True)
class _Trained:
    """A trained encoder, what its log odds are scaled by, its report, and the pairs that it learned from."""

    model: Any
    scale: Logistic
    report: EncoderReport
    pairs: list[Pair]


@dataclass(frozen=True)
class _Data:
    """Input of the training of an encoder: pairs, values, held-out ones, base and device."""

    pairs: list[Pair]
    y: Floats
    held: npt.NDArray[np.bool_]
    base: str
    device: str | None


def _train(
    rows: Sequence[Row],
    label: Label,
    base: str,
    how: EncoderParameters,
    trials: int,
    device: str | None,
    progress: Progress,
) -> _Trained:
    """Train the encoder of one label."""
    started = time.perf_counter()
    texts = [closest_parts(label, row.case, 1) for row in rows]
    places = [i for i, (text, parts) in enumerate(texts) if text and parts]
    pairs = [(texts[i][0], texts[i][1][0]) for i in places]
    y = np.array([rows[i].value for i in places], dtype=np.float64)
    held = folds([rows[i].group for i in places], how.seed) == 0
    data = _Data(pairs, y, held, base, device)
    named = part_of(progress, label.replace("_", " "))
    how, tried = _search(data, how, trials, named) if trials else (how, [])
    model, fitted = _fit(data, how, named)
    scores = _scores(model, [pairs[i] for i in np.flatnonzero(held).tolist()])
    report = EncoderReport(
        rows=len(pairs),
        questions=len({row.group for row in rows}),
        auc=0.5 if fitted.trained is None else fitted.trained.auc,
        parameters=asdict(how),
        trials=tried,
        seconds=time.perf_counter() - started,
    )
    return _Trained(model, platt(scores, y[held]), report, pairs)


def _search(
    data: _Data, how: EncoderParameters, trials: int, progress: Progress
) -> tuple[EncoderParameters, list[dict[str, Any]]]:
    """Return the best parameters that optuna finds, and all that it tried."""
    import optuna

    tried: list[dict[str, Any]] = []

    def area(trial: Any) -> float:
        one = replace(
            how,
            learning_rate=trial.suggest_float("learning_rate", 1e-4, 5e-3, log=True),
            rank=trial.suggest_categorical("rank", [4, 8, 16, 32]),
            dropout=trial.suggest_float("dropout", 0.0, 0.2, step=0.05),
            epochs=trial.suggest_int("epochs", 1, max(2, how.epochs)),
        )
        fitted = _fit(data, one, lambda step, done, total: None)[1]
        merit = 0.5 if fitted.trained is None else fitted.trained.merit
        tried.append({**trial.params, "auc": merit})
        progress("settings tried", len(tried), trials)
        return merit

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=how.seed))
    study.optimize(area, n_trials=trials)
    return replace(how, **study.best_params), tried


def _fit(data: _Data, how: EncoderParameters, progress: Progress) -> tuple[Any, Fitted[Held]]:
    """Return a model trained on the rows that are not held out, with its adapters merged."""
    import peft
    import torch

    where, pairs, y = device_of(data.device), data.pairs, data.y
    learned, apart = np.flatnonzero(~data.held), np.flatnonzero(data.held)
    weight = float((1 - y[learned]).sum() / max(1.0, y[learned].sum()))
    with seeded(how.seed, where):
        model = _open(data.base)
        config = peft.LoraConfig(
            r=how.rank, lora_alpha=2 * how.rank, lora_dropout=how.dropout, target_modules="all-linear",
            task_type="SEQ_CLS",
        )  # fmt: skip
        with quiet():
            adapted = peft.get_peft_model(model.model, config).to(where)

        def learn(places: Sequence[int], rng: np.random.Generator) -> tuple[float, float]:
            batch = [int(learned[i]) for i in places]
            logits = adapted(**_tokens(model, [pairs[i] for i in batch], where)).logits[:, 0]
            wanted = torch.tensor(y[batch], dtype=torch.float32, device=where)
            loss = torch.nn.functional.binary_cross_entropy_with_logits(
                logits, wanted, pos_weight=torch.tensor(weight, device=where)
            )
            loss.backward()
            return loss.item(), 1.0

        def evaluate(name: str) -> Held | None:
            adapted.eval()
            area = auc(y[apart], _scores(model, [pairs[i] for i in apart.tolist()], adapted))
            return None if area is None else Held(area.value)

        fitted = fit_epochs(adapted, len(learned), how, progress, learn=learn, evaluate=evaluate, new_head=True)
        model.model = adapted.merge_and_unload()
    return model, fitted


def _open(base: str) -> Any:
    """Load a base as a cross-encoder with one output; a base that is none gets a new last layer."""
    import sentence_transformers

    try:
        with quiet():
            return sentence_transformers.CrossEncoder(
                base,
                num_labels=1,
                device="cpu",
                max_length=_TOKENS,
                local_files_only=Path(base).is_dir(),
                trust_remote_code=False,
            )
    except Exception as error:  # of the hub, of torch and of a dozen other packages
        raise ModelError(
            f"sentence-transformers cannot load {base} as a cross-encoder: {first_line(error)}; name a BERT or a "
            f"re-ranker with one output, or run: graphbrick models fetch {BASE}",
            code="judge_encoder.bad_base",
            base=base,
        ) from error


def _tokens(model: Any, pairs: Sequence[Pair], device: torch.device) -> dict[str, torch.Tensor]:
    tokens = model.tokenizer(
        [text for text, _ in pairs], [part for _, part in pairs], padding=True, truncation=True, max_length=_TOKENS,
        return_tensors="pt",
    )  # fmt: skip
    return {name: values.to(device) for name, values in tokens.items()}


def _scores(model: Any, pairs: Sequence[Pair], adapted: Any = None) -> Floats:
    """Return the output for each pair, float64 [pairs]; pairs of like length go together."""
    import torch

    network = model.model if adapted is None else adapted
    device = next(network.parameters()).device
    network.eval()
    order = sorted(range(len(pairs)), key=lambda i: (len(pairs[i][1]), i))
    scores = np.zeros(len(pairs))
    with torch.inference_mode():
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            logits = network(**_tokens(model, [pairs[i] for i in places], device)).logits[:, 0]
            scores[places] = logits.float().cpu().numpy()
    return scores


def _write(model: Any, folder: Path, pairs: Sequence[Pair]) -> None:
    """Write an encoder, and check that onnxruntime gives what torch gives."""
    import torch

    model.model.to("cpu").eval()
    with quiet():
        model.tokenizer.save_pretrained(str(folder))
        model.model.config.save_pretrained(str(folder))
    tokens = _tokens(model, [pairs[0], (pairs[-1][0], pairs[-1][1] + pairs[0][1])], torch.device("cpu"))
    module = exported(model.model, list(tokens), lambda network, tokens: (network(**tokens).logits,))
    write_onnx(module, tokens, ("logits",), folder / WEIGHTS)
    question = pairs[0][0]
    for batch in samples([part for _, part in pairs]):
        written = CrossEncoder(str(folder)).score(question, batch)
        expected = _scores(model, [(question, text) for text in batch])
        check_agreement(expected.astype(np.float32), written.astype(np.float32), len(batch))
