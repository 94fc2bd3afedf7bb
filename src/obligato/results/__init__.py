"""Verdicts, certificates, traces, and their independent checking."""
