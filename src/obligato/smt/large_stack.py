"""`on_large_stack`: run a function of a library that recurses over terms on a stack that is large
enough.

Terms are tens of thousands of levels deep in practice; such a library would overflow the usual 8 MB
stack, which ends the process. A thread of its own has the stack we ask for (address space, not
memory).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
_SHALLOW = 1000
_BYTES_PER_LEVEL = 16 << 10
_LARGEST = 2 << 30


def on_large_stack(depth: int, function: Callable[[], T]) -> T:
    """``function()``, which recurses over terms of `depth` levels."""
    if depth <= _SHALLOW:
        return function()
    usual = threading.stack_size(min(depth * _BYTES_PER_LEVEL, _LARGEST))
    try:
        with ThreadPoolExecutor(max_workers=1) as pool:
            return pool.submit(function).result()
    finally:
        threading.stack_size(usual)
