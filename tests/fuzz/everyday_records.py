"""Random programs about records: random types, objects reached in many ways, copies of all and of
parts.

Every object is initialised and every pointer points to a living object, so that what a program
computes is defined.  Each program uses few features, so that objects are kept in all the ways that
the front end knows (split, cells, typed, bytes). ``@`` in names stands for the number of the
program.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

INTEGERS = (
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
)
FEATURES = (
    "pointers",
    "heap",
    "parts",
    "views",
    "array",
    "wrapper",
    "bits",
    "floats",
    "nested",
    "calls",
    "static",
    "globals",
)


@dataclass(frozen=True)
class Member:
    """A member: `type` is its element's; `count` of an array, `bits` of a bit-field, `inner` of a
    record.
    """

    name: str
    type: str
    count: int = 0
    bits: int = 0
    inner: Record | None = None

    def declared(self) -> str:
        """Its declaration."""
        return (
            f"{self.type}"
            f" {self.name}{f'[{self.count}]' if self.count else ''}{f' : {self.bits}' if self.bits else ''};"
        )


@dataclass(frozen=True)
class Record:
    """A struct type with an index ``idx`` and, if `linked`, a pointer ``next`` to its like."""

    name: str
    members: tuple[Member, ...]
    linked: bool = False

    def declared(self) -> str:
        """Its definition."""
        return f"{self.name} {{ {' '.join(m.declared() for m in self.members)} }};\n"

    def numbers(self, base: str) -> list[tuple[str, Member]]:
        """The numbers inside the record that the expression `base` denotes."""
        found: list[tuple[str, Member]] = []
        for m in self.members:
            places = (
                [f"{base}.{m.name}[{i}]" for i in range(m.count)]
                if m.count
                else [f"{base}.{m.name}"]
            )
            for p in places:
                if m.inner is not None:
                    found += m.inner.numbers(p)
                elif not m.type.endswith("*"):
                    found.append((p, m))
        return found


@dataclass
class Maker:
    """One program in the making."""

    rng: random.Random
    features: set[str]
    record: Record = field(init=False)
    types: list[str] = field(default_factory=list)
    objects: list[str] = field(default_factory=list)
    temporaries: int = 0

    def __post_init__(self) -> None:
        inner = None
        if "nested" in self.features:
            inner = Record(
                "struct in@", tuple(self._member(f"n{i}") for i in range(self.rng.randrange(1, 4)))
            )
            self.types.append(inner.declared())
        members = [self._member(f"m{i}") for i in range(self.rng.randrange(1, 5))]
        members.append(
            Member("idx", self.rng.choice(("unsigned char", "unsigned", "unsigned short")))
        )
        if inner is not None:
            members.append(Member("in", inner.name, self.rng.choice((0, 0, 2)), inner=inner))
        if "pointers" in self.features and self.rng.random() < 0.7:
            members.append(Member("next", "struct rec@ *"))
        self.rng.shuffle(members)
        self.record = Record("struct rec@", tuple(members), any(m.name == "next" for m in members))
        self.types.append(self.record.declared())

    def _member(self, name: str) -> Member:
        rng = self.rng
        kind = rng.random()
        if "bits" in self.features and kind < 0.3:
            t = rng.choice(("unsigned", "int", "unsigned char", "short"))
            return Member(
                name,
                t,
                bits=rng.randrange(
                    1, {"unsigned": 32, "int": 32, "unsigned char": 8, "short": 16}[t] + 1
                ),
            )
        if "floats" in self.features and kind < 0.45:
            return Member(name, rng.choice(("float", "double")))
        if kind < 0.55:
            return Member(
                name,
                rng.choice(("char", "unsigned char", "int", "short", "long")),
                count=rng.randrange(1, 5),
            )
        if kind < 0.62:
            return Member(name, rng.choice(("_Bool", "enum color@")))
        return Member(name, rng.choice(INTEGERS))

    # -- expressions

    def number(self) -> str:
        """A small number."""
        rng = self.rng
        return rng.choice(
            (
                str(rng.randrange(-3, 300)),
                "x",
                "y",
                "(x & 7)",
                "(x + y)",
                f"(y * {rng.randrange(2, 9)})",
                "j",
                f"{self.place()}.idx",
                "(int)acc % 5",
            )
        )

    def condition(self) -> str:
        """A condition."""
        return self.rng.choice(
            ("x > y", "x & 1", f"{self.place()}.idx % 2", "acc & 4", "j == 1", "y")
        )

    def place(self, depth: int = 0) -> str:
        """A record."""
        rng, options = self.rng, list(self.objects)
        if "array" in self.features:
            options += [
                "arr[0]",
                "arr[2]",
                "arr[j]",
                "arr[x & 1]",
                "arr[arr[0].idx % 3u]",
                "arr[arr[j].idx % 3u]",
            ]
            if depth < 1:
                options.append(f"arr[{self.place(1)}.idx % 3u]")
        if "pointers" in self.features:
            options += ["*p", "*q", "p[0]", "*(x & 1 ? p : q)", "**pp"]
            if self.record.linked:
                options += ["*p->next", "*q->next->next", "*(*pp)->next"]
            if "calls" in self.features:
                options.append("*pick@(p, q, y)")
        if "wrapper" in self.features:
            options += ["w.one", "w.two[j & 1]", "w.two[w.at & 1]"]
            options += ["pw->one", "pw->two[1]"] if "pointers" in self.features else []
        if "views" in self.features:
            options.append("u.r")
        chosen = rng.choice(options)
        return f"({chosen})" if chosen.startswith("*") else chosen

    def value(self) -> str:
        """A value of the record type."""
        rng = self.rng
        options = [self.place(), self.place(), f"made@({self.number()})"]
        options.append(f"({self.condition()} ? {self.place()} : {self.place()})")
        if "calls" in self.features:
            options += [f"same@({self.place()})", f"changed@({self.place()}, {self.number()})"]
        if rng.random() < 0.3 and not self.record.linked:
            options.append(self._literal())
        return rng.choice(options)

    def _literal(self) -> str:
        scalars = [
            m
            for m in self.record.members
            if not m.count and m.inner is None and not m.type.endswith("*")
        ]
        some = self.rng.sample(scalars, self.rng.randrange(1, len(scalars) + 1))
        return (
            f"({self.record.name}){{{', '.join(f'.{m.name} = {self._fitting(m)}' for m in some)}}}"
        )

    def _fitting(self, m: Member) -> str:
        if m.type == "_Bool":
            return self.rng.choice(("1", "0", "x & 1", "x > 3", "x & 4", "y", "256 * x"))
        if m.type.startswith("enum"):
            return self.rng.choice(("RED@", "BLUE@"))
        if m.type in ("float", "double"):
            return f"(x & 15) * {self.rng.choice(('0.5', '2.0', '0.25'))}"
        return self.number()

    # -- statements

    def statement(self, depth: int = 0) -> str:
        """A statement."""
        kinds = [self.copy, self.copy, self.update, self.update, self.read]
        kinds += [self.partial, self.partial, self.fill] if "parts" in self.features else []
        kinds += [self.link] * 2 if "pointers" in self.features else []
        kinds += [self.call] if "calls" in self.features else []
        kinds += [self.view] if "views" in self.features else []
        kinds += [self.nest] if depth == 0 else []
        made: str = self.rng.choice(kinds)()
        return made

    def copy(self) -> str:
        """A whole record assigned."""
        return f"{self.place()} = {self.value()};"

    def update(self) -> str:
        """A number inside a record changed."""
        target, m = self.rng.choice(self.record.numbers(self.place()))
        if m.type in ("_Bool", "float", "double") or m.type.startswith("enum"):
            return f"{target} = {self._fitting(m)};"
        op = self.rng.choice(
            ("=", "=", "+=", "-=", "^=", "|=", "<<", "value", "/= -3", "%= 7", ">>= 1")
        )
        if op == "<<":
            return f"{target} = (unsigned){target} << 1;"
        if op == "value":
            return f"acc = acc * 31u + (unsigned)({target} = {self.number()});"
        if op.endswith(("3", "7", "1")):
            return f"{target} {op};"
        if op != "=" and self.rng.random() < 0.3:
            return self.rng.choice((f"{target}++;", f"--{target};"))
        return (
            f"{target} {op} {'' if op in ('=', '^=', '|=') else '(unsigned char)'}{self.number()};"
        )

    def read(self) -> str:
        """A number read."""
        source, m = self.rng.choice(self.record.numbers(self.place()))
        return (
            "acc = acc * 31u +"
            f" (unsigned){'(int)' if m.type in ('float', 'double') else ''}{source};"
        )

    def _spans(self) -> list[tuple[str, str]]:
        """Parts of a record that hold no pointer, as (offset, size)."""
        plain = [m for m in self.record.members if not m.bits and m.name != "next"]
        r = self.record.name
        found = [
            (f"__builtin_offsetof({r}, {m.name})", f"sizeof(({r} *)0)->{m.name}") for m in plain
        ]
        before = []
        for m in self.record.members:
            if m.name == "next":
                before.append(m)
                break
            if not m.bits:
                before.append(m)
        found += [("0", f"__builtin_offsetof({self.record.name}, {m.name})") for m in before]
        if not self.record.linked:
            found += [
                ("0", f"sizeof({self.record.name})"),
                ("0", f"sizeof({self.record.name}) / 2"),
            ]
        return found

    def partial(self) -> str:
        """Some bytes of a record copied."""
        rng, (offset, size) = self.rng, self.rng.choice(self._spans())
        call = rng.choice(("memcpy", "memmove"))
        a, b = self.place(), self.place()
        if rng.random() < 0.3:
            return f"memmove(&{a}, &{b}, sizeof({self.record.name}));"
        if offset == "0" and rng.random() < 0.7:
            return f"mem{'move' if call == 'memmove' else 'cpy'}(&{a}, &{b}, {size});"
        return f"{call}((char *)&{a} + {offset}, (const char *)&{b} + {offset}, {size});"

    def fill(self) -> str:
        """Some bytes of a record set."""
        offset, size = self.rng.choice(self._spans())
        value = self.rng.choice(("0", "0", "1"))
        arrays = [
            m
            for m in self.record.members
            if m.count and m.inner is None and m.type in ("char", "unsigned char")
        ]
        if arrays and self.rng.random() < 0.5:
            m, p = self.rng.choice(arrays), self.place()
            return self.rng.choice(
                (
                    f"memset({p}.{m.name}, {p}.{m.name}[0] + 1, {m.count});",
                    f"memset({p}.{m.name}, 7, (unsigned char){p}.{m.name}[0] % {m.count + 1}u);",
                )
            )
        return f"memset((char *)&{self.place()} + {offset}, {value}, {size});"

    def link(self) -> str:
        """Pointers moved."""
        rng = self.rng
        options = [
            f"p = &{self.place()};",
            f"q = &{self.place()};",
            "pp = x & 1 ? &p : &q;",
            "*pp = q;",
            "q = p;",
            "pp = &q;",
            "{ struct rec@ *t = p; p = q; q = t; }",
        ]
        if self.record.linked:
            options += [
                f"{self.place()}.next = &{self.place()};",
                "p = p->next;",
                "p->next = q->next;",
                "*p = *p->next;",
                f"q = {self.place()}.next;",
                f"{self.place()} = *{self.place()}.next;",
            ]
        if "array" in self.features:
            options += [
                "p = arr + (x & 1);",
                "q = &arr[2] - 1;",
                "p = arr; p++;",
                "acc += (unsigned)(&arr[2] - arr);",
            ]
        return rng.choice(options)

    def call(self) -> str:
        """A function that works on records."""
        a, b = self.place(), self.place()
        options = [f"{a} = same@({self.value()});", f"acc += hash@({a});"]
        if "pointers" in self.features:
            options += [
                f"touch@(&{a}, {self.number()});",
                f"exchange@(&{a}, &{b});",
                f"each@(&{a}, x & 1 ? touch@ : clear@);",
                f"(x & 2 ? touch@ : clear@)(&{a}, 3);",
            ]
        return self.rng.choice(options)

    def view(self) -> str:
        """The bytes of a record, by a union."""
        numbers = [
            m for m in self.record.members if m.type in INTEGERS and not m.bits and not m.count
        ]
        if not numbers or self.rng.random() < 0.4:
            return f"u.r = {self.value()};"
        at = f"__builtin_offsetof({self.record.name}, {self.rng.choice(numbers).name})"
        return self.rng.choice(
            (
                f"u.raw[{at}] ^= {self.number()};",
                f"acc += u.raw[{at}];",
                f"u.raw[{at}] = 1, {self.place()} = u.r;",
            )
        )

    def nest(self) -> str:
        """Statements in a loop or under a condition."""
        body = " ".join(self.statement(1) for _ in range(self.rng.randrange(1, 4)))
        return self.rng.choice(
            (
                f"for (j = 0; j < 3; j++) {{ {body} }} j = 0;",
                f"if ({self.condition()}) {{ {body} }}",
                f"if ({self.condition()}) {{ {body} }} else {{ {self.statement(1)} }}",
            )
        )

    # -- the whole

    def helpers(self) -> str:
        """Types and functions."""
        r = self.record
        sets = " ".join(self._initial(e, m, i) for i, (e, m) in enumerate(r.numbers("r")))
        whole = {"float": "(int)", "double": "(int)"}
        reads = " ".join(
            f"h = h * 33u + (unsigned){whole.get(m.type, '')}{e};" for e, m in r.numbers("r")
        )
        link = " r.next = &root@;" if r.linked else ""
        text = "enum color@ { RED@, GREEN@ = 5, BLUE@ };\n" + "".join(self.types)
        text += f"static {r.name} root@;\n" if r.linked else ""
        zero = "; memset(&r, 0, sizeof r);" if "parts" in self.features else " = {0};"
        text += f"static {r.name} made@(int k) {{ {r.name} r{zero} {sets}{link} return r; }}\n"
        text += f"static unsigned hash@({r.name} r) {{ unsigned h = 7; {reads} return h; }}\n"
        text += "static " + r.name + " same@(" + r.name + " r) { return r; }\n"
        target, m = self.rng.choice(r.numbers("r"))
        text += (
            f"static {r.name} changed@({r.name} r, int k) {{ {self._initial(target, m, 3)} return"
            " r; }\n"
        )
        if "pointers" in self.features:
            t, m = self.rng.choice(r.numbers("(*a)"))
            text += (
                f"static void touch@({r.name} *a, int k) {{ {self._initial(t, m, 1)} a->idx++; }}\n"
            )
            text += (
                f"static void clear@({r.name} *a, int k) {{ {r.name} z = made@(0); z.idx = k & 3;"
                " *a = z; }\n"
            )
            text += (
                f"static void exchange@({r.name} *a, {r.name} *b) {{ {r.name} t = *a; *a = *b; *b ="
                " t; }\n"
            )
            text += f"static void each@({r.name} *a, void (*f)({r.name} *, int)) "
            text += "{ int i; for (i = 0; i < 2; i++) f(a, i); }\n"
            text += (
                f"static {r.name} *pick@({r.name} *a, {r.name} *b, int c) {{ return c & 1 ? a : b;"
                " }\n"
            )
        if "wrapper" in self.features:
            text += f"struct wrap@ {{ char at; {r.name} one; {r.name} two[2]; int last; }};\n"
        if "views" in self.features:
            text += f"union view@ {{ {r.name} r; unsigned char raw[sizeof({r.name})]; }};\n"
        return text

    def _initial(self, target: str, m: Member, number: int) -> str:
        if m.type == "_Bool":
            return f"{target} = (k + {number}) & 1;"
        if m.type.startswith("enum"):
            return f"{target} = (k + {number}) & 1 ? BLUE@ : RED@;"
        if m.type in ("float", "double"):
            return f"{target} = (k & 15) * 0.5;"
        return f"{target} = k * {number + 1} + {number * 37 % 11};"

    def scene(self) -> tuple[str, str]:
        """Top-level text, and the name of a function of two numbers."""
        r = self.record
        local: list[str] = [f"{r.name} a = made@(x), b = made@(y);"]
        glob: list[str] = []
        self.objects = ["a", "b"]
        if "globals" in self.features:
            glob.append(f"{r.name} ga@, gb@;")
            local.append("ga@ = made@(1); gb@ = a;")
            self.objects += ["ga@", "gb@"]
        if "static" in self.features:
            local.append(f"static {r.name} s; s = made@(x + 1);")
            self.objects.append("s")
        if "heap" in self.features:
            local.append(f"{r.name} *h = malloc(sizeof *h); *h = made@(9);")
            self.objects.append("(*h)")
        if "array" in self.features:
            where = glob if self.rng.random() < 0.4 else local
            where.append(f"{r.name} arr[3];")
            local.append("for (j = 0; j < 3; j++) arr[j] = made@(x + j); j = 0;")
        if "wrapper" in self.features:
            local.append("struct wrap@ w; w.at = x & 1; w.last = 3; w.one = made@(2);")
            local.append("w.two[0] = made@(x); w.two[1] = made@(y);")
            local += ["struct wrap@ *pw = &w;"] if "pointers" in self.features else []
        if "views" in self.features:
            local.append("union view@ u; u.r = made@(5);")
        if "pointers" in self.features:
            local.append(f"{r.name} *p = &{self.rng.choice(self.objects)}, *q = &b, **pp = &p;")
        if r.linked:
            local.append("root@ = made@(4); a.next = &b; b.next = &a;")
        head = self.helpers()
        body = "\n  ".join(self.statement() for _ in range(self.rng.randrange(5, 22)))
        text = (
            f"{head}{' '.join(glob)}\nstatic unsigned records@(int x, int y) {{\n  unsigned acc ="
            f" 1; int j = 0; {' '.join(local)}\n  {body}\n  {self._ending()} return acc; }}\n"
        )
        return re.sub(r"\barr\b(?!@)", "arr@", text), "records@"

    def _ending(self) -> str:
        """Observe all objects and numbers, and free what was allocated."""
        parts = {
            "array": ["arr[0]", "arr[1]", "arr[2]"],
            "wrapper": ["w.one", "w.two[0]", "w.two[1]"],
            "views": ["u.r"],
        }
        ends = [*self.objects, *(e for f, es in parts.items() if f in self.features for e in es)]
        observed = "\n  ".join(f"observe(hash@({e}));" for e in ends)
        observed += "\n  observe(w.last + w.at);" if "wrapper" in self.features else ""
        freed = " free(h);" if "heap" in self.features else ""
        return f"{observed}\n  observe(acc);{freed}"


def scene(rng: random.Random) -> tuple[str, str]:
    """A random program about records: top-level text, and the name of its function of two
    numbers.
    """
    features = {f for f in FEATURES if rng.random() < rng.choice((0.25, 0.5, 0.75))}
    return Maker(rng, features).scene()
