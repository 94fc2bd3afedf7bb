"""The deliberate faults of tests/fuzz/c_faults.py fit the sources: a fault that no longer applies
would test nothing.
"""

import pytest

from tests.fuzz.c_faults import FAULTS, Fault, places


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.name)
def test_a_fault_applies_exactly_once(fault: Fault) -> None:
    assert fault.old != fault.new
    assert len(places(fault)) == 1
