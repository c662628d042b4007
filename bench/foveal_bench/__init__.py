"""The benchmark layer: drives, statistics, cost, report and the `foveal` command."""
