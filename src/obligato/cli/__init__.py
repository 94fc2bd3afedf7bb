"""The `obligato` command."""
