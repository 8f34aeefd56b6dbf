"""Paths that a language model writes under a grammar of the paths that exist."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from graphbrick.bricks.retrieve.paths.all_paths import AllPaths
from graphbrick.bricks.retrieve.reasoning.asking import PROMPTS
from graphbrick.core import Evidence, Path, Query, Subgraph
from graphbrick.core.compute import check_limits
from graphbrick.core.errors import ModelError
from graphbrick.core.graph import DIRECTIONS
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event, fact
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.messages import Choice, Message, Request
from graphbrick.models.llm.replies.grammars import one_of
from graphbrick.models.llm.replies.replies import one_line, shown
from graphbrick.pipeline import RetrieveStage


@dataclass(frozen=True, repr=False)
class ConstrainedPaths(RetrieveStage):
    """Paths that a language model writes, restricted to those that exist in the graph.

    This is the decoding of GCR. All paths around the seeds become a trie, and the trie a grammar, which the server
    obeys token by token. So one call with a short prompt chooses among thousands of paths that the model never reads.
    Several hypotheses come one after the other, each with the paths written before removed from the trie, or from one
    call that samples. The search ends when the trie is empty; without any path the model is not called, which is an
    event. So is a path that is cut off at the longest reply: it is left out, with all paths that begin like it.

    The server must obey grammars: LocalLLM, llama.cpp and vLLM do. One that ignores them is found out by its reply.

    Args:
        llm: The language model, such as LocalLLM().
        n: Hypotheses, at least 1; those that are cut off count.
        max_hops: Triples in a path, from 1 to 10.
        direction: "both", "out" (along triples) or "in" (against them).
        cap: Most paths in the grammar, at least 1; the shortest are kept, and reaching the cap is an event.
        decode: "distinct" for one call a hypothesis, in which those written before are left out; "sample" for one call
            with ``n`` samples, which needs a temperature above 0 and may give the same path more than once.
        relations: How many of the most frequent relations on the paths the prompt lists, as a help for models that do
            not know the graph; 0 for none, as in the paper.

    Returns:
        The paths in the order they were written; paths that read alike come together, in the order of `AllPaths`. The
        score is 1 / the place of the hypothesis, for samples the share of those that gave it.

    Raises:
        ModelError: The server does not obey grammars, is away, refuses, or does not answer in time.

    Example:
        >>> from graphbrick import LLM
        >>> from graphbrick.testing import ScriptedLLM, tiny_graph
        >>> with ScriptedLLM(["Nairobi <- capital <- Kenya -> currency -> Kenyan shilling"]) as server:
        ...     stage = ConstrainedPaths(LLM(base_url=server.base_url), n=1)
        ...     run = stage.run(tiny_graph(), "Which currency has the country whose capital is Nairobi?")
        >>> run.evidence.texts()
        ['Nairobi <- capital <- Kenya -> currency -> Kenyan shilling']
    """

    paper = "Luo et al., Graph-Constrained Reasoning (GCR), 2024"

    llm: ChatModel = parameter(example="LocalLLM()")
    n: int = parameter(10, at_least=1, search=(1, 3, 10))
    max_hops: int = parameter(2, at_least=1, at_most=10, search=(1, 2, 3))
    direction: str = parameter("both", choices=DIRECTIONS)
    cap: int = parameter(5_000, at_least=1)
    decode: str = parameter("distinct", choices=("distinct", "sample"))
    relations: int = parameter(30, at_least=0, search=(0, 30))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.decode == "sample" and not self.llm.temperature:
            self.refuse("decode", "'distinct' for a model of temperature 0, whose samples are all the same", "distinct")

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the paths that the model writes."""
        every = AllPaths(self.max_hops, self.direction, self.cap).retrieve(query, subgraph)
        by_text: dict[str, list[Path]] = {}
        for path, text in zip(every.paths, every.texts(), strict=True):
            by_text.setdefault(one_line(text), []).append(path)
        fact(paths_in_grammar=len(by_text))
        if not by_text:
            event("no path leads from the seeds, so the model was not called", "constrained_paths.no_path")
            return Evidence()
        request = Request(self.messages(query, subgraph, every.paths))
        written = self._sampled(request, by_text) if self.decode == "sample" else self._one_by_one(request, by_text)
        source = repr(self)
        items = (replace(p, score=score, source=source, prefix=None) for t, score in written for p in by_text[t])
        return Evidence(tuple(items))

    def _one_by_one(self, request: Request, by_text: Mapping[str, Sequence[Path]]) -> list[tuple[str, float]]:
        """Return the hypotheses with their scores, each from a grammar without those before."""
        left, written = dict.fromkeys(by_text), list[tuple[str, float]]()
        for _ in range(self.n):
            check_limits()
            reply = self.llm.ask_all([replace(request, grammar=one_of(left))])[0]
            text = self._path(reply.choices[0], left)
            if text in left:
                written.append((text, 1 / (len(written) + 1)))
                del left[text]
            else:  # the same would come again
                begun = [path for path in left if path.startswith(text)]
                event(
                    f"the {len(begun):,} paths that begin as the one cut off were left out of the next grammars",
                    "constrained_paths.begun_left_out",
                    n=len(begun),
                )
                left = {path: None for path in left if not path.startswith(text)}
            if not left:
                total, n = len(by_text), len(written)
                event(
                    f"of {total:,} paths around the seeds {n:,} were written; there are no further ones",
                    "constrained_paths.all_written",
                    n=n,
                    total=total,
                )
                break
        return written

    def _sampled(self, request: Request, by_text: Mapping[str, Sequence[Path]]) -> list[tuple[str, float]]:
        """Return the distinct samples with their shares, the most frequent first; ties by first appearance."""
        reply = self.llm.ask_all([replace(request, grammar=one_of(by_text), n=self.n)])[0]
        samples = [self._path(choice, by_text) for choice in reply.choices]
        counts = Counter(text for text in samples if text in by_text)
        return [(text, count / len(samples)) for text, count in counts.most_common()]

    def _path(self, choice: Choice, texts: Mapping[str, object]) -> str:
        """Return the path that a reply is; its beginning, with an event, if it was cut off.

        Raises:
            ModelError: It is no path of the grammar.
        """
        text = choice.message.text.strip()
        if text in texts:
            return text
        text = text.rstrip("\ufffd")  # it may be cut within a character
        if choice.finish_reason == "length" and any(path.startswith(text) for path in texts):
            event(
                f"a path was cut off at {self.llm.max_tokens:,} tokens and left out (raise max_tokens): {shown(text)}",
                "constrained_paths.cut_off",
                tokens=self.llm.max_tokens,
            )
            return text
        raise ModelError(
            f"{self.llm.model} at {self.llm.address()} does not obey grammars: it replied {shown(text)}, which is not "
            "a path of the grammar; use LocalLLM(), or a server of llama.cpp or vLLM, or PlannedPaths with this one",
            code="constrained_paths.no_grammar",
        )

    def messages(self, query: Query, subgraph: Subgraph, paths: Sequence[Path]) -> list[Message]:
        """Return the prompt for a question whose grammar has these paths."""
        label = subgraph.graph.label
        starts = "; ".join(dict.fromkeys(one_line(label(path.start)) for path in paths))
        relations = self._listed(paths)
        return PROMPTS.messages(self.llm, "constrained_path", relations=relations, start=starts, question=query.text)

    def _listed(self, paths: Sequence[Path]) -> str:
        """Return the line of the prompt about relations; empty if it lists none."""
        if not self.relations:
            return ""
        counts = Counter(
            f"{'->' if step.forward else '<-'} {one_line(step.relation)}" for path in paths for step in path.steps[-1:]
        )
        return "Relations near the start: " + ", ".join(move for move, _ in counts.most_common(self.relations))
