"""Lint hw/rtl with slang, all modules in one elaboration: ``python tools/lint_slang.py``; any diagnostic fails.

Changes of sign are not reported: coordinates are taken as signed where they are subtracted, and as bits elsewhere.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pyslang.driver import Driver

RTL = Path(__file__).resolve().parents[1] / "hw" / "rtl"
OPTIONS = ("--std", "1364-2005", "-Wextra", "-Wconversion", "-Wno-sign-conversion", "-Werror")


def main() -> int:
    driver = Driver()
    driver.addStandardArgs()
    sources = [str(path) for path in sorted(RTL.glob("*.v"))]
    if not driver.parseCommandLine(" ".join(["slang", *sources, "-I", str(RTL), *OPTIONS])):
        return 2
    if not (driver.processOptions() and driver.parseAllSources()):
        return 1
    driver.reportCompilation(driver.createCompilation(), True)
    return 0 if driver.reportDiagnostics(True) else 1


if __name__ == "__main__":
    sys.exit(main())
