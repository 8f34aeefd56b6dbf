"""What a client may set of the scorers by a language model: shipped prompts, and a few rounds."""

from __future__ import annotations

import pytest

from graphbrick import parse
from graphbrick.serve.trust import Trust

OWN = "ShortestPaths() >> Rerank(LLMPointwiseScorer(LLM('mine'))) >> PathAnswer()"


@pytest.mark.parametrize("scorer", ["LLMListwiseScorer", "LLMRatingScorer", "LLMPointwiseScorer"])
def test_a_client_may_name_a_prompt_of_the_package_but_no_file(scorer: str) -> None:
    trust = Trust([parse(OWN)])
    text = f"ShortestPaths() >> Rerank({scorer}(LLM('mine'), prompt=%r))"
    assert [trust.refusal(parse(text % name)) for name in ("zero", "one", "few")] == ["", "", ""]
    assert f"{scorer} prompt may name a file" in trust.refusal(parse(text % "/etc/passwd"))


def test_every_round_is_a_call_so_that_a_client_has_ten() -> None:
    trust = Trust([parse(OWN)])
    text = "ShortestPaths() >> Rerank(LLMListwiseScorer(LLM('mine'), rounds=%d))"
    assert trust.refusal(parse(text % 10)) == ""
    assert "rounds may be at most 10" in trust.refusal(parse(text % 11))
