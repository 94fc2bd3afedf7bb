"""What IC3 on automata (`ic3cfa`) and on transition systems (`ic3ts`) have in common."""
