"""Facts of the relations that a language model picks from the entities reached so far."""

from __future__ import annotations

from graphbrick.core import Subgraph
from graphbrick.core.trace import event
from graphbrick.llm.chat import ChatModel
from graphbrick.retrieve.beam import Partial
from graphbrick.retrieve.reasoning.choices import choosing, chosen
from graphbrick.retrieve.reasoning.moves import name_of, offers

_NAMED = 20  # entities in a prompt


def picked_facts(
    llm: ChatModel,
    name: str,
    question: str,
    subgraph: Subgraph,
    ends: list[Partial],
    *,
    direction: str,
    triples: int,
    most: int | None = None,
) -> list[Partial]:
    """Return the paths of the relations that a model picks, by the order of its reply; none, with an event, if none.

    Args:
        llm: The model.
        name: The prompt, about numbered relations.
        question: The question.
        subgraph: Where to walk.
        ends: The paths so far.
        direction: "both", "out" or "in".
        triples: Most paths of a relation; more are left out, which is an event.
        most: Most relations; None for any number.
    """
    offered = offers(subgraph, ends, direction, triples)
    if not offered:
        event("no relation leads on from the entities reached")
        return []
    names = dict.fromkeys(name_of(subgraph, path.nodes[-1]) for path in ends)
    entities = ", ".join([*names][:_NAMED])
    prompt = choosing(llm, name, list(offered), most, question=question, entities=entities)
    picked = chosen(llm.ask_all([prompt.request])[0].text, prompt.candidates, most)
    if not picked:
        event("the model picked no relation; the search ended with what there is")
    facts = []
    for relation in (list(offered)[place] for place in picked or ()):
        if len(offered[relation]) > triples:
            event(f"only the first {triples} facts of {relation!r} were read (triples)")
        facts += offered[relation][:triples]
    return facts
