"""Task sets, runs, tables and plots."""
