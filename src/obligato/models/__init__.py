"""Guarded commands, control-flow automata, transition systems,
and the passes between them (DESIGN 1)."""
