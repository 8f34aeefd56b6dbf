"""The tools of agents, a few to a file."""

from graphbrick.bricks.agents.tools.explore import explore
from graphbrick.bricks.agents.tools.find import check_node, degree, retrieve_node, search
from graphbrick.bricks.agents.tools.lists import combine, filter_nodes, intersect
from graphbrick.bricks.agents.tools.notes import finish, scratch_pad
from graphbrick.bricks.agents.tools.paths import paths
from graphbrick.bricks.agents.tools.properties import where
from graphbrick.bricks.agents.tools.query import query
from graphbrick.bricks.agents.tools.sentences import search_sentences
from graphbrick.bricks.agents.tools.walk import inverse_neighbours, neighbours, neighbours_by_relation

TOOLS = (
    search,
    retrieve_node,
    search_sentences,
    check_node,
    neighbours,
    neighbours_by_relation,
    inverse_neighbours,
    explore,
    degree,
    filter_nodes,
    combine,
    intersect,
    where,
    paths,
    query,
    scratch_pad,
    finish,
)
"""All tools, in the order in which they are listed for a model."""
