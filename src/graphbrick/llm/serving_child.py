"""The process that `graphbrick.llm.serving` starts: llama.cpp's server for one model, until its parent has ended.

It is run as a script and imports nothing of graphbrick, so that it is up at once. The first line of its standard input
says what to serve; the first line of its standard output is the address, written when the model is loaded.
"""

from __future__ import annotations

import json
import os
import select
import sys
from typing import Any

_LOOK = 1.0  # seconds between two looks at the parent


def main() -> None:
    """Serve what the standard input says until that is closed, or the parent has ended."""
    parent = os.getppid()
    # What llama.cpp prints goes where errors go, so that the address is the only thing on standard output.
    out = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    line = sys.stdin.buffer.readline()
    try:
        server = _start(json.loads(line))
    except Exception as error:  # noqa: BLE001 - of whatever kind: the parent shows the last lines
        sys.stderr.write(f"{error}\n")
        sys.stderr.flush()
        os._exit(1)
    os.write(out, f"{server.listening_address}\n".encode())
    # A process forked from the parent may hold the other end of the pipe open: hence also a look at the parent.
    while os.getppid() == parent:
        readable, _, _ = select.select([0], [], [], _LOOK)
        if readable and not os.read(0, 4096):
            break
    os._exit(0)  # whatever it is writing


def _start(wanted: dict[str, Any]) -> Any:
    import xllamacpp

    params, cpu = xllamacpp.CommonParams(), xllamacpp.ggml_backend_dev_type.GGML_BACKEND_DEVICE_TYPE_CPU
    params.model.path = wanted["path"]
    params.model_alias = {wanted["name"]}
    params.hostnames, params.port = [wanted["host"]], wanted["port"]
    if wanted["key"]:
        params.api_keys = [wanted["key"]]
    params.n_ctx, params.n_parallel = wanted["context"], 1
    params.verbosity, params.warmup = 1, False  # 1: errors only
    # To see how much of it a GPU holds, the model is loaded twice.
    params.fit_params = any(device["type"] != cpu for device in xllamacpp.get_device_info())
    if not params.fit_params:
        # Between two batches it is seen that the caller has gone away; one of 2048 tokens takes minutes.
        params.n_batch = params.n_ubatch = 256
    # Only what OpenAI offers: no page, no list of the prompts in work, nothing for scripts of web pages.
    params.ui, params.endpoint_slots = False, False
    params.cors_origins, params.cors_origins_explicit = "", True
    # What is kept of an earlier prompt changes sums, and with them the reply where two words are close: the probability
    # of a yes by .02 where it was measured. Candidates that are scored one by one would not be scored alike.
    params.cache_prompt, params.cache_ram_mib, params.cache_idle_slots = False, 0, False
    for group in (params.cpuparams, params.cpuparams_batch):
        group.n_threads = wanted["threads"]
        group.poll = 0  # as OMP_WAIT_POLICY, for threads of llama.cpp's own
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
