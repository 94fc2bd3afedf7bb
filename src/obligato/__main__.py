"""`python -m obligato`: the command line."""

from obligato.cli.main import main

main()
