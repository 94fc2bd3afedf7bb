"""The intermediate verification language:
syntax, text parser and printer, validation, inlining, interpreter."""
