"""The disk cache is used where it can be and given up quietly where it cannot."""

import os
import subprocess
import sys
from pathlib import Path

import foveal.golden
from foveal.jit import compiled

PROGRAM = """
import os
def refuse(*args, **kwargs):
    raise OSError("read-only file system")
os.makedirs = refuse
from foveal.golden import raster
assert type(raster._draw._cache).__name__ == "NullCache", raster._draw._cache
"""


def test_a_compiled_function_computes_what_python_does():
    def total(n):
        s = 0
        for k in range(n):
            s += k * k
        return s

    assert compiled(total)(10) == total(10) == 285


def test_without_a_writable_cache_the_raster_still_compiles():
    host = str(Path(foveal.golden.__file__).parents[2])
    env = {**os.environ, "PYTHONPATH": host}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
