"""Obligato: a model checker built around IC3, for programs and transition systems."""
