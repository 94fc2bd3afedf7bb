"""Control-flow automata and transition systems."""
