"""Questions over a catalogue of threats: other names, values that are names too, sub-parts, first and last dates."""

from __future__ import annotations

import pytest
from built_graphs import built_from_nodes_and_edges

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

NODES = {
    "group": "id,label,name,aliases,description\n"
    "g1,Group,Axiom,Group 72,An espionage group.\ng2,Group,Turla,Snake,\ng3,Group,Chimera,,A quiet group.\n",
    "software": "id,label,name,stix_type\n"
    + "".join(f"s{at},Software,{name},{kind}\n" for at, (name, kind) in enumerate(
        [("Ryuk", "malware"), ("Hikit", "malware"), ("Uroburos", "malware"), ("Mimikatz", "tool"), ("AdFind", "tool")]
    )),
    "technique": "id,label,name,is_subtechnique,modified\n"
    "t1,Technique,Credential Dumping,false,2025-11-02\nt2,Technique,DCSync,true,2024-05-01\n"
    "t3,Technique,Cached Credentials,true,2025-11-20\nt4,Technique,Malware,true,2023-01-01\n",
    "mitigation": "id,label,name\nm1,Mitigation,Password Policies\nm2,Mitigation,Audit\n",
    "platform": "id,label,name\nf1,Platform,Windows\nf2,Platform,Linux\n",
    "campaign": "id,label,name,first_seen,last_seen\n"
    "a1,Campaign,Night Harbour,2022-03-01,2022-09-01\na2,Campaign,Cold Lamp,2020-01-01,2023-02-01\n",
}  # fmt: skip
EDGES = {
    "uses": "start,end,type\ng1,s1,USES\ng1,s3,USES\ng2,s2,USES\ng2,s3,USES\ng3,s4,USES\ng3,t2,USES\n",
    "sub": "start,end,type\nt2,t1,SUBTECHNIQUE_OF\nt3,t1,SUBTECHNIQUE_OF\n",
    "mitigates": "start,end,type\nm1,t2,MITIGATES\nm1,t1,MITIGATES\nm2,t2,MITIGATES\n",
    "on_platform": "start,end,type\ns0,f1,ON_PLATFORM\ns1,f2,ON_PLATFORM\ns2,f2,ON_PLATFORM\ns3,f1,ON_PLATFORM\n"
    "s4,f2,ON_PLATFORM\n",
    "attributed": "start,end,type\na1,g1,ATTRIBUTED_TO\na2,g2,ATTRIBUTED_TO\n",
}


@pytest.fixture(scope="module")
def threats(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_nodes_and_edges(tmp_path_factory.mktemp("threats"), NODES, EDGES)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        # The columns that are names and descriptions are properties to those who wrote them.
        ("what are the aliases of Axiom", {"Group 72"}),
        ("Under what other name is the group Axiom known?", {"Group 72"}),
        ("what else is Turla called?", {"Snake"}),
        ("What is the description of Axiom?", {"An espionage group."}),
        ("what are the aliases of Chimera", set()),
        # The technique called Malware has fewer triples than there are programs of the type malware.
        ("How many pieces of malware do we have on file?", {"3"}),
        ("Is Ryuk malware?", {"yes"}),
        ("Is AdFind malware?", {"no"}),
        ("Which groups use malware that runs on Linux?", {"Axiom", "Turla"}),
        # `ON_PLATFORM` says «runs on» too.
        ("how many tools run on Linux", {"1"}),
        ("Does Ryuk run on Windows?", {"yes"}),
        ("which platforms does Ryuk run on", {"Windows"}),
        ("what does Ryuk run on", {"Windows"}),
        # A relation, not the property `is_subtechnique` of the technique itself.
        ("what are the sub-techniques of Credential Dumping", {"DCSync", "Cached Credentials"}),
        ("Into which sub-techniques is Credential Dumping broken down?", {"DCSync", "Cached Credentials"}),
        # `first_seen` and `last_seen` tell when things begin and end.
        ("How many campaigns started in 2022?", {"1"}),
        ("when did Cold Lamp end?", {"2023-02-01"}),
        ("campaigns that began before 2021", {"Cold Lamp"}),
        ("which techniques were last changed in November 2025?", {"Credential Dumping", "Cached Credentials"}),
        # Verbs with prepositions for verbs of the graph.
        ("Which mitigations work against DCSync?", {"Password Policies", "Audit"}),
        ("Which groups work with Mimikatz?", {"Axiom", "Turla"}),
        ("How many techniques does a mitigation cover on average?", {"1.5"}),
        ("Which groups have no technique of their own linked to them?", {"Axiom", "Turla"}),
    ],
)  # fmt: skip
def test_questions_of_analysts(threats: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(threats)(threats, question).texts) == answers


def test_that_the_first_date_is_the_start_is_an_assumption(threats: Graph) -> None:
    result = default_pipeline(threats).run(threats, "When did Cold Lamp end?")
    assert result.answer.confidence == pytest.approx(0.5)
    assert "last_seen is taken for when it ended" in result.trace.events


def test_a_value_that_is_read_instead_of_a_name_is_told(threats: Graph) -> None:
    result = default_pipeline(threats).run(threats, "How many malware are there?")
    assert "link.value" in result.trace.event_codes


def test_a_verb_is_not_left_out_of_an_average(threats: Graph) -> None:
    question = "How many techniques does a mitigation reject on average?"
    assert default_pipeline(threats)(threats, question).texts == ()
