"""Verdicts, certificates and traces."""
