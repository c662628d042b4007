"""The server's size follows what it holds, not the most that it has ever held."""

import json
import subprocess
import sys

KEEPS = """
import json, os
from foveal_sim.world.memory import give_back
def held():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
blocks = [bytearray(16 << 10) for _ in range(5000)]
full = held()
del blocks[:-1]  # the last one lies above the others, so that the heap's end cannot sink
kept = held()
give_back()
print(json.dumps([full, kept, held()]))
"""


def test_freed_pages_return_to_the_system():
    done = subprocess.run([sys.executable, "-c", KEEPS], capture_output=True, text=True, check=True)
    full, kept, left = json.loads(done.stdout)
    most = 5000 * (16 << 10)
    assert full - kept < most / 4, "the allocator has kept nothing: this test shows nothing here"
    assert full - left > most * 3 / 4
