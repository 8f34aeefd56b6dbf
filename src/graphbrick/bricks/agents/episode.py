"""The loop of an agent on one question: the model calls tools until it finishes, or a limit ends it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from graphbrick.bricks.agents.agent_tool import AdviceError, AgentTool, Observation, did_you_mean
from graphbrick.bricks.agents.conversation import Conversation, Turn
from graphbrick.bricks.agents.text_protocol import Call
from graphbrick.bricks.agents.tool_threads import run_at_once
from graphbrick.bricks.agents.workspace import LONGEST_RESULT, Workspace
from graphbrick.core.compute import check_limits
from graphbrick.core.errors import GraphbrickError, ModelError, ModelTimeoutError, NotRecordedError
from graphbrick.core.trace import StageTrace, Trace, event, record, record_within, tally
from graphbrick.models.llm.messages import Message, Reply
from graphbrick.models.llm.replies.replies import shown, unreadable
from graphbrick.pipeline.budget import StoppedError

_LONGEST_CALL = 120.0  # seconds; requests to databases have shorter limits of their own
_MOST_IDLE = 2
"""Replies in a row that call no tool, or only repeat calls, after which an agent ends."""


@dataclass(frozen=True)
class Limits:
    """The limits of the work on one question; see `Agent`."""

    steps: int
    calls: int
    tokens: int


class Episode:
    """The steps of one agent on one question.

    Args:
        conversation: What is said to the model.
        work: What the agent has seen.
        limits: Steps, tool calls and tokens at most.
        first: The tool that must be called first; empty for any.
    """

    def __init__(self, conversation: Conversation, work: Workspace, limits: Limits, first: str = "") -> None:
        self.conversation, self.work, self.limits, self.first = conversation, work, limits, first
        self.turns: list[Turn] = []
        self._calls = self._tokens = self._shortened = self._idle = 0
        self._results: dict[str, str] = {}  # by call
        self._failed = set[str]()  # calls whose last result was advice: they may succeed later
        self._doubted = False

    def run(self) -> None:
        """Take steps until the agent finishes or a limit ends it, which is an event.

        Raises:
            ModelError: The model failed before anything was seen.
            NotRecordedError: Only recorded replies are replayed, and one is missing.
            StoppedError: The budget of the run is used up.
        """
        for number in range(1, self.limits.steps + 1):
            check_limits()
            with record_within(f"step {number}", "step") as entry:
                try:
                    is_over = self._step(entry)
                except (StoppedError, NotRecordedError):
                    raise
                except ModelError as error:
                    if not self._results:
                        raise
                    event(f"the agent ended, since the model failed: {error}", "agent.model_failed")
                    tally(late_replies=int(isinstance(error, ModelTimeoutError)))
                    is_over = True
            if is_over:
                return
        event(
            f"the agent did not finish in {self.limits.steps} steps; what it has seen is the evidence",
            "agent.max_steps",
            steps=self.limits.steps,
        )

    def _step(self, entry: StageTrace) -> bool:
        """Ask the model once and run the tools that it calls; return whether that was the last step."""
        messages = self._messages()
        if messages is None:
            event("the agent ended: the conversation does not fit the context of the model", "agent.context_full")
            return True
        needed = self.conversation.tokens(messages)
        if self._tokens and self._tokens + needed > self.limits.tokens:
            event(
                f"the agent ended: the next call would exceed its {self.limits.tokens:,} tokens (max_tokens)",
                "agent.max_tokens",
                tokens=self.limits.tokens,
            )
            return True
        reply = self.conversation.ask(messages)
        self._tokens += reply.tokens_in + reply.tokens_out
        calls = self.conversation.calls(reply)
        message = self.conversation.message(reply, calls)
        if not calls:
            return self._without_call(reply, message)
        allowed = calls[: max(self.limits.calls - self._calls, 0)]
        texts, finished, is_new = self._run_calls(allowed, entry)
        unused = [(call, "not run: no calls are left") for call in calls[len(allowed) :]]
        self.turns.append(Turn(message, (*zip(allowed, texts, strict=True), *unused)))
        self._calls += len(allowed)
        if finished:
            return True
        if self._calls >= self.limits.calls:
            event(
                f"the agent ended: it has made {self._calls} tool calls (max_calls)",
                "agent.max_calls",
                calls=self._calls,
            )
            return True
        self._idle = 0 if is_new else self._idle + 1
        if self._idle >= _MOST_IDLE:
            event("the agent ended: it only repeated calls", "agent.only_repeats")
            return True
        return False

    # The model

    def _messages(self) -> list[Message] | None:
        """Return the messages, with as many old results shortened as needed; None if they do not fit even so."""
        before = self._shortened
        messages = self.conversation.messages(self.turns, self._shortened)
        while self.conversation.context_left(messages) < 0 and self._shortened < len(self.turns):
            self._shortened += 1
            messages = self.conversation.messages(self.turns, self._shortened)
        if self._shortened > before:
            event(
                f"the results of the first {self._shortened} steps were shortened to fit the context of the model",
                "agent.results_shortened",
                steps=self._shortened,
            )
        if self.conversation.context_left(messages) >= 0:
            return messages
        return None

    def _without_call(self, reply: Reply, message: Message) -> bool:
        """Handle a reply that calls no tool: advise the model, or take it as the end."""
        said = reply.text.strip()
        named = self.work.mentioned(said) if self._results else []
        if self.conversation.native and self._results and said.strip():
            event(
                f"the model answered without finish; {len(named)} nodes that it names were seen: {shown(said)}",
                "agent.no_finish",
                nodes=len(named),
            )
            self.work.answer = tuple(named)
            return True
        self._idle += 1
        unreadable(f"the model called no tool: {shown(reply.text)}", "agent.no_tool_called")
        if self._idle >= _MOST_IDLE:
            event(
                f"the agent ended: {self._idle} replies in a row called no new tool", "agent.idle", replies=self._idle
            )
            self.work.answer = tuple(named)
            return True
        how = "call a tool" if self.conversation.native else 'write a line such as Action: finish["node"]'
        self.turns.append(
            Turn(message, (), f"That is not a tool call. Please {how}; the tools are {', '.join(self._names)}.")
        )
        return False

    @property
    def _names(self) -> list[str]:
        return list(self.conversation.tools)

    # Tools

    def _run_calls(self, calls: Sequence[Call], entry: StageTrace) -> tuple[list[str], bool, bool]:
        """Run the calls of one step at the same time.

        Returns:
            The text for the model of each call, whether the agent has finished, and whether any call was new.
        """
        traces = [Trace() for _ in calls]
        outcomes = run_at_once(
            [partial(self._observed, call, trace) for call, trace in zip(calls, traces, strict=True)],
            _LONGEST_CALL,
            lambda place: self._given_up(calls[place], traces, place),
        )
        texts, answers, is_new = list[str](), dict[int, tuple[str, ...]](), False
        for place, (call, trace, outcome) in enumerate(zip(calls, traces, outcomes, strict=True)):
            entry.children += trace.stages
            if isinstance(outcome, Observation):
                text = self.work.keep(outcome)
                trace.stages[-1].counts_out = {"nodes": len(outcome.nodes or ()), "triples": len(outcome.walked)}
                if outcome.answer is not None:
                    answers[place] = outcome.answer
            else:
                text = outcome
            text = text if len(text) <= LONGEST_RESULT else f"{text[:LONGEST_RESULT]} (the rest was left out)"
            is_new |= self._remember(call, text, failed=isinstance(outcome, str))
            texts.append(text)
        finished = False
        if answers:  # small models finish once for each node of the answer
            text, finished = self._finished(list(dict.fromkeys(name for names in answers.values() for name in names)))
            texts = [text if place in answers else told for place, told in enumerate(texts)]
        return texts, finished, is_new

    def _remember(self, call: Call, text: str, *, failed: bool) -> bool:
        """Note the result of a call; return whether it was not known."""
        key = self._key(call)
        earlier = self._results.get(key)
        if earlier is not None and (key not in self._failed or text == earlier):
            return False
        self._results[key] = text
        if failed:
            self._failed.add(key)
        else:
            self._failed.discard(key)
        return True

    def _observed(self, call: Call, trace: Trace) -> Observation | str:
        """Run one call under the clock; a text if it was wrong or not run, which is an event."""
        with record(trace, call.text[:200], "tool"):
            earlier = None if self._key(call) in self._failed else self._results.get(self._key(call))
            if earlier is not None and call.name != "finish":
                event("the call was made before; its result was given again", "agent.repeated_call")
                return f"You made this call before; make another one or finish. The result was:\n{earlier}"
            try:
                observation: object = self._tool(call).function(self.work, **self._bound(call))
                if not isinstance(observation, Observation):
                    raise AdviceError(
                        f"the tool {call.name} is broken: it returned {observation!r:.80}, not an Observation",
                        code="agent.broken_tool",
                        tool=call.name,
                    )
                return observation
            except (StoppedError, NotRecordedError):
                raise
            except AdviceError as error:
                event(f"advice: {error}", "agent.advice", once=False, reason=error.code, **error.values)
                return f"Error: {error}"
            except GraphbrickError as error:
                event(f"the tool failed: {error}", "agent.tool_failed", error=str(error))
                return f"Error: {call.name} failed: {error}"
            except (Exception, SystemExit) as error:  # noqa: BLE001 - a plug-in may raise anything
                event(
                    f"the tool failed with {type(error).__name__}: {shown(str(error))}",
                    "agent.tool_broke",
                    error=type(error).__name__,
                )
                return f"Error: {call.name} failed; use another tool"

    def _given_up(self, call: Call, traces: list[Trace], place: int) -> str:
        """Return the text that the model reads about a call that takes too long, which is an event."""
        traces[place] = Trace()  # the old one belongs to the thread that goes on
        with record(traces[place], call.text[:200], "tool"):
            event(
                f"the tool was given up after {_LONGEST_CALL:g} seconds", "agent.tool_given_up", seconds=_LONGEST_CALL
            )
        return f"Error: {call.name} took longer than {_LONGEST_CALL:g} seconds; ask for less"

    def _tool(self, call: Call) -> AgentTool:
        tool = self.conversation.tools.get(call.name)
        if tool is None:
            hint = did_you_mean(call.name, self._names) or f"; there are {', '.join(self._names)}"
            raise AdviceError(f"there is no tool {call.name[:80]!r}{hint}", code="agent.unknown_tool", tool=call.name)
        if self.first not in ("", call.name) and not any(key.startswith(f"{self.first} ") for key in self._results):
            usage = self.conversation.tools[self.first].usage
            raise AdviceError(
                f"the first call must be {self.first}; use {usage}, then make this call again",
                code="agent.first_call",
                first=self.first,
            )
        return tool

    def _bound(self, call: Call) -> Mapping[str, object]:
        tool = self._tool(call)
        if call.invalid:
            raise AdviceError(
                f"the arguments of {call.name} are not a JSON object: {call.invalid[:80]!r}; use {tool.usage}",
                code="agent.bad_arguments",
                tool=call.name,
            )
        return tool.bind(call.arguments)

    def _finished(self, names: Sequence[str]) -> tuple[str, bool]:
        """Take the answer of the agent; send it back once if no result has shown it, or the question names it."""
        unknown = self.work.finish(names)
        if unknown:
            text = f"no result has shown {', '.join(map(repr, unknown[:5]))}"
        elif not self._doubted and self.work.is_of_question(names):
            text = f"the question itself names {', '.join(names[:5])}; finish again if that is the answer"
        else:
            return "The search ends.", True
        if self._doubted:
            event(f"the agent finished, but {text}", "agent.finished_in_doubt", names=tuple(names))
            return "The search ends.", True
        self._doubted = True
        event(f"advice: {text}", "agent.finish_doubted", names=tuple(names))
        return f"Error: {text}; else look it up, or finish with nodes from the results, as they write them", False

    def _key(self, call: Call) -> str:
        return f"{call.name} {json.dumps(call.arguments, sort_keys=True, default=str)} {call.invalid}"
