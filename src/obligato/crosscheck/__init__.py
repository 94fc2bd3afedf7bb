"""A second reader of C: the lowered program printed as plain C,
and compared with the original by running both, compiled.

`printing.c_text` prints, `comparison.crosscheck` compares.  What it finds is a fault of the C front
end that no certificate can show: certificates are about the program as it was lowered.
"""
