"""Readers of input formats: each yields a Program or a TransitionSystem and a source map."""
