"""Data-flow analyses and program reductions."""
