"""Sending requests to a language model: calls in flight, budget and cost, and the entry in the trace."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from graphbrick.core.errors import ModelError
from graphbrick.core.trace import Event, Exchange, count_exchange, event
from graphbrick.models.llm.context_budget import text_tokens
from graphbrick.models.llm.http.call import Caller
from graphbrick.models.llm.http.runtime import model_runtime
from graphbrick.models.llm.http.wire import message_json
from graphbrick.models.llm.messages import Message, Reply, Request
from graphbrick.models.llm.prices import Hosted
from graphbrick.pipeline.budget import Budget, StoppedError, current_budget

if TYPE_CHECKING:
    from graphbrick.models.llm.chat import ChatModel

_LEAST = 100  # times smaller than the estimate, a figure is not a count of tokens: a budget would not hold

_ROOM = 4096  # tokens for thoughts
_TOO_LONG = frozenset({400, 413, 422})  # what servers answer to more tokens than a model holds
_CHARACTERS = 4  # of thoughts for a token, where the server counts none

OnToken: TypeAlias = Callable[[str], None]
"""Token callback: called with each piece of a reply, in the thread that made the call."""


def tell(notes: Iterable[str], *, once: bool = False) -> None:
    """Record the notes of a reply as events, with their codes."""
    for note in notes:
        coded = note if isinstance(note, Event) else Event(note)
        event(coded, coded.code, once=once, **coded.values)


def send_all(model: ChatModel, requests: Sequence[Request], done: dict[int, Reply], on_token: OnToken | None) -> None:
    """Send requests and wait for all; the replies are put into ``done`` as they come."""
    budget = current_budget()
    if budget is not None:
        budget.check()
        if budget.usd is not None and model.price() is None:
            raise ModelError(
                f"a budget in dollars needs the price of {model.model!r}; write it into a file that "
                "GRAPHBRICK_PRICES names, or give the budget in tokens",
                code="budget.no_price",
                model=model.model,
            )
    runtime = model_runtime()
    caller = Caller(runtime, model.connection(), model.model, model.temperature)
    sending = _Sending(model, caller, budget)
    if on_token is None:
        runtime.wait(sending.all(requests, done, None), budget)
    else:
        runtime.stream(lambda put: sending.all(requests, done, put), budget, on_token)


def _implausible(model: ChatModel, reply: Reply, tokens_in: int) -> Event:
    text = f"{model.model} reported {reply.tokens_in} tokens of a request of about {tokens_in:,}; they are estimated"
    return Event(text, "reply.tokens_implausible", reported=reply.tokens_in, estimated=tokens_in)


@dataclass(frozen=True)
class _Sending:
    """Model, caller and budget that the calls of one batch share."""

    model: ChatModel
    caller: Caller
    budget: Budget | None

    async def all(self, requests: Sequence[Request], done: dict[int, Reply], on_text: OnToken | None) -> None:
        """Send requests, as many at a time as the model takes."""
        caller, model = self.caller, self.model
        limit = caller.runtime.limit(caller.connection.address, model.model, model.parallel)

        async def one(i: int, request: Request) -> None:
            async with limit:
                done[i] = await self._with_room(request, on_text)

        tasks = [asyncio.create_task(one(i, request)) for i, request in enumerate(requests)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _with_room(self, request: Request, on_text: OnToken | None) -> Reply:
        """Return one reply; servers count thoughts as tokens of it, so a model that thinks gets more of them.

        A model that is not known to think is asked once more if it was cut before it began to answer.
        """
        model, caller = self.model, self.caller
        habits = caller.runtime.habits_of(caller.connection.address, model.model)
        longest, room = model.longest(request), 0
        if not request.top_logprobs and habits.has_room:  # of probabilities, only those of the first word count
            room = max(min(_ROOM, model.context_tokens() - model.tokens_in(request) - longest), 0)
        if habits.thinks and room:
            try:
                return await self._within_budget(request, longest + room, on_text)
            except ModelError as error:
                if getattr(error.__cause__, "status_code", None) not in _TOO_LONG:
                    raise
                habits.has_room, room = False, 0
        reply = await self._within_budget(request, longest, on_text)
        if not (reply.ran_out and room):
            return reply
        note = Event(
            f"{model.model} was cut while it thought, and asked again with room for thoughts", "reply.more_room"
        )
        try:
            again = await self._within_budget(request, longest + room, on_text)
        except (ModelError, StoppedError) as error:  # the first reply says what is lacking
            note = Event(f"{model.model} was not asked again with room for thoughts: {error}", "reply.no_more_room")
            return replace(reply, notes=(note, *reply.notes))
        return replace(
            again,
            tokens_in=reply.tokens_in + again.tokens_in,
            tokens_out=reply.tokens_out + again.tokens_out,
            estimated=reply.estimated or again.estimated,
            seconds=reply.seconds + again.seconds,
            cost=reply.cost + again.cost,
            notes=(note, *again.notes),
            calls=reply.calls + again.calls,
        )

    async def _within_budget(self, request: Request, longest: int, on_text: OnToken | None) -> Reply:
        """Return one reply; the most that it may cost is set aside before."""
        model, budget = self.model, self.budget
        price = model.price() or Hosted()
        tokens_in = model.tokens_in(request)
        reserved = tokens_in + longest * request.n, price.cost(tokens_in, longest * request.n)
        if budget is not None:
            await budget.set_aside(*reserved)
        used_tokens, used_usd = 0, 0.0
        try:
            reply = await self._replied(request, longest, on_text)
            if not reply.estimated and reply.tokens_in * _LEAST < tokens_in:
                reply = replace(reply, estimated=True, notes=(*reply.notes, _implausible(model, reply, tokens_in)))
            if reply.estimated:
                written = sum(
                    text_tokens(_written(choice.message), model.tokenizer) + choice.thought // _CHARACTERS
                    for choice in reply.choices
                )
                reply = replace(reply, tokens_in=tokens_in, tokens_out=written)
            reply = replace(reply, cost=price.cost(reply.tokens_in, reply.tokens_out))
            used_tokens, used_usd = reply.tokens_in + reply.tokens_out, reply.cost
            return reply
        finally:
            if budget is not None:
                await budget.settle(*reserved, used_tokens, used_usd)

    async def _replied(self, request: Request, longest: int, on_text: OnToken | None) -> Reply:
        """Return one reply with all its samples, in several calls if the server gives one sample at a time."""
        one, parts = replace(request, n=1), list[Reply]()
        if request.n == 1 or (self.model.samples_at_once and self.caller.samples_at_once):
            reply = await self.caller.reply(request, longest, on_text)
            if request.n == 1 or self.caller.samples_at_once:
                return reply
            parts.append(
                replace(reply, notes=tuple(n for n in reply.notes if getattr(n, "code", "") != "reply.too_few"))
            )
        while len(parts) < request.n:
            parts.append(await self.caller.reply(one, longest, None if parts else on_text))
        return replace(
            parts[0],
            choices=tuple(choice for part in parts for choice in part.choices),
            tokens_in=sum(part.tokens_in for part in parts),
            tokens_out=sum(part.tokens_out for part in parts),
            estimated=any(part.estimated for part in parts),
            seconds=sum(part.seconds for part in parts),
            notes=tuple(note for part in parts for note in part.notes),
            calls=len(parts),
        )


def account(model: ChatModel, request: Request, reply: Reply) -> None:
    """Write a reply into the trace of the running stage."""
    messages = [message_json(choice.message) for choice in reply.choices]
    count_exchange(
        Exchange(
            model.model,
            [message_json(message) for message in request.messages],
            reply.text,
            reply.tokens_in,
            reply.tokens_out,
            reply.estimated,
            reply.seconds,
            reply.cost,
            reply.cached,
            tool_calls=messages[0].get("tool_calls", []),
            alternatives=messages[1:],
            calls=reply.calls,
        )
    )
    tell(reply.notes)
    tell(reply.adjustments, once=True)
    if model.price() is None and not reply.cached:
        event(
            f"no price is known for {model.model}, so that its cost counts as 0 (GRAPHBRICK_PRICES names a table)",
            "llm.unknown_price",
            once=True,
            model=model.model,
        )


def _written(message: Message) -> str:
    """Return everything that a model wrote in a message."""
    return message.text + (json.dumps(message_json(message)["tool_calls"]) if message.tool_calls else "")
