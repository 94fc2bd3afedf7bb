"""The intermediate verification language (IVL)."""
