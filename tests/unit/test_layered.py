"""A layered mapping has the entries that a plain dictionary would have, in every copy."""

from random import Random

from obligato.results.checking.layered import Layered


def test_copies_are_what_dictionaries_would_be() -> None:
    rng = Random(0)
    kept: list[tuple[Layered[int, int], dict[int, int]]] = [(Layered.of({}), {})]
    for step in range(600):
        layered, plain = rng.choice(kept[-5:])
        new = {rng.randrange(400): step for _ in range(rng.randrange(4))}
        kept.append((layered.updated(new), {**plain, **new}))
    for layered, plain in kept:
        assert dict(layered) == plain and len(layered) == len(plain)
        assert all((k in layered) == (k in plain) for k in range(400))
        assert layered.get(-1) is None and Layered.of(layered) is layered
