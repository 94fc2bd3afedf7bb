"""The contract of the solver backends on many more random formulas (`make fuzz`)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.contract.test_backends import check_agreement, every_theory
from tests.contract.theories import Theory


@pytest.mark.slow
@every_theory
@given(data=st.data())
def test_backends_agree(theory: Theory, data: st.DataObject) -> None:
    check_agreement(theory, data)
