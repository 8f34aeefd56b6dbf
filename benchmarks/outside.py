"""What commands connect to and write, as the kernel sees it: `demo`, `learn`, `ask`, `index` and `serve` under strace.

    python benchmarks/outside.py [--work FOLDER]

Each command runs twice: with every network interface but the loopback taken away (`unshare -rn`), where it must do the
same as ever, and under strace with the network of this machine. Printed are all connections but those within the
machine, all look-ups of names, and all files that were written, made, renamed or removed outside of the folder of the
graph and the cache. Exits with 1 if there is any, or if a command fails. Needs Linux with strace and util-linux.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

CALLS = (
    "connect,sendto,sendmsg,openat,open,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,rmdir,link,linkat"
    ",symlink,symlinkat"
)
_WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC")
_PATHS = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ADDRESS = re.compile(
    r'sa_family=AF_INET6?.*?sin6?_port=htons\((\d+)\).*?(?:inet_addr\("|inet_pton\(AF_INET6, ")([^"]+)"'
)
_NAMES = re.compile(r'sun_path="([^"]+)"')
_LOCAL = ("127.", "::1")
_DEVICES = ("/dev/null", "/dev/tty", "/dev/shm", "/proc/", "/dev/ptmx")
_NAME_SERVICE = 53
QUESTION = "What is the currency of the country whose capital is Nairobi?"
SERVED = 60.0  # seconds until a server must answer


def commands(work: Path) -> dict[str, list[str]]:
    """Return the commands by name; the documents and graphs they need are made by those before them."""
    graph, notes = str(work / "tables.graph"), str(work / "notes.graph")
    return {
        "demo": ["demo"],
        "demo --text": ["demo", "--text"],
        "build": ["build", str(work / "tables.csv"), graph],
        "learn": ["learn", graph],
        "ask": ["ask", graph, "Where does Alma Berg work?"],
        "index": ["index", str(work / "docs"), notes],
        "ask documents": ["ask", notes, "Who founded Helio?"],
        "info --check": ["info", notes, "--check"],
        "serve": ["serve", graph, notes, "--port", "0"],
    }


def write_data(work: Path) -> None:
    """Write a table and a document."""
    (work / "docs").mkdir()
    rows = [f"Person {i},works at,Company {i % 7}" for i in range(60)] + ["Alma Berg,works at,Helio"]
    rows += [f"Company {i},is based in,City {i}" for i in range(7)] + ["Helio,is based in,Lund"]
    (work / "tables.csv").write_text("\n".join(["head,relation,tail", *rows]) + "\n")
    (work / "docs" / "helio.txt").write_text("Alma Berg founded Helio in 1921. Helio makes lamps in Lund.")


def run(command: list[str], prefix: list[str], environment: dict[str, str]) -> str:
    """Run a command; return what is wrong with it, empty for nothing. A server is asked and stopped."""
    whole = [*prefix, sys.executable, "-m", "graphbrick", *command]
    if command[0] != "serve":
        done = subprocess.run(whole, env=environment, capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else f"ended with {done.returncode}: {(done.stderr or done.stdout)[-300:]}"
    # In a network of its own it can only be asked from within.
    asked = f"""import json, re, sys, signal, subprocess, time, urllib.request as u
p = subprocess.Popen({whole[len(prefix) :]!r}, stdout=subprocess.PIPE, text=True)
address = re.search(r"http://[\\d.:]+", p.stdout.readline())[0]
for _ in range({int(SERVED)}):
    try:
        if u.urlopen(address + "/readyz").status == 200: break
    except OSError: time.sleep(1)
body = json.dumps({{"graph": "tables", "question": "Where does Alma Berg work?"}}).encode()
reply = u.urlopen(u.Request(address + "/v1/ask", body, {{"Content-Type": "application/json"}})).read().decode()
pages = [u.urlopen(address + path).status for path in ("/", "/docs", "/v1/graphs")]
p.send_signal(signal.SIGTERM)
p.wait(60)
sys.exit(0 if "Helio" in reply and pages == [200] * 3 else reply[-300:])"""
    done = subprocess.run(
        [*prefix, sys.executable, "-c", asked], env=environment, capture_output=True, text=True, check=False
    )
    return "" if done.returncode == 0 else f"ended with {done.returncode}: {done.stderr[-300:]}"


def outside(log: Path, work: Path) -> Iterator[str]:
    """Yield what a log of strace tells of connections, look-ups and files beside graphs, cache and temporary files."""
    for file in sorted(log.parent.glob(f"{log.name}.*")):
        for line in file.read_text(errors="replace").splitlines():
            call = line.split("(", 1)[0].split()[-1]
            if call in ("connect", "sendto", "sendmsg"):
                for port, address in _ADDRESS.findall(line):
                    if int(port) == _NAME_SERVICE or not address.startswith(_LOCAL):
                        yield f"{call} to {address} port {port}"
                yield from (f"{call} to {name}" for name in _NAMES.findall(line) if "nscd" in name or "resolve" in name)
            elif call not in ("open", "openat") or _WRITES.search(line):
                if "ENOENT" in line or "EEXIST" in line or "EROFS" in line:
                    continue
                for name in _PATHS.findall(line.split(") = ")[0]):
                    place = name.removeprefix(f"{work}/").split("/", 1)[0]
                    is_ours = name.startswith(f"{work}/") and (place in ("cache", "tmp") or ".graph" in place)
                    is_ours |= name.startswith(f"{work.parent}/kernels")
                    if not is_ours and name.startswith("/") and not name.startswith(_DEVICES):
                        yield f"{call} {name}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, help="folder for graphs and logs; a temporary one by default")
    options = parser.parse_args()
    if missing := [name for name in ("strace", "unshare") if not shutil.which(name)]:
        sys.exit(f"{' and '.join(missing)} must be installed")
    faults = 0
    with tempfile.TemporaryDirectory() as scratch:
        for how in ("without a network", "under strace"):
            work = (options.work or Path(scratch)).resolve() / how.replace(" ", "-")
            home, cache, logs, temporary = (work / name for name in ("home", "cache", "logs", "tmp"))
            for folder in (home, cache, logs, temporary):
                folder.mkdir(parents=True)
            write_data(work)
            kernels = work.parent / "kernels"  # compiled once for both
            environment = {"PATH": os.environ["PATH"], "HOME": str(home), "GRAPHBRICK_CACHE": str(cache),
                           "TMPDIR": str(temporary), "NUMBA_CACHE_DIR": str(kernels),
                           "PYTHONDONTWRITEBYTECODE": "1", **kept("PYTHONPATH")}  # fmt: skip
            for number, (name, command) in enumerate(commands(work).items()):
                log = logs / f"{number}"
                prefix = (
                    ["unshare", "-rn", "sh", "-c", 'ip link set lo up; exec "$@"', "sh"]
                    if how == "without a network"
                    else ["strace", "-ff", "-qq", "--seccomp-bpf", "-s", "300", "-e", f"trace={CALLS}", "-o", str(log)]
                )
                start = time.monotonic()
                fault = run(command, prefix, environment)
                told = Counter(outside(log, work))
                left = [str(file.relative_to(home)) for file in home.rglob("*")] + [
                    f"left in the folder for temporary files: {file.name}" for file in temporary.iterdir()
                ]
                print(f"{how:18} {name:14} {time.monotonic() - start:6.1f} s  {fault or 'ok'}", flush=True)
                for text in [*(f"{text} ({count})" for text, count in told.most_common()), *left]:
                    print(f"    {text}")
                faults += bool(fault) + len(told) + len(left)
    print(f"{faults} faults")
    return int(bool(faults))


def kept(*names: str) -> dict[str, str]:
    """Return the variables of this environment that are set."""
    return {name: os.environ[name] for name in names if name in os.environ}


if __name__ == "__main__":
    sys.exit(main())
