"""Talking to OpenAI-compatible servers: requests, retries, and how faults are told."""

from __future__ import annotations

import asyncio
import os
import random
import re
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from graphbrick.core.errors import ModelError, ModelTimeoutError, without_secrets
from graphbrick.core.trace import Event
from graphbrick.models.llm.http.addresses import (
    OPENAI,
    address_of,
    api_key,
    configured_keys,
    is_loopback,
    key_advice,
    origin_of,
    server_of,
)
from graphbrick.models.llm.http.faults import (
    CutStreamError,
    ErrorReplyError,
    LostConnectionError,
    NoChoicesError,
    NotACompletionError,
    refusal_text,
)
from graphbrick.models.llm.http.reader import ReplyReader
from graphbrick.models.llm.http.runtime import ModelRuntime

if TYPE_CHECKING:
    import openai

T = TypeVar("T")

_RETRIED = frozenset({408, 409, 425, 429})
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 8.0  # seconds before a retry if the server does not say
_LONGEST_RETRY_AFTER = 60.0  # seconds that a server may ask to wait
_SHOWN = 200  # characters of what a server says in an error
_LARGEST_BODY = 256_000_000  # bytes
_TRY_AGAIN = re.compile(r"(?:try again|retry)(?: in| after)? (\d{1,6}(?:\.\d{1,9})?) ?(ms|m|s)", re.IGNORECASE)
_CAUSES = 8  # exceptions behind one another
_BODY, _EVENT = re.compile(rb"(?:\xef\xbb\xbf)?\s*[{\[<]"), re.compile(rb"\s*(?:data|event|id|retry|:)[\w ]*:?")


@dataclass(frozen=True)
class Connection:
    """A server and how patient to be with it.

    Attributes:
        url: Its address.
        key: Its key; never shown.
        timeout: Seconds to wait for a reply, or for more text of a stream.
        retries: How often to try again.
        reuses_prompts: Whether to ask llama.cpp to go on from an earlier prompt with the same beginning.
    """

    url: str
    key: str = field(repr=False)
    timeout: float
    retries: int
    reuses_prompts: bool = False

    @property
    def address(self) -> str:
        """The address as it may be shown."""
        return without_secrets(self.url)

    async def retry(
        self, runtime: ModelRuntime, call: Callable[[openai.AsyncOpenAI], Awaitable[T]], notes: list[str]
    ) -> T:
        """Return the result of a call; repeat it after passing faults, with a note for each retry.

        The call keeps to ``timeout`` itself: it knows whether it waits for a whole reply or for a piece.

        Raises:
            ModelError: The server is away, refuses, does not answer in time, or sends something else.
        """
        import openai

        client, tries = self._client(runtime), 0
        cause: Exception
        while True:
            try:
                return await call(client)
            except (openai.APIConnectionError, LostConnectionError, NoChoicesError, TimeoutError) as error:
                fault, cause, pause = self._fault(error), error, None
            except (openai.APIStatusError, ErrorReplyError) as error:
                fault, cause, pause = self._fault(error), error, _retry_after(error)
                if not (error.status_code in _RETRIED or error.status_code >= 500):
                    raise fault from error
            except (CutStreamError, NotACompletionError, openai.OpenAIError, ValueError, RecursionError) as error:
                raise self._fault(error) from error
            if tries == self.retries:
                raise fault from cause
            if pause is not None and pause > _LONGEST_RETRY_AFTER:
                reason = f"{fault}; it asks to wait {pause:.0f} s, which is too long: try again later"
                raise ModelError(reason, code="server.asks_to_wait", seconds=pause)
            if pause is None:
                pause = min(_FIRST_PAUSE * 2**tries, _LONGEST_PAUSE) * random.uniform(0.75, 1.0)
            tries += 1
            note = f"{fault}; tried again after {pause:.1f} s ({tries} of {self.retries})"
            notes.append(Event(note, "server.tried_again", fault=fault.code, tries=tries, pause=pause))
            await asyncio.sleep(pause)

    async def read(
        self,
        client: openai.AsyncOpenAI,
        body: dict[str, Any],
        reader: ReplyReader,
        on_text: Callable[[str], None] | None,
    ) -> None:
        """Send one request for a chat completion and read the reply.

        Args:
            client: From `retry`.
            body: The request.
            reader: Reads the reply.
            on_text: Called with each new text if the body asks for a stream.
        """
        passed_on, whole, is_stream, is_first = False, bytearray(), on_text is not None, True

        def pass_on(texts: list[str]) -> None:
            nonlocal passed_on
            for text in texts:
                if on_text is not None:
                    on_text(text)
                    passed_on = True

        try:
            async with asyncio.timeout(self.timeout) as deadline:
                create = client.chat.completions.with_streaming_response.create
                async with create(**body) as response:
                    async for data in _bytes(response.iter_bytes()):
                        if is_first and data.strip():  # some servers ignore whether a stream is wanted
                            is_stream, is_first = (
                                not _BODY.match(data) if is_stream else bool(_EVENT.match(data)),
                                False,
                            )
                        if not is_stream:
                            whole += data
                            if len(whole) > _LARGEST_BODY:
                                raise NotACompletionError(f"sent more than {_LARGEST_BODY:,} bytes")
                            continue
                        before = reader.length
                        texts = reader.add_stream(data)
                        if reader.length > before:  # a server that sends nothing but empty pieces has stalled
                            deadline.reschedule(asyncio.get_running_loop().time() + self.timeout)
                        pass_on(texts)
                        if reader.ended:
                            break
            pass_on(reader.end_stream() if is_stream else ["".join(reader.add_body(bytes(whole)))])
        except (LostConnectionError, ErrorReplyError, TimeoutError) as error:
            if not passed_on:
                raise
            stalled = f"no more text came for {self.timeout:g} s" if isinstance(error, TimeoutError) else str(error)
            raise CutStreamError(f"broke off in the middle of a reply: {stalled}") from error

    def refusal(self, error: openai.APIStatusError | ErrorReplyError) -> str:
        """Return what a refusal says, on one line and without the key."""
        return self._hide_key(" ".join(refusal_text(error).encode("utf-8", "replace").decode().split()))[:_SHOWN]

    def _fault(self, error: Exception) -> ModelError:
        """Return an error that says what is wrong and what to do, without the key."""
        import openai

        if isinstance(error, openai.APITimeoutError | TimeoutError):
            return ModelTimeoutError(
                f"{self.address} did not answer within {self.timeout:g} s; raise timeout",
                code="server.timeout",
                seconds=self.timeout,
            )
        if isinstance(error, LostConnectionError):
            reason = f"{self.address} ended the connection in the middle of a reply ({error})"
            return ModelError(reason, code="server.cut_reply", address=self.address)
        if isinstance(error, openai.APIConnectionError):
            return self._unreached(error)
        if isinstance(error, openai.AuthenticationError):
            return ModelError(
                f"{self.address} {'refused the key' if self.key else 'asks for a key'}; {key_advice(self.url)}",
                code="server.key_refused",
                has_key=bool(self.key),
            )
        if isinstance(error, openai.APIStatusError) and error.status_code < 400:
            place = without_secrets(error.response.headers.get("location", "another address"))[:_SHOWN]
            reason = f"{self.address} sends on to {place} (status {error.status_code}), which was not asked"
            advice = "name that server in base_url or OPENAI_BASE_URL if it is meant"
            return ModelError(f"{reason}; {advice}", code="server.redirected", location=place)
        if isinstance(error, openai.APIStatusError | ErrorReplyError):
            how = "refused with status" if isinstance(error, openai.APIStatusError) else "sent an error, as with status"
            status, reason = error.status_code, self.refusal(error)
            return ModelError(
                f"{self.address} {how} {status}: {reason}{self._path_advice(status)}",
                code="server.refused",
                status=status,
                reason=reason,
            )
        if isinstance(error, NoChoicesError):
            came = self._hide_key(error.came)[:_SHOWN]
            return ModelError(f"{self.address} {error} (it sent {came!r})", code="server.no_choices", sent=came)
        if isinstance(error, NotACompletionError):
            came = self._hide_key(error.came)[:_SHOWN]
            return ModelError(
                f"{self.address} {error} (it sent {repr(came) if came else 'nothing'})",
                code="server.not_a_completion",
                sent=came,
            )
        if isinstance(error, CutStreamError):
            return ModelError(f"{self.address} {error}", code="server.broken_stream")
        return ModelError(
            f"{self.address} gave a reply that cannot be read ({type(error).__name__})", code="server.unreadable_reply"
        )

    def _unreached(self, error: Exception) -> ModelError:
        """Return the error about a server that did not answer at all."""
        causes = [error]
        while causes[-1].__cause__ is not None and len(causes) < _CAUSES:
            causes.append(causes[-1].__cause__)  # type: ignore[arg-type]
        names = {type(one).__name__ for one in causes}
        certificate = next((one for one in causes if isinstance(one, ssl.SSLError)), None)
        if certificate is not None:
            reason = f"the certificate of {self.address} cannot be trusted, or it does not speak https ({certificate})"
            advice = "check the address, or name your certificates with SSL_CERT_FILE"
            return ModelError(f"{' '.join(reason.split())}; {advice}", code="server.bad_certificate")
        if names & {"RemoteProtocolError", "ReadError"}:
            reason = f"{self.address} ended the connection without an answer"
            return ModelError(f"{reason}; the server's log may say why", code="server.hung_up", address=self.address)
        return ModelError(
            f"cannot reach the model server at {self.address}; is it running? (base_url names it, or else "
            "OPENAI_BASE_URL)",
            code="server.unreachable",
            address=self.address,
        )

    def _path_advice(self, status: int) -> str:
        """Return what to try where a server knows no such path."""
        parts = urlsplit(self.url)
        if status not in (404, 405) or parts.path.strip("/"):
            return ""
        return f"; does the address end in /v1? (base_url or OPENAI_BASE_URL, as {parts.scheme}://{parts.netloc}/v1)"

    def _hide_key(self, text: str) -> str:
        """Return a text of the server without keys, which some servers repeat."""
        for key in {self.key, os.environ.get("OPENAI_API_KEY", "").strip(), *configured_keys().values()} - {""}:
            text = text.replace(key, "***")
        return text

    def _client(self, runtime: ModelRuntime) -> openai.AsyncOpenAI:
        """Return the client of the server."""
        import openai

        which = (self.url, self.key)
        if which not in runtime.clients:
            try:
                settings: dict[str, Any] = {"follow_redirects": False}  # another server gets no prompt, and no key
                if is_loopback(server_of(self.url)):
                    # A proxy cannot reach this machine's loopback. Certificates take 20 ms to load; http needs none.
                    bare = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if urlsplit(self.url).scheme == "http" else True
                    settings |= {"trust_env": False, "verify": bare}
                parts = urlsplit(self.url)
                query = dict(parse_qsl(parts.query))
                if "api-version" in query:
                    settings["event_hooks"] = {"request": [self._as_azure]}
                # Deadlines and retries are ours: the client's own would not show in the trace.
                client = openai.AsyncOpenAI(
                    base_url=urlunsplit(parts._replace(path=_base(parts.path), query="", fragment="")),
                    api_key=self.key or "none",
                    timeout=None,
                    max_retries=0,
                    http_client=openai.DefaultAsyncHttpxClient(**settings),
                    default_query=query,
                )
            except (ImportError, OSError, ValueError) as error:
                # Proxies and certificates are set by the environment (ALL_PROXY, SSL_CERT_FILE and others).
                raise ModelError(
                    f"the model client cannot start, check proxy and certificate settings: {error}",
                    code="server.client_cannot_start",
                ) from error
            if origin_of(self.url) != origin_of(address_of("")):
                client.organization = client.project = None  # the client reads them from the environment, for OpenAI
            runtime.clients[which] = client
        return runtime.clients[which]

    async def _as_azure(self, request: Any) -> None:
        """Put the key where Azure reads it; elsewhere it would be taken for a token of a user."""
        request.headers.pop("authorization", None)
        request.headers["api-key"] = self.key


def connect(base_url: str, timeout: float, retries: int, *, kind: str, instead: str) -> Connection:
    """Return the connection that a brick and the environment name.

    Args:
        base_url: The server; empty for OPENAI_BASE_URL, or OpenAI.
        timeout: Seconds to wait for a reply.
        retries: How often to try again.
        kind: Kind of the model, for the error if there is no server.
        instead: An alternative without a server, for the same error.

    Raises:
        ModelError: There is no key for OpenAI, the address is not one, or the client is not installed.
    """
    url, key = address_of(base_url), ""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        raise ModelError(
            f"{without_secrets(url)!r} is not an address of a server; try http://localhost:8080/v1",
            code="server.bad_address",
            address=without_secrets(url),
        )
    key = api_key(base_url)
    if not key and origin_of(url) == origin_of(OPENAI):
        advice = f"set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own; {instead}"
        raise ModelError(
            f"no {kind}: {key_advice(base_url) if base_url else advice}", code="server.no_model", wanted=kind
        )
    try:
        import openai  # noqa: F401 - so that the error comes before anything is sent
    except ImportError as error:
        raise ModelError(
            "a model server needs the openai client: pip install 'graphbrick[llm]'", code="server.not_installed"
        ) from error
    return Connection(url, key, timeout, retries)


def _base(path: str) -> str:
    """Return the path of an address without that of chat completions, with which consoles show it.

    >>> _base("/openai/deployments/gpt/chat/completions")
    '/openai/deployments/gpt'
    """
    return path.rstrip("/").removesuffix("/chat/completions")


async def _bytes(body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Pass on the bytes of a body; a lost connection is a `LostConnectionError`."""
    try:
        async for data in body:
            yield data
    except Exception as error:
        raise LostConnectionError(f"the connection was lost: {type(error).__name__}") from error


def _retry_after(error: openai.APIStatusError | ErrorReplyError) -> float | None:
    """Return the seconds that a server asks to wait; None if it does not say."""
    said = _TRY_AGAIN.search(refusal_text(error))
    if isinstance(error, ErrorReplyError):
        return _seconds(said)
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(error.response.headers.get(name, "")) / unit
        except ValueError:
            continue  # no such header, or a date
        if seconds >= 0:
            return seconds
    return _seconds(said)


def _seconds(said: re.Match[str] | None) -> float | None:
    """Return the seconds of a sentence such as «try again in 20s»."""
    if said is None:
        return None
    return float(said[1]) * {"ms": 0.001, "m": 60.0}.get(said[2].lower(), 1.0)
