"""The exceptions of the library."""


class Error(Exception):
    """What the library refuses, and why. Every error is of one of the kinds below.

    >>> import pushdown
    >>> try:
    ...     pushdown.stacks.Nondeterministic(states=0, symbols=3)
    ... except pushdown.Error as error:
    ...     print(error)
    the number of states is 0, must be between 1 and 4096
    """


class InputError(Error, ValueError):
    """The caller is wrong: bad arguments, missing or bad files, calls in a wrong order."""


class LimitError(Error):
    """The input is larger than a format, a type or this machine allows."""


class NumericError(Error, ArithmeticError):
    """A correct call led to NaN, to infinity, or to zero where rounding lost everything."""


class OperatingSystemError(Error, OSError):
    """The operating system refused something: to write a file, or memory."""
