"""The verification engines."""
