"""Checksums within JSON files: every changed bit is told, also one in the word "checksum"."""

from __future__ import annotations

import json

from graphbrick.core.files.digests import is_intact, sealed

FACTS = {
    "name": "tiny",
    "rates": [0.5, 1e-05],
    "files": "62f93f735ae99f6af1ba515901716edb6e6639e349f5ec91d5496054aa000000",
}


def test_every_flipped_bit_that_changes_facts_is_told() -> None:
    whole = json.dumps(sealed(FACTS), indent=1).encode()
    assert is_intact(json.loads(whole))
    read = 0
    for place in range(8 * len(whole)):
        changed = bytearray(whole)
        changed[place // 8] ^= 1 << place % 8
        try:
            facts = json.loads(changed)
        except ValueError:
            continue
        read += 1
        assert facts == sealed(FACTS) or not is_intact(facts), changed
    assert read > 500


def test_facts_of_an_earlier_version_have_no_checksum() -> None:
    assert is_intact(FACTS)
    assert not is_intact(FACTS | {"checksum": FACTS["files"]})
