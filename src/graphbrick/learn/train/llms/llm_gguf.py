"""Export of a tuned model as one GGUF file for llama.cpp: the base with the adapter merged.

Only the weights of the layers with an adapter are rewritten. Names, tokenizer and chat template are copied from the
base, so that they cannot change.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import ModelError

_PART = "GGUF."  # fields that the reader generates
_FILE_TYPE = "general.file_type"
_NEAR = 1e-3  # of the largest weight, by which two readings of one tensor may differ
Floats = npt.NDArray[np.float32]


def write_gguf(source: Path, model: Any, out: Path) -> None:
    """Write a GGUF file with the weights of a base file and of an adapter trained on it.

    Layers with an adapter are stored with 8 bits a weight (Q8_0), or 16 if their rows do not divide into blocks;
    all others stay unchanged.

    Args:
        source: The GGUF file that the base was loaded from.
        model: The base with its adapter, of peft, not merged.
        out: The file to write.

    Raises:
        ModelError: A layer is not in the file, or the order of its weights is unknown.
    """
    import gguf

    reader = gguf.GGUFReader(source)
    architecture = str(reader.fields["general.architecture"].contents())
    heads = _heads(reader, architecture)
    added = _added(model, architecture)
    writer = gguf.GGUFWriter(out, architecture)
    try:
        for field in reader.fields.values():
            if not field.name.startswith(_PART) and field.name not in ("general.architecture", _FILE_TYPE):
                kind = field.types[0]
                inner = field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None
                writer.add_key_value(field.name, field.contents(), kind, sub_type=inner)
        writer.add_file_type(int(gguf.LlamaFileType.MOSTLY_Q8_0))
        for tensor in reader.tensors:
            if tensor.name not in added:
                writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
                continue
            base, delta = added.pop(tensor.name)
            there = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
            order = _order(there, base, heads)
            if order is None:
                raise ModelError(
                    f"{tensor.name} of {source} lies in an order that is not known; leave out --gguf",
                    code="llm_gguf.unknown_order",
                )
            kind = gguf.GGMLQuantizationType.Q8_0
            if there.shape[-1] % gguf.GGML_QUANT_SIZES[kind][0]:
                kind = gguf.GGMLQuantizationType.F16
            writer.add_tensor(tensor.name, gguf.quants.quantize(there + delta[order], kind), raw_dtype=kind)
        if added:
            raise ModelError(f"{source} has no {next(iter(added))}; leave out --gguf", code="llm_gguf.no_tensor")
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
    finally:
        writer.close()


def _added(model: Any, architecture: str) -> dict[str, tuple[Floats, Floats]]:
    """Return the weights and the adapter's change of each adapted layer, by name in the file."""
    import gguf
    from peft.tuners.lora import LoraLayer

    kinds = {name: kind for kind, name in gguf.MODEL_ARCH_NAMES.items()}
    layers = int(model.config.num_hidden_layers)
    names = gguf.get_tensor_name_map(kinds[architecture], layers)
    added = {}
    for path, module in model.named_modules():
        if isinstance(module, LoraLayer):
            plain = path.removeprefix("base_model.model.") + ".weight"
            name = names.get_name(plain, try_suffixes=(".weight",))
            if name is None:
                raise ModelError(
                    f"the layer {plain} has no name in GGUF files; leave out --gguf", code="llm_gguf.no_name"
                )
            delta = module.get_delta_weight(model.active_adapter)
            added[name] = tuple(
                weights.detach().float().cpu().numpy() for weights in (module.get_base_layer().weight, delta)
            )
    return added


def _heads(reader: Any, architecture: str) -> tuple[int, ...]:
    """Return the numbers of attention heads for queries and for keys."""
    names = (f"{architecture}.attention.head_count", f"{architecture}.attention.head_count_kv")
    counts = (reader.fields[name].contents() for name in names if name in reader.fields)
    return tuple(int(heads) for heads in counts if isinstance(heads, int))


def _order(there: Floats, base: Floats, heads: tuple[int, ...]) -> npt.NDArray[np.int64] | None:
    """Return the order of a file's rows in the model: the same, or llama.cpp's rotary order."""
    rows = np.arange(len(base))
    if there.shape != base.shape:
        return None
    orders = [rows]
    orders += [rows.reshape(n, 2, -1).swapaxes(1, 2).reshape(-1) for n in heads if len(rows) % (2 * n) == 0]
    near = _NEAR * float(np.abs(base).max(initial=0))
    return next((order for order in orders if np.abs(there - base[order]).max(initial=0) <= near), None)
