"""`python -m foveal_sim.world`: run the world server until it is told to stop."""

from __future__ import annotations

import sys

from foveal_sim.world.stopping import end_process, on_stop

if __name__ == "__main__":
    on_stop(end_process)
    from foveal_sim.world.command import main  # takes seconds: a signal meanwhile is answered

    sys.exit(main())
