; expected: no clauses
