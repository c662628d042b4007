#!/bin/sh
# Run a command with at most MUTANT_CPU_S seconds of processor time: a mutant that never ends says nothing more.
ulimit -t "$MUTANT_CPU_S"
exec "$@"
