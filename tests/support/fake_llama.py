"""A stand-in for xllamacpp: what it is asked for is served, no model is run. `local_models` puts it in its place.

The end of the model's file says how it behaves: "fails", "hangs", "loud", or nothing for a server that is well.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ggml_backend_dev_type = SimpleNamespace(GGML_BACKEND_DEVICE_TYPE_CPU=0)


def get_device_info() -> list[dict[str, Any]]:
    return [{"type": 0}]


class CommonParams:
    def __init__(self) -> None:
        self.model, self.cpuparams, self.cpuparams_batch = SimpleNamespace(), SimpleNamespace(), SimpleNamespace()


class Server:
    def __init__(self, params: CommonParams) -> None:
        mode = Path(params.model.path).read_bytes().rpartition(b"MODE:")[2].decode()
        if mode == "fails":
            sys.stderr.write("0.00.012.343 E load: the weights are not as they should be\n")
            raise RuntimeError("Failed to init server")
        if mode == "hangs":
            time.sleep(1000)
        if mode == "loud":
            os.write(1, b"x" * 1_000_000)
            sys.stderr.write("".join(f"line {i}\n" for i in range(100_000)))
            sys.stderr.flush()
        facts = {name: _plain(value) for name, value in vars(params).items()}
        facts["environment"] = {name: os.environ.get(name) for name in ("OMP_WAIT_POLICY", "OMP_NUM_THREADS")}

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = json.dumps({"status": "ok"} if self.path == "/health" else facts).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer((params.hostnames[0], params.port), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.listening_address = f"http://{params.hostnames[0]}:{server.server_port}"


def _plain(value: Any) -> Any:
    if isinstance(value, SimpleNamespace):
        return vars(value)
    return sorted(value) if isinstance(value, set) else value
