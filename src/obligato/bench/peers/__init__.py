"""Tools of others that run beside ours:
adapters that call them, read their answers, and record version and command."""
