"""Questions that no rule reads, answered by their parts, whatever the order of their words."""

from __future__ import annotations

import pytest
from built_graphs import built_from_tables
from faults import told

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

NODES = {
    "line": "id,label,name,code\nl1,Line,Arrow Line,AR\nl2,Line,Beacon Line,BE\n",
    "ship": "id,label,name,kind,capacity_t,launched\n"
    "s1,Ship,Heron,ferry,900,1999-04-01\ns2,Ship,Ibis,ferry,1500,2008-06-09\ns3,Ship,Jay,tanker,7000,2015-02-02\n",
    "harbour": "id,label,name,country,depth_m\n"
    "h1,Harbour,Alva,Norway,12\nh2,Harbour,Borg,Norway,9\nh3,Harbour,Cove,Iceland,20\n",
    "voyage": "id,label,name,date,distance,passengers\n"
    "v1,Voyage,V-1,2020-05-03,120,40\nv2,Voyage,V-2,2020-05-03,120,60\nv3,Voyage,V-3,2020-05-09,300,25\n"
    "v4,Voyage,V-4,2021-01-01,300,70\nv5,Voyage,V-5,2021-03-01,80,10\n",
}
EDGES = """start,end,type
v1,l1,OPERATED_BY
v2,l2,OPERATED_BY
v3,l1,OPERATED_BY
v4,l2,OPERATED_BY
v5,l2,OPERATED_BY
v1,s1,USES_SHIP
v2,s2,USES_SHIP
v3,s3,USES_SHIP
v4,s2,USES_SHIP
v5,s2,USES_SHIP
v1,h1,DEPARTS_FROM
v2,h1,DEPARTS_FROM
v3,h2,DEPARTS_FROM
v4,h3,DEPARTS_FROM
v5,h2,DEPARTS_FROM
v1,h2,GOES_TO
v2,h2,GOES_TO
v3,h3,GOES_TO
v4,h1,GOES_TO
v5,h1,GOES_TO
"""
CALLS = """start,end,type,season,since,fee
l1,h1,CALLS_AT,summer,2001,100
l1,h2,CALLS_AT,winter,2010,250
l2,h1,CALLS_AT,winter,2012,300
l2,h3,CALLS_AT,summer,2015,90
"""


@pytest.fixture(scope="module")
def harbours(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    tables = {f"nodes_{name}": text for name, text in NODES.items()} | {"edges": EDGES, "edges_calls": CALLS}
    return built_from_tables(tmp_path_factory.mktemp("harbours"), tables)


