"""Models built in Python: types, expressions with operators,
builders of transition systems and of programs.

Expressions wrap the terms of one store; a term itself keeps `==` and `hash` as identity, which
hash-consing and every engine rest on, so the operators are here and not on the terms
(docs/decisions/0011-expressions.md).
"""
