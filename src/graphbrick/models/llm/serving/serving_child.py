"""The process that `graphbrick.models.llm.serving.serving` starts: llama.cpp's server for one model, until its parent
has ended.

It is run as a script and imports nothing of graphbrick, so that it starts at once. The first line of its standard input
says what to serve; the first line of its standard output is the address, written when the model is loaded.
"""

from __future__ import annotations

import json
import os
import select
import sys
from typing import Any

_CHECK = 1.0  # seconds between two checks of the parent


def main() -> None:
    """Serve what the standard input says until that is closed or the parent has ended."""
    parent = os.getppid()
    # What llama.cpp prints goes where errors go, so that the address is the only thing on standard output.
    out = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    line = sys.stdin.buffer.readline()
    try:
        server = _start(json.loads(line))
    except Exception as error:  # noqa: BLE001 - any kind: the parent shows the last lines
        sys.stderr.write(f"{error}\n")
        sys.stderr.flush()
        os._exit(1)
    os.write(out, f"{server.listening_address}\n".encode())
    while _is_wanted(parent):
        pass
    os._exit(0)  # whatever it is writing


def _is_wanted(parent: int) -> bool:
    """Wait a while; return False when the standard input is closed or the parent has ended."""
    if sys.platform == "win32":  # which cannot wait for a pipe, and has no forks that could hold its other end open
        return bool(os.read(0, 4096))
    # A process forked from the parent may hold the other end of the pipe open: so the parent is checked too.
    readable, _, _ = select.select([0], [], [], _CHECK)
    return os.getppid() == parent and not (readable and not os.read(0, 4096))


def _start(settings: dict[str, Any]) -> Any:
    import xllamacpp

    params, cpu = xllamacpp.CommonParams(), xllamacpp.ggml_backend_dev_type.GGML_BACKEND_DEVICE_TYPE_CPU
    params.model.path = settings["path"]
    params.model_alias = {settings["name"]}
    params.hostnames, params.port = [settings["host"]], settings["port"]
    if settings["key"]:
        params.api_keys = [settings["key"]]
    params.n_ctx, params.n_parallel = settings["context"], 1
    params.verbosity, params.warmup = 1, False  # 1: errors only
    # Fitting loads the model twice, to see how much of it a GPU holds.
    params.fit_params = any(device["type"] != cpu for device in xllamacpp.get_device_info())
    if not params.fit_params:
        # Only between two batches the server notices that a caller has left; a batch of 2048 tokens takes minutes.
        params.n_batch = params.n_ubatch = 256
    # Only the OpenAI API: no web page, no list of running prompts, no access for scripts of web pages.
    params.ui, params.endpoint_slots = False, False
    params.cors_origins, params.cors_origins_explicit = "", True
    # Reusing earlier prompts changes sums a little, and so the reply if two words are close: the probability of yes by
    # .02 as measured. So a request has to ask for it. Prompts of other kinds that come between are kept in memory.
    params.cache_prompt, params.cache_ram_mib, params.cache_idle_slots = False, settings["memory"], False
    for group in (params.cpuparams, params.cpuparams_batch):
        group.n_threads = settings["threads"]
        group.poll = 0  # like OMP_WAIT_POLICY, for llama.cpp's own threads
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
