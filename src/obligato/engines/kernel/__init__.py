"""What engines have in common: frames, cubes, obligations and their queue of IC3 on automata
(`ic3cfa`) and on transition systems (`ic3ts`); steps and paths of programs for those that unwind
them (`cegar`, `treeic3`); the checkers that execute their contracts.
"""
