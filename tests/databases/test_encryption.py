"""Servers behind TLS: trusted certificates work, and others are one clear line."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cut_line import line_to
from stores import SERVERS, Held

from graphbrick import Session, open_graph
from graphbrick.core.errors import GraphbrickError
from graphbrick.graphs.databases.graph import DatabaseGraph

ENCRYPTED = {"bolt://": "bolt+s://", "falkor://": "falkors://", "sparql+http://": "sparql+https://"}
over_tls = pytest.mark.parametrize(
    "secure", ["sparql", *(pytest.param(kind, marks=pytest.mark.databases) for kind in SERVERS)], indirect=True
)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for 127.0.0.1 that only itself vouches for, with its key."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("certificate")
    command = "openssl req -x509 -nodes -days 2 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -subj /CN=127.0.0.1"
    names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "certificate.pem"]
    subprocess.run([*command.split(), *names], cwd=folder, check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_text((folder / "certificate.pem").read_text() + (folder / "key.pem").read_text())
    return both


@pytest.fixture
def secure(
    request: pytest.FixtureRequest, certificate: Path, held: Callable[[str], Held], monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """The address of the store of a kind, behind TLS."""
    found = held(request.param)
    found.log_in(monkeypatch)
    (port,) = re.findall(r"127\.0\.0\.1:(\d+)", found.address)
    with Session(), line_to(int(port), certificate) as line:
        address = found.address.replace(port, str(line.port))
        (plain,) = (scheme for scheme in ENCRYPTED if address.startswith(scheme))
        yield address.replace(plain, ENCRYPTED[plain])


def kenya(address: str) -> str:
    graph = open_graph(address)
    assert isinstance(graph, DatabaseGraph)
    return graph.label(graph.entity("country:KE"))


@over_tls
def test_a_certificate_that_nobody_vouches_for_is_one_clear_line(secure: str) -> None:
    with pytest.raises(GraphbrickError, match=r"encrypted connection.*check the certificate") as caught:
        kenya(secure)
    assert "\n" not in str(caught.value)


@over_tls
def test_a_certificate_of_ones_own_is_trusted_by_its_file(
    secure: str, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.with_name("certificate.pem")))
    assert kenya(secure) == "Kenya"


@pytest.mark.databases
@pytest.mark.parametrize("secure", ["bolt"], indirect=True)
def test_bolt_can_do_without_trust(secure: str) -> None:
    assert kenya(secure.replace("bolt+s:", "bolt+ssc:")) == "Kenya"
