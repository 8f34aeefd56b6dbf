"""Facts of the relations that a language model picks from the entities reached."""

from __future__ import annotations

from graphbrick.bricks.retrieve.paths.beam import Partial
from graphbrick.bricks.retrieve.reasoning.choices import choosing, chosen
from graphbrick.bricks.retrieve.reasoning.moves import name_of, offers
from graphbrick.core import Subgraph
from graphbrick.core.trace import event
from graphbrick.models.llm.chat import ChatModel

_NAMED = 20  # entities in a prompt
_MOST = 100  # facts of a round, shared by the relations picked, of which each has one at least


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
    """Return the paths of the relations that a model picks, in its order; picking none is an event.

    Args:
        llm: The model.
        name: The prompt, about numbered relations.
        question: The question.
        subgraph: Where to walk.
        ends: The paths whose ends are gone on from.
        direction: "both", "out" or "in".
        triples: Most paths of a relation; more are left out, which is an event.
        most: Most relations; None for any number.
    """
    offered = offers(subgraph, ends, direction, triples)
    if not offered:
        event("no relation leads on from the entities reached", "facts.no_relation")
        return []
    names = dict.fromkeys(name_of(subgraph, path.nodes[-1]) for path in ends)
    entities = ", ".join([*names][:_NAMED])
    prompt = choosing(llm, name, list(offered), most, question=question, entities=entities)
    picked = chosen(llm.ask_all([prompt.request])[0].text, prompt.candidates, most)
    if not picked:
        event("the model picked no relation; the search ended with what there is", "facts.none_picked")
    facts = []
    relations = [list(offered)[place] for place in picked or ()]
    share = triples
    while share > 1 and sum(min(len(offered[relation]), share) for relation in relations) > max(_MOST, triples):
        share -= 1
    for relation in relations:
        if len(offered[relation]) > share:
            why = "triples" if share == triples else f"about {_MOST} of a round"
            event(
                f"only the first {share} facts of {relation!r} were read ({why})",
                "facts.cut",
                n=share,
                relation=relation,
                reason=why,
            )
        facts += offered[relation][:share]
    return facts
