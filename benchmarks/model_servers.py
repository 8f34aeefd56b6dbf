"""What real model servers do with every kind of request that graphbrick makes: a table for docs/llm.md.

    python benchmarks/model_servers.py [--python .venv-servers/bin/python] [--model qwen2.5-coder-0.5b] [--only NAME]

Starts, one after the other, on loopback: llama.cpp's own server (`graphbrick models serve`), the proxy of LiteLLM over
it, and the server of Hugging Face transformers over the same model. The last two are those of the environment that
``--python`` names (`make test-servers` makes it); one that is not installed there is left out. Each row is one kind of
request; a cell says what came back.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from graphbrick import LLM, Session
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.trace import Trace, record
from graphbrick.models.llm.messages import Request, Tool, system, user
from graphbrick.models.store import resolve
from graphbrick.text.extract.open_ie import OpenIE

KEY = "sk-of-the-proxy"
START = 180.0  # seconds until a server must answer
SCHEMA = {
    "type": "object",
    "properties": {"town": {"type": "string"}},
    "required": ["town"],
    "additionalProperties": False,
}
PASSAGE = "Fjord Ferries was founded by Alma Berg in 1921. Alma Berg was born in Bergen."
ASK = [system("Answer in one short sentence."), user("What is the capital of Norway?")]
FIND = Tool("find", "Find a town by its name.", {"type": "object", "properties": {"name": {"type": "string"}}})

OFFLINE = {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
Model = Callable[..., LLM]


def plain(llm: Model) -> str:
    return "yes" if llm().complete(ASK).strip() else "an empty reply"


def streamed(llm: Model) -> str:
    pieces: list[str] = []
    reply = llm().ask(ASK, on_token=pieces.append)
    assert "".join(pieces) == reply.text
    return f"yes, in {len(pieces)} pieces" if len(pieces) > 1 else "in one piece"


def schema(llm: Model) -> str:
    text = llm().complete([user("Name a town in Norway.")], schema=SCHEMA)
    try:
        return "yes" if list(json.loads(text)) == ["town"] else "other JSON"
    except ValueError:
        return "prose"


def tools(llm: Model) -> str:
    reply = llm().ask([user("Find the town Bergen with the tool.")], tools=[FIND])
    return "yes" if reply.tool_calls else "no call, but text"


def probabilities(llm: Model) -> str:
    reply = llm().ask([user("Is Oslo in Norway? Answer Yes or No.")], top_logprobs=5, max_tokens=1)
    return "yes" if reply.choices[0].logprobs else "none"


def samples(llm: Model) -> str:
    return f"{len(llm(temperature=0.8).ask(ASK, n=2).choices)} of 2"


def stop(llm: Model) -> str:
    return "yes" if "3" not in llm().ask([user("Count: 1 2 3 4 5")], stop=["3"]).text else "ignored"


def cut(llm: Model) -> str:
    reply = llm(max_tokens=5).ask([user("Tell a long story about a ferry.")])
    return "yes" if reply.choices[0].finish_reason == "length" else f"ends with {reply.choices[0].finish_reason!r}"


def tokens(llm: Model) -> str:
    replies = llm().ask_all([Request(ASK)])
    return "estimated" if replies[0].estimated else "reported"


def grammar(llm: Model) -> str:
    reply = llm().ask_all([Request([user("Which town?")], grammar='root ::= "Bergen" | "Oslo"')])[0]
    return "yes" if reply.text in ("Bergen", "Oslo") else "ignored"


def extraction(llm: Model) -> str:
    (result,) = OpenIE(llm(max_tokens=512)).extract([PASSAGE])
    return f"{len(result.triples)} triples" + (f"; {result.problem}" if result.problem else "")


def unknown_model(llm: Model) -> str:
    return "answers all the same" if llm(model="no-such-model").complete(ASK) else "an empty reply"


def too_long(llm: Model) -> str:
    return "takes it" if llm(context=10**6).complete([user("ferry " * 20_000)]) else "an empty reply"


def wrong_key(llm: Model) -> str:
    return "takes it" if llm(key="sk-wrong").complete(ASK) else "an empty reply"


def without_v1(llm: Model) -> str:
    return "answers all the same" if llm(path="").complete(ASK) else "an empty reply"


CHECKS: dict[str, Callable[[Model], str]] = {
    "a reply": plain,
    "a stream": streamed,
    "JSON by a schema": schema,
    "tools": tools,
    "probabilities": probabilities,
    "two samples": samples,
    "stop": stop,
    "cut by length": cut,
    "tokens": tokens,
    "a grammar": grammar,
    "`OpenIE`": extraction,
    "another model": unknown_model,
    "a wrong key": wrong_key,
    "no `/v1`": without_v1,
    "a prompt too long": too_long,  # last, as a server may compute it long after the time-out
}


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def running(port: int, *command: str) -> Iterator[str]:
    """Start a server, wait until it lists its models, and end it with what it started."""
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, env=OFFLINE, start_new_session=True)
        try:
            url = f"http://127.0.0.1:{port}/v1"
            request = urllib.request.Request(f"{url}/models", headers={"Authorization": f"Bearer {KEY}"})
            end = time.monotonic() + START
            while True:
                try:
                    urllib.request.urlopen(request, timeout=5).close()
                    break
                except OSError:
                    if server.poll() is not None or time.monotonic() > end:
                        log.seek(0)
                        raise SystemExit(f"{' '.join(command)} did not start:\n{log.read().decode()[-2000:]}") from None
                    time.sleep(0.5)
            yield url
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            try:
                server.wait(timeout=20)
            except subprocess.TimeoutExpired:  # it still computes
                os.killpg(server.pid, signal.SIGKILL)
                server.wait()


@contextmanager
def llama_cpp(model: str, python: Path) -> Iterator[tuple[str, str]]:
    """llama.cpp's own server, as `graphbrick models serve` starts it."""
    port = free_port()
    with running(port, sys.executable, "-m", "graphbrick", "models", "serve", model, "--port", str(port)) as url:
        yield url, model


@contextmanager
def litellm(model: str, python: Path) -> Iterator[tuple[str, str]]:
    """The proxy of LiteLLM over llama.cpp's server, with a key."""
    with ExitStack() as stack:
        inner, _ = stack.enter_context(llama_cpp(model, python))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        parameters = {"model": f"openai/{model}", "api_base": inner, "api_key": "none"}
        config = {
            "model_list": [{"model_name": model, "litellm_params": parameters}],
            "general_settings": {"master_key": KEY},
        }
        (folder / "config.yaml").write_text(json.dumps(config))  # YAML reads JSON
        port = free_port()
        command = [str(python.parent / "litellm"), "--config", str(folder / "config.yaml"), "--host", "127.0.0.1"]
        yield stack.enter_context(running(port, *command, "--port", str(port))), model


CONVERT = """
import sys
from pathlib import Path
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
file, out = Path(sys.argv[1]), sys.argv[2]
model = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
del model.config.quantization_config  # it says GGUF, but the weights are plain numbers now
plain = AutoModelForCausalLM.from_config(model.config, dtype=torch.float32)
plain.load_state_dict(model.state_dict())
plain.save_pretrained(out)
AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name).save_pretrained(out)
"""


@contextmanager
def transformers(model: str, python: Path) -> Iterator[tuple[str, str]]:
    """The server of transformers, over the same weights as it stores them."""
    with tempfile.TemporaryDirectory() as place:
        folder = str(Path(place, model))  # its name is that of the model at the server
        command = [str(python), "-c", CONVERT, str(resolve(model)), folder]
        subprocess.run(command, check=True, capture_output=True, env=OFFLINE)
        port = free_port()
        command = [str(python.parent / "transformers"), "serve", folder, "--host", "127.0.0.1", "--port", str(port)]
        with running(port, *command) as url:
            yield url, folder


SERVERS = {"llama.cpp": llama_cpp, "LiteLLM": litellm, "transformers": transformers}
NEEDED = {"llama.cpp": None, "LiteLLM": "litellm", "transformers": "transformers"}


def column(url: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield every check with what came of it: in words, or the error as a user would read it."""

    def llm(*, path: str = "/v1", key: str = KEY, model: str = name, **parameters: object) -> LLM:
        address = url.removesuffix("/v1") + path
        os.environ["GRAPHBRICK_API_KEYS"] = f"{address}={key}"
        given = {"max_tokens": 64, "timeout": 300.0, "retries": 0} | parameters
        return LLM(model, base_url=address, **given)  # type: ignore[arg-type]

    for title, check in CHECKS.items():
        with Session(), record(Trace(), title, "check") as entry:
            try:
                came = check(llm)
            except GraphbrickError as error:
                came = f"error: {str(error).replace(url.removesuffix('/v1'), 'SERVER')[:160]}"
            noted = [str(event) for event in entry.events if getattr(event, "code", "").startswith("request.")]
        yield title, "; ".join([came, *(one.replace(name, "M")[:160] for one in noted)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    parser.add_argument("--model", default="qwen2.5-coder-0.5b")
    parser.add_argument("--only", choices=SERVERS)
    arguments = parser.parse_args()
    table: dict[str, dict[str, str]] = {}
    for server, start in SERVERS.items():
        program = NEEDED[server]
        if arguments.only not in (None, server):
            continue
        if program is not None and not (arguments.python.parent / program).exists():
            print(f"{server} is not installed beside {arguments.python}", file=sys.stderr)
            continue
        with start(arguments.model, arguments.python) as (url, name):
            table[server] = {}
            for title, came in column(url, name):
                table[server][title] = came
                print(f"{server}: {title}: {came}", file=sys.stderr, flush=True)
    print(f"| | {' | '.join(table)} |\n|---|{'---|' * len(table)}")
    for title in CHECKS:
        print(f"| {title} | {' | '.join(rows[title].replace('|', '/') for rows in table.values())} |")


if __name__ == "__main__":
    main()
