"""The tools of agents, a few to a file."""

from graphbrick.agents.tools.explore import explore
from graphbrick.agents.tools.find import check_node, degree, retrieve_node, search
from graphbrick.agents.tools.lists import combine, filter_nodes, intersect
from graphbrick.agents.tools.notes import finish, scratch_pad
from graphbrick.agents.tools.paths import paths
from graphbrick.agents.tools.query import query
from graphbrick.agents.tools.walk import inverse_neighbours, neighbours, neighbours_by_relation

TOOLS = (
    search,
    retrieve_node,
    check_node,
    neighbours,
    neighbours_by_relation,
    inverse_neighbours,
    explore,
    degree,
    filter_nodes,
    combine,
    intersect,
    paths,
    query,
    scratch_pad,
    finish,
)
"""All tools, in the order in which they are listed for a model."""
