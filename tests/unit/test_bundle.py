"""What an internal error leaves behind: claims of every kind are written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from obligato.api.pipeline import Rejected
from obligato.api.request import Request
from obligato.api.worker import internal
from obligato.models.live_claims import Lasso, Wall, Walls
from obligato.models.ts_claims import SystemCertificate, SystemStep
from obligato.terms import BOOL, TermStore

if TYPE_CHECKING:
    from obligato.api.pipeline import Claim


def test_a_refused_claim_is_written_whatever_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    s = TermStore.raw()
    x = s.var("x", BOOL)
    claims: list[Claim] = [
        SystemCertificate(s.not_(x)),
        Lasso((SystemStep({"x": True}, {}),), 0),
        Walls(x, (Wall(s.not_(x), (0,)),)),
    ]
    for claim in claims:
        answer = internal(Request("no such file"), Rejected("refused", claim))
        told = json.loads((Path(answer.bundle) / "claim.json").read_text())
        assert answer.problem == "internal" and told
        assert "(not x)" in json.dumps(told) or told["steps"] == [
            {"state": {"x": True}, "inputs": {}}
        ]
