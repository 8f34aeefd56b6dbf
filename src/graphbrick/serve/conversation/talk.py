"""A conversation with a recipe, as OpenAI's two APIs send it, and the reply to its last message."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from graphbrick.core.errors import LinkError
from graphbrick.core.trace import Trace
from graphbrick.models.llm.chat import streaming
from graphbrick.recipes import all_recipes
from graphbrick.serve.asking import Inquiry, reply_of, run_of, usage_of
from graphbrick.serve.conversation.answer_text import CANNOT, answers_line, sources
from graphbrick.serve.conversation.standalone import standalone
from graphbrick.serve.conversation.tasks import Task, read_task, task_reply
from graphbrick.serve.conversation.turns import Conversation, last_message, read_conversation, text_of
from graphbrick.serve.errors import not_found
from graphbrick.serve.hosting import questions_of
from graphbrick.serve.limits.streams import Channel
from graphbrick.serve.models import ChatMessage
from graphbrick.serve.service import Service


def model_names(service: Service) -> list[str]:
    """Return the names of the recipes as models: ``recipe``, or ``graph/recipe`` if there are several graphs."""
    opened = [hosted.now for hosted in service.graphs.values()]
    if len(opened) == 1:
        return list(opened[0].recipes)
    return [f"{one.name}/{recipe}" for one in opened for recipe in one.recipes]


def meant_by(service: Service, model: str) -> tuple[str | None, str | None]:
    """Return the graph and the recipe that a model's name means; None for the default.

    Raises:
        ServeError: 404, there is no such model.
    """
    graph, slash, recipe = model.partition("/")
    if slash and graph in service.graphs and _is_recipe(service, graph, recipe):
        return graph, recipe
    if not slash and _is_recipe(service, None, model):
        return None, model
    if not slash and model in service.graphs:
        return model, None
    raise not_found("model", model, model_names(service))


def _is_recipe(service: Service, graph: str | None, name: str) -> bool:
    return name in service.graph(graph).recipes or name.upper() in all_recipes()


class Told(NamedTuple):
    """The end of a reply that was streamed.

    Attributes:
        facts: The run as JSON, or the error as it is sent.
        streamed: What was sent of the reply.
        is_error: Whether it is an error.
    """

    facts: dict[str, Any]
    streamed: str
    is_error: bool = False

    @property
    def rest(self) -> str:
        """The rest of the reply: the answers, unless a model wrote them, and the evidence under them."""
        return ("" if self.streamed else answers_line(self.facts)) + sources(self.facts)


@dataclass(frozen=True)
class Talk:
    """A conversation whose last message is to be answered.

    Attributes:
        service: The server.
        inquiry: The last message with graph and recipe.
        conversation: All of it; None for the prompt of a task.
        task: What a chat program wants to know beside the conversation; None for a message of a person.
        log: Fields of the request in the access log.
        request: The id of the request.
    """

    service: Service
    inquiry: Inquiry
    conversation: Conversation | None
    task: Task | None
    log: dict[str, Any]
    request: str

    def facts(self) -> dict[str, Any]:
        """Return the run as JSON; a question that names nothing of the graph has an answer that says so."""
        if self.conversation is None:
            return self._task_facts()
        inquiry, service, log = self.inquiry, self.service, self.log
        read = standalone(inquiry.opened.graph, inquiry.pipeline, self.conversation)
        inquiry = replace(inquiry, question=read.question, seeds=read.seeds, before=read.stage)
        told = {"conversation": read.to_dict()} if read.by else {}
        try:
            run = run_of(inquiry)
        except LinkError as error:
            log["no_entity"] = True
            reply = service.reply_to(error, self.request).body["error"]
            trace = Trace([] if read.stage is None else [read.stage])
            facts = _only_text(f"{CANNOT}: {reply['message']}.", trace)
            return facts | {"readings": reply["readings"], "error": reply, "notes": inquiry.graph_note} | told
        log.update(usage_of(run))
        return reply_of(inquiry, run) | told

    async def told(self, piece: Callable[[str], bytes]) -> AsyncGenerator[bytes | Told]:
        """Yield what a language model writes as it comes, then how it ended.

        The run is cancelled when this is closed before its end.

        Args:
            piece: Encodes a text that the model wrote.
        """
        channel, texts = Channel(asyncio.get_running_loop()), list[str]()

        def on_token(text: str) -> None:
            texts.append(text)
            channel.put(piece(text))

        def work() -> dict[str, Any]:
            with streaming(on_token):
                return self.facts()

        gate = self.service.gate(self.inquiry.pipeline)
        done = asyncio.ensure_future(self.service.runner.call(work, gate, self.inquiry.budget))
        try:
            async for part in channel.until(done):
                yield part
            error = done.exception()
            if error is None:
                yield Told(done.result(), "".join(texts))
            else:
                reply = self.service.reply_to(error, self.request)
                self.log["error"] = reply.body["error"]["code"]  # the status was sent before it was known
                yield Told(reply.body, "".join(texts), is_error=True)
        finally:
            if not done.done():
                done.cancel()
            await asyncio.gather(done, return_exceptions=True)

    def _task_facts(self) -> dict[str, Any]:
        assert self.task is not None
        opened = self.inquiry.opened
        self.log["task"] = self.task.key
        return _only_text(task_reply(self.task, opened.name, partial(questions_of, opened)), Trace())


def _only_text(text: str, trace: Trace) -> dict[str, Any]:
    answers: list[dict[str, Any]] = [{"text": text, "key": None, "support": []}]
    return {"answers": answers, "support": [], "readings": [], "trace": trace.to_dict()}


def read_talk(service: Service, model: str, messages: Sequence[ChatMessage], log: dict[str, Any], request: str) -> Talk:
    """Return the conversation that messages hold, with the graph and recipe of a model's name.

    Raises:
        ServeError: There is no such model, or no message of the user.
        GraphbrickError: The last message is too long.
    """
    graph, recipe = meant_by(service, model)
    opened = service.graph(graph)
    pipeline = service.pipeline(opened, recipe=recipe)
    log["graph"] = opened.name
    last, earlier = last_message(messages)
    rules = "\n".join(text_of(one) for one in messages if one.role in ("system", "developer"))
    task = read_task(last, earlier, rules)
    conversation = read_conversation(messages) if task is None else None
    question = last if conversation is None else conversation.question
    first_of = 1 if graph else len(service.graphs)
    inquiry = Inquiry(opened, pipeline, question, (), service.runner.budget(), first_of=first_of)
    return Talk(service, inquiry, conversation, task, log, request)


def usage(facts: dict[str, Any]) -> tuple[int, int]:
    """Return the tokens that language models read and wrote; 0 if none was asked."""
    ledger = facts["trace"]["ledger"]
    return int(ledger.get("tokens_in", 0)), int(ledger.get("tokens_out", 0))
