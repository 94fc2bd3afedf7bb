"""The shared parse graph of a formula, with a lower and an upper bound at each node [HBS12].

L (states known to satisfy the node) implies U (states not known to violate it). Both are gates of
the system's circuit; those of atoms and Boolean nodes follow from the nodes below. A temporal node
collects cubes that joined L and sets (the states in none of some cubes) that have left U. Besides,
E f U g holds where g does and nowhere outside f or g; EG f holds nowhere outside f. `value` says
what the bounds say about one state, by masks, without a solver.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from obligato.engines.ic3.service import State
from obligato.engines.ic3ts.cube import Cube, masks
from obligato.engines.iictl.model import Model
from obligato.models.ctl import Formula
from obligato.smt.blast.evaluate import Evaluator

Mask = tuple[int, int]


@dataclass(slots=True)
class Node:
    """One subformula. `joined` and `left` are gates:
    the states that joined L, those that have not left U."""

    formula: Formula
    args: tuple[int, ...]
    literal: int = 0  # of an atom
    joined: int = -1
    left: int = 1
    lower: int = -1
    upper: int = 1
    cubes: list[Mask] = field(default_factory=list)
    sets: list[list[Mask]] = field(default_factory=list)
    evaluate: Evaluator | None = None

    @property
    def op(self) -> str:
        """The operator: true, atom, !, &, EX, EU or EG."""
        return "atom" if self.evaluate is not None else self.formula.op


class Graph:
    """All nodes, parts first; the root is the last."""

    def __init__(self, model: Model, root: Formula, literals: dict[Formula, int]) -> None:
        """`literals` are the gate literals of the atoms, by formula."""
        self.model, self.gates = model, model.gates
        self.nodes: list[Node] = []
        self.number: dict[Formula, int] = {}
        self._add(root, literals)
        self.refresh()

    def _add(self, f: Formula, literals: dict[Formula, int]) -> int:
        if f not in self.number:
            args = tuple(self._add(a, literals) for a in f.args)
            node = Node(f, args, literals.get(f, 0))
            if f in literals:
                node.evaluate = Evaluator(self.gates, [node.literal])
            self.number[f] = len(self.nodes)
            self.nodes.append(node)
        return self.number[f]

    # -- bounds ------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Compute all bounds anew from what has joined and left."""
        for node in self.nodes:
            node.lower, node.upper = self._bounds(node, [self.nodes[a] for a in node.args])

    def _bounds(self, node: Node, args: list[Node]) -> tuple[int, int]:
        gates = self.gates
        match node.op:
            case "true":
                return 1, 1
            case "atom":
                return node.literal, node.literal
            case "!":
                return -args[0].upper, -args[0].lower
            case "&":
                a, b = args
                return gates.and_(a.lower, b.lower), gates.and_(a.upper, b.upper)
            case "EU":
                f, g = args
                return gates.or_(node.joined, g.lower), gates.and_(
                    node.left, gates.or_(f.upper, g.upper)
                )
            case "EG":
                return node.joined, gates.and_(node.left, args[0].upper)
        return node.joined, node.left

    def join(self, node: Node, cube: Cube) -> None:
        """The states of the cube join L."""
        node.joined = self.gates.or_(node.joined, self.model.gate(cube))
        node.cubes.append(masks(cube))
        self.refresh()

    def leave(self, node: Node, cubes: tuple[Cube, ...]) -> None:
        """The states that are in none of the cubes leave U."""
        node.left = self.gates.and_(node.left, -self.model.outside(cubes))
        node.sets.append([masks(cube) for cube in cubes])
        self.refresh()

    # -- one state ---------------------------------------------------------------------------------

    def value(self, n: int, state: State) -> bool | None:
        """Does the state satisfy node n, as far as the bounds say?"""
        node = self.nodes[n]
        match node.op:
            case "true":
                return True
            case "atom":
                return self._holds(node, state)
            case "!":
                inner = self.value(node.args[0], state)
                return None if inner is None else not inner
            case "&":
                a, b = (self.value(m, state) for m in node.args)
                return False if a is False or b is False else (True if a and b else None)
        return self._temporal(node, state)

    def _holds(self, node: Node, state: State) -> bool:
        assert node.evaluate is not None
        bit = self.model.bits.bit
        return node.evaluate({bit[n] for n in range(1, len(bit)) if state >> n & 1})[0]

    def _temporal(self, node: Node, state: State) -> bool | None:
        if any(state & mask == value for mask, value in node.cubes):
            return True
        if any(all(state & mask != value for mask, value in outside) for outside in node.sets):
            return False
        args = [self.value(m, state) for m in node.args]
        if node.op == "EU" and args[1]:
            return True
        if (node.op == "EG" and args[0] is False) or (node.op == "EU" and args == [False, False]):
            return False
        return None
