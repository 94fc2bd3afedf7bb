"""Tools of others that run beside ours:
adapters that call them, read what they say, and record version and command."""
