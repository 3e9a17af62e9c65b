"""`python -m csrag.kernels`: compile the kernel beside its source, where a compiler came after csrag."""

from __future__ import annotations

import sys

from csrag.kernels.compile import LIBRARY, SOURCE, NotCompiledError, compile_library


def main() -> int:
    """Compile, and say what was made or why nothing was."""
    target = SOURCE.with_name(LIBRARY)
    try:
        compile_library(target)
    except NotCompiledError as error:
        print(f"The search kernel was not compiled: {error}. Searches use NumPy instead, slower.", file=sys.stderr)
        return 1
    print(f"Compiled {target}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
