"""Numbers told in the unit that a question wants, of graphics cards, films and disc images."""

from __future__ import annotations

import pytest
from built_graphs import built_from_tables

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

TABLES = {
    "nodes_card": "id,label,name,board_length_mm,memory_size_gb,base_clock_mhz,thermal_design_power_w\n"
    "c1,Card,Falcon,267,10,1607,180\nc2,Card,Osprey,182,4,900,60\nc3,Card,Kite,150,8,1200,90\n",
    "nodes_maker": "id,label,name\nm1,Maker,Avian\nm2,Maker,Raptor\n",
    "edges_made": "start,end,type\nc1,m1,MADE_BY\nc2,m1,MADE_BY\nc3,m2,MADE_BY\n",
    "nodes_film": "id,label,name,runtime\nf1,Film,Dawn,120\nf2,Film,Dusk,90\nf3,Film,Noon,150\n",
    "nodes_image": "id,label,name,volume_size\ni1,Image,first.img,4000000000\ni2,Image,second.img,700000000\n"
    "i3,Image,third.img,9000000000\n",
    "nodes_trip": "id,label,name,distance,duration,speed\nt1,Trip,North,12.5,1.5,8\nt2,Trip,South,17.5,2.5,9\n"
    "t3,Trip,West,15,2,9\n",
    "nodes_nutrient": "id,label,name,units,weight_g\nn1,Nutrient,Iron,mg,1\n"
    "n2,Nutrient,Zinc,mg,2\nn3,Nutrient,Fat,g,3\n",
}


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_tables(tmp_path_factory.mktemp("cards"), TABLES)


@pytest.mark.parametrize(
    ("question", "answers", "confidence"),
    [
        ("how long is the Falcon in centimetres?", {"26.7 centimetres"}, 0.95),
        ("What is the memory size of the Falcon in MB?", {"10,000 MB"}, 0.95),
        ("Base clock of the Falcon in GHz", {"1.607 GHz"}, 0.95),
        ("Base clock of the Falcon in MHz", {"1607"}, 0.95),  # its own: as the graph writes it
        ("average board length in cm", {"19.97 cm"}, 0.95),
        ("average board length in cm by maker", {"Avian: 22.45 cm", "Raptor: 15 cm"}, 0.95),
        ("what is the average thermal design power in kW of cards made by Avian", {"0.12 kW"}, 0.95),
        # No unit in the name: minutes and bytes are told by their size, which is an assumption.
        ("How long is Dawn in hours?", {"2 hours"}, 0.5),
        ("what is the size of first.img in GB?", {"4 GB"}, 0.5),
        ("Which images are larger than 3 GB?", {"first.img", "third.img"}, 0.5),
        ("which images are smaller than 1000 MB?", {"second.img"}, 0.5),
        ("images larger than 5000000000 bytes", {"third.img"}, 0.5),
        ("average length of a trip in km", {"15"}, 0.5),  # its distance, and not its duration
        ("average length of a trip in hours", {"2"}, 0.5),
        ("how fast is the fastest trip?", {"9"}, 0.95),  # of two, with one speed
        ("which nutrients are measured in mg", {"Iron", "Zinc"}, 0.5),  # a value, and no unit that is wanted
    ],
)
def test_a_number_is_told_in_the_unit_that_is_asked_for(
    cards: Graph, question: str, answers: set[str], confidence: float
) -> None:
    answer = default_pipeline(cards).run(cards, question).answer
    assert (set(answer.texts), answer.confidence) == (answers, confidence)


@pytest.mark.parametrize(
    "question", ["average board length in hours", "memory size of the Falcon in km", "base clock of the Kite in kg"]
)
def test_a_unit_of_another_kind_is_refused(cards: Graph, question: str) -> None:
    result = default_pipeline(cards).run(cards, question)
    assert result.answer.texts == ()


def test_the_trace_tells_how_a_number_was_turned(cards: Graph) -> None:
    told = default_pipeline(cards).run(cards, "base clock of the Kite in GHz").trace.events
    (turned,) = (event for event in told if event.code == "operators.in_unit")
    assert turned.values == {"name": "base_clock_mhz", "unit": "ghz", "factor": 1000.0}
    told = default_pipeline(cards).run(cards, "average distance of a trip in km").trace.events
    assert "distance has no unit in this graph; told as it is, perhaps not in km" in map(str, told)
