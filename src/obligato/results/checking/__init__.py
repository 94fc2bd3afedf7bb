"""Re-checks certificates and traces on the original program; imports no engine and no reduction."""
