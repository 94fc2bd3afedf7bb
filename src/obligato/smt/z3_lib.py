"""The z3 C library, bound by ctypes without z3py (DESIGN 3.2).

Every handle (context, ast, solver, model, ...) is a plain int. Building and model calls go through
`ctypes.PyDLL`, which keeps the GIL and is faster; the check goes through `ctypes.CDLL`, which
releases it, so that another thread can interrupt. The file is the very one the z3 package loads:
two copies of z3 in one process would be two worlds.

`load()` carries it. Errors are not turned into exceptions here: z3 answers NULL (0) and the caller
tests for it.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from obligato.errors import SolverFailure

_TYPES: dict[str, Any] = {
    "p": ctypes.c_size_t,
    "u": ctypes.c_uint,
    "i": ctypes.c_int,
    "b": ctypes.c_bool,
    "s": ctypes.c_char_p,
    "q": ctypes.c_int64,
    "Q": ctypes.c_uint64,
    "*": ctypes.c_void_p,
    "v": None,
}

# name -> result and arguments; p: handle, u/i: (unsigned) int, q/Q: 64 bit, b: bool, s: string, *:
# pointer, v: void
_SIGNATURES: dict[str, str] = {
    "mk_config": "p",
    "del_config": "vp",
    "mk_context_rc": "pp",
    "del_context": "vp",
    "global_param_set": "vss",
    "set_error_handler": "vp*",
    "get_error_code": "ip",
    "get_error_msg": "spi",
    "inc_ref": "vpp",
    "dec_ref": "vpp",
    "mk_string_symbol": "pps",
    "mk_params": "pp",
    "params_inc_ref": "vpp",
    "params_dec_ref": "vpp",
    "params_set_bool": "vpppb",
    "params_set_uint": "vpppu",
    # solver
    "mk_simple_solver": "pp",
    "solver_inc_ref": "vpp",
    "solver_dec_ref": "vpp",
    "solver_set_params": "vppp",
    "solver_assert": "vppp",
    "solver_get_unsat_core": "ppp",
    "solver_get_model": "ppp",
    "solver_interrupt": "vpp",
    "solver_get_reason_unknown": "spp",
    "mk_tactic": "pps",
    "tactic_inc_ref": "vpp",
    "tactic_dec_ref": "vpp",
    "tactic_and_then": "pppp",
    "tactic_using_params": "pppp",
    "tactic_or_else": "pppp",
    "tactic_repeat": "pppu",
    "mk_solver_from_tactic": "ppp",
    "ast_vector_inc_ref": "vpp",
    "ast_vector_dec_ref": "vpp",
    "ast_vector_size": "upp",
    "ast_vector_get": "pppu",
    # models and values
    "model_inc_ref": "vpp",
    "model_dec_ref": "vpp",
    "model_get_const_interp": "pppp",
    "model_get_func_interp": "pppp",
    "simplify": "ppp",
    "get_ast_kind": "ipp",
    "get_app_decl": "ppp",
    "get_decl_kind": "ipp",
    "get_app_arg": "pppu",
    "get_bool_value": "ipp",
    "get_numeral_int64": "bpp*",
    "get_numeral_uint64": "bpp*",
    "get_numerator": "ppp",
    "get_denominator": "ppp",
    "get_numeral_binary_string": "spp",
    "get_numeral_string": "spp",
    "get_as_array_func_decl": "ppp",
    "func_interp_inc_ref": "vpp",
    "func_interp_dec_ref": "vpp",
    "func_interp_get_num_entries": "upp",
    "func_interp_get_entry": "pppu",
    "func_interp_get_else": "ppp",
    "func_entry_inc_ref": "vpp",
    "func_entry_dec_ref": "vpp",
    "func_entry_get_arg": "pppu",
    "func_entry_get_value": "ppp",
    "ast_to_string": "spp",
    # sorts
    "mk_bool_sort": "pp",
    "mk_int_sort": "pp",
    "mk_real_sort": "pp",
    "mk_bv_sort": "ppu",
    "mk_array_sort": "pppp",
    "mk_fpa_sort": "ppuu",
    "mk_fpa_rounding_mode_sort": "pp",
    # leaves
    "mk_const": "pppp",
    "mk_true": "pp",
    "mk_false": "pp",
    "mk_numeral": "ppsp",
    "mk_int64": "ppqp",
    "mk_unsigned_int64": "ppQp",
    "mk_real_int64": "ppqq",
    "mk_bv_numeral": "ppu*",
    "mk_fpa_nan": "ppp",
    **{f"mk_fpa_{m}": "pp" for m in ("rne", "rna", "rtp", "rtn", "rtz")},
    # applications
    **{
        f"mk_{n}": "ppp"
        for n in (
            "not",
            "unary_minus",
            "int2real",
            "real2int",
            "is_int",
            "abs",
            "bvneg",
            "bvnot",
            "fpa_abs",
            "fpa_neg",
            "fpa_is_normal",
            "fpa_is_subnormal",
            "fpa_is_zero",
            "fpa_is_infinite",
            "fpa_is_nan",
            "fpa_is_negative",
            "fpa_is_positive",
            "fpa_to_real",
            "fpa_to_ieee_bv",
        )
    },
    **{
        f"mk_{n}": "pppp"
        for n in (
            "eq",
            "xor",
            "implies",
            "le",
            "lt",
            "ge",
            "gt",
            "div",
            "mod",
            "bvadd",
            "bvsub",
            "bvmul",
            "bvudiv",
            "bvurem",
            "bvsdiv",
            "bvsrem",
            "bvsmod",
            "bvand",
            "bvor",
            "bvxor",
            "bvshl",
            "bvlshr",
            "bvashr",
            "bvult",
            "bvule",
            "bvugt",
            "bvuge",
            "bvslt",
            "bvsle",
            "bvsgt",
            "bvsge",
            "concat",
            "select",
            "const_array",
            "fpa_sqrt",
            "fpa_rem",
            "fpa_round_to_integral",
            "fpa_min",
            "fpa_max",
            "fpa_leq",
            "fpa_lt",
            "fpa_geq",
            "fpa_gt",
            "fpa_eq",
            "fpa_to_fp_bv",
        )
    },
    **{
        f"mk_{n}": "ppppp"
        for n in (
            "ite",
            "store",
            "fpa_add",
            "fpa_sub",
            "fpa_mul",
            "fpa_div",
            "fpa_to_fp_float",
            "fpa_to_fp_signed",
            "fpa_to_fp_unsigned",
            "fpa_to_fp_real",
        )
    },
    **{f"mk_{n}": "ppu*" for n in ("and", "or", "distinct", "add", "sub", "mul")},
    "mk_fpa_fma": "pppppp",
    "mk_extract": "ppuup",
    "mk_zero_ext": "ppup",
    "mk_sign_ext": "ppup",
    "mk_fpa_to_sbv": "ppppu",
    "mk_fpa_to_ubv": "ppppu",
}


class Z3Lib:
    """The bound functions, as attributes without the prefix ``Z3_``; `check_assumptions` releases
    the GIL.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._building = ctypes.PyDLL(str(path))
        for name, signature in _SIGNATURES.items():
            setattr(self, name, self.bind(name, signature))
        check: Any = ctypes.CDLL(str(path)).Z3_solver_check_assumptions
        check.restype, check.argtypes = _TYPES["i"], [_TYPES[x] for x in "ppu*"]
        self.check_assumptions = check

    def bind(self, name: str, signature: str) -> Any:
        """The function ``Z3_<name>``; `signature` as in the table above."""
        try:
            f = getattr(self._building, "Z3_" + name)
        except AttributeError:
            raise SolverFailure(f"{self.path} has no function Z3_{name}") from None
        f.restype, f.argtypes = _TYPES[signature[0]], [_TYPES[x] for x in signature[1:]]
        return f

    # for the type checker; every real attribute is set above
    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def library_path() -> Path:
    """The file the z3 package loads: it looks in its own folder first, for the versioned name."""
    spec = find_spec("z3")
    if spec is None or spec.origin is None:
        raise SolverFailure("the package z3-solver is not installed")
    folder = Path(spec.origin).parent / "lib"
    found = [
        *sorted(folder.glob("libz3.so.*")),
        *folder.glob("libz3.so"),
        *folder.glob("libz3.dylib"),
    ]
    if not found:
        raise SolverFailure(f"no z3 library in {folder}")
    return found[0]


@lru_cache(maxsize=1)
def load() -> Z3Lib:
    """The library, bound once per process. Models come uncompressed: that is faster and only z3
    itself can set it.
    """
    lib = Z3Lib(library_path())
    lib.global_param_set(b"model.compact", b"false")
    return lib
