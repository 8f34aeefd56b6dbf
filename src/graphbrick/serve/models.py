"""The bodies of requests, with their limits; the page about the API is made from them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.query import LONGEST_QUESTION, check_question

LONGEST_RECIPE = 20_000
MOST_SEEDS = 1_000
MOST_MESSAGES, MOST_PARTS = 10_000, 1_000

Key = Annotated[str, Field(min_length=1, max_length=2_000)]
Name = Annotated[str, Field(min_length=1, max_length=130)]


def _checked(text: str) -> str:
    """Return a question; its error becomes one of the field, and says how long the question is."""
    try:
        return check_question(text)
    except GraphbrickError as error:
        raise PydanticCustomError("question", "{reason}", {"reason": str(error)}) from error


QuestionText = Annotated[
    str,
    AfterValidator(_checked),
    Field(json_schema_extra={"minLength": 1, "maxLength": LONGEST_QUESTION}, description="The whole question."),
]


def _few(value: Any, most: int = 100) -> Any:
    """Refuse a table of too many entries before each of them is an error: these take more memory than the request."""
    if isinstance(value, dict) and len(value) > most:
        raise PydanticCustomError("too_many", "may have at most {most} entries", {"most": most})
    return value


class Body(BaseModel):
    """Base of all bodies: unknown fields are errors."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _has_few_fields(cls, value: Any) -> Any:
        return _few(value)


class Limits(Body):
    """Limits of one request; the server's own limits hold too.

    Attributes:
        seconds: Longest run.
        tokens: Most tokens of language models.
        usd: Most dollars.
    """

    seconds: Annotated[float, Field(gt=0, le=86_400)] | None = None
    tokens: Annotated[int, Field(gt=0, le=1_000_000_000)] | None = None
    usd: Annotated[float, Field(gt=0, le=1e6)] | None = None


class Question(Body):
    """A question, and the pipeline that answers it: a recipe of the server by name, or a recipe text."""

    question: QuestionText
    graph: Annotated[Name | None, Field(description="Name of the graph; by default the first.")] = None
    recipe: Annotated[
        Name | None, Field(description="A recipe of the server, or a published one such as 12; by default the first.")
    ] = None
    parts: Annotated[
        dict[Name, Annotated[str, Field(max_length=2_000)]],
        BeforeValidator(_few),
        Field(max_length=20, description="Parts of a published recipe, such as embedder: BM25()."),
    ] = {}
    pipeline: Annotated[
        str | None, Field(max_length=LONGEST_RECIPE, description="A recipe text, in place of a recipe.")
    ] = None
    seeds: Annotated[
        list[Key],
        Field(
            max_length=MOST_SEEDS, fail_fast=True, description="Where to start: keys or labels, in place of linking."
        ),
    ] = []
    min_confidence: Annotated[float | None, Field(ge=0, le=1, description="Withhold answers of lower confidence.")] = (
        None
    )
    budget: Annotated[Limits | None, Field(description="Limits of this request.")] = None


class Ask(Question):
    """A question, and the pipeline that answers it: a recipe of the server by name, or a recipe text."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"question": "What are the capitals of the countries that border Uganda?"},
                {
                    "question": "Which currency is used in the country whose capital is Nairobi?",
                    "pipeline": "PPR(k=1000) >> ShortestPaths() >> Rerank(BM25(), n=32) >> PathAnswer()",
                    "seeds": ["Nairobi"],
                    "budget": {"seconds": 10},
                },
            ]
        },
    )

    subgraph: Annotated[bool, Field(description="Whether to send entities and triples of the subgraph.")] = False
    stream: Annotated[
        bool, Field(description="Whether to send events: start, stage by stage, tokens, then the result.")
    ] = False


class GiveFeedback(Question):
    """A verdict on the answers to a question."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"question": "What is the capital of Kenya?", "right": True},
                {"question": "Which countries border Kenya?", "right": False, "answers": ["Uganda", "Tanzania"]},
            ]
        },
    )

    right: Annotated[bool, Field(description="Whether all answers are right.")]
    answers: Annotated[
        list[Key],
        Field(max_length=MOST_SEEDS, fail_fast=True, description="Keys or labels of the right answers, if others are."),
    ] = []


class Check(Body):
    """A recipe as text or as blocks."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"pipeline": "PPR(k=500) >> ShortestPaths() >> PathAnswer()"},
                {"blocks": {"then": [{"brick": "ShortestPaths"}, {"brick": "PathAnswer"}]}},
            ]
        },
    )

    pipeline: Annotated[str | None, Field(max_length=LONGEST_RECIPE)] = None
    blocks: dict[str, Any] | None = None


class GraphQuery(Body):
    """A query that only reads, in the graph's own language."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"query": "MATCH (c:country) RETURN c.label LIMIT 5", "limit": 5}]},
    )

    query: Annotated[str, Field(min_length=1, max_length=100_000)]
    graph: Name | None = None
    limit: Annotated[int, Field(ge=1, le=10_000)] = 100


class Merge(Body):
    """Two names of one entity; the alias stands for the name from now on."""

    alias: Key
    name: Key


class MergeNames(Body):
    """Names that are one entity, names of which that is taken back, and names that stay apart."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"merge": [{"alias": "NYC", "name": "New York"}]}]}
    )

    merge: Annotated[list[Merge], Field(max_length=1_000, fail_fast=True)] = []
    undo: Annotated[list[Key], Field(max_length=1_000, fail_fast=True)] = []
    apart: Annotated[list[Key], Field(max_length=1_000, fail_fast=True)] = []


class GiveLabel(Body):
    """A label of one answer."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"id": "1-3", "label": "answer_relevance", "value": "1"}]}
    )

    id: Annotated[str, Field(min_length=1, max_length=200, description="The id of the row.")]
    label: Annotated[str, Field(min_length=1, max_length=100)]
    value: Annotated[Literal["1", "0", "skip", ""], Field(description="Empty takes a label back.")]


class ChatPart(BaseModel):
    """A part of a message; only texts are read."""

    type: Annotated[str, Field(max_length=100)]
    text: str | None = None


Parts = Annotated[list[ChatPart], Field(max_length=MOST_PARTS, fail_fast=True)]
"""Parts of a message; an error for each of thousands would take more memory than the request."""


class ChatMessage(BaseModel):
    """One message of a conversation, as OpenAI's clients send it; fields that are not used are ignored."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | Parts | None = None


class StreamOptions(BaseModel):
    """Options of a stream."""

    include_usage: bool = False


class Chat(BaseModel):
    """A request of OpenAI's chat API; the model is a recipe, and what only a language model could use is ignored."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"model": "default", "messages": [{"role": "user", "content": "What is the capital of Kenya?"}]},
                {
                    "model": "default",
                    "messages": [
                        {"role": "user", "content": "What is the capital of Kenya?"},
                        {"role": "assistant", "content": "Nairobi"},
                        {"role": "user", "content": "And of Uganda?"},
                    ],
                },
            ]
        }
    )

    model: Annotated[str, Field(min_length=1, max_length=200)]
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=MOST_MESSAGES, fail_fast=True)]
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    max_tokens: Annotated[int, Field(gt=0, le=1_000_000_000)] | None = None
    max_completion_tokens: Annotated[int, Field(gt=0, le=1_000_000_000)] | None = None
    n: Annotated[int, Field(ge=1, le=1)] | None = None


class ResponseItem(BaseModel):
    """One item of the input of OpenAI's Responses API; only messages are read."""

    type: Annotated[str, Field(max_length=100)] = "message"
    role: Literal["system", "developer", "user", "assistant"] | None = None
    content: str | Parts | None = None


class ResponseRequest(BaseModel):
    """A request of OpenAI's Responses API; the model is a recipe, and settings of language models are ignored."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"model": "default", "input": "What is the capital of Kenya?"},
                {"model": "default", "input": [{"role": "user", "content": "What is the capital of Kenya?"}]},
            ]
        }
    )

    model: Annotated[str, Field(min_length=1, max_length=200)]
    input: str | Annotated[list[ResponseItem], Field(min_length=1, max_length=MOST_MESSAGES, fail_fast=True)]
    instructions: str | None = None
    stream: bool | None = False
    metadata: Annotated[dict[str, str], BeforeValidator(_few)] | None = None
    previous_response_id: Annotated[str | None, Field(description="Refused: nothing is stored.")] = None
    conversation: Annotated[Any, Field(description="Refused: nothing is stored.")] = None
    prompt: Annotated[Any, Field(description="Refused: nothing is stored.")] = None
    background: Annotated[bool | None, Field(description="Refused: nothing is stored.")] = None
