"""Renderings of an outcome."""
