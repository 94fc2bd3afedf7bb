"""Re-checks certificates and traces; independent of the engines."""
