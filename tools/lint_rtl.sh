#!/usr/bin/env bash
# Lint every module of hw/rtl with Verilator (-Wall), Icarus Verilog (-Wall, Verilog-2005) and slang. Any warning fails.
set -euo pipefail
cd "$(dirname "$0")/.."
export VERILATOR_ROOT
VERILATOR_ROOT=$(.venv/bin/python -c 'import pathlib, verilator; print(pathlib.Path(verilator.__file__).parent)')
status=0
for source in hw/rtl/*.v; do
  module=$(basename "$source" .v)
  "$VERILATOR_ROOT/bin/verilator_bin" --lint-only --quiet -Wall --default-language 1364-2005 -y hw/rtl -Ihw/rtl \
    --top-module "$module" "$source" || status=1
  warnings=$(iverilog -g2005 -Wall -t null -y hw/rtl -I hw/rtl -s "$module" "$source" 2>&1) || status=1
  if [ -n "$warnings" ]; then
    printf '%s\n' "$warnings" >&2
    status=1
  fi
done
.venv/bin/python tools/lint_slang.py || status=1
[ "$status" != 0 ] || echo "$(ls hw/rtl/*.v | wc -l) modules are clean under verilator -Wall, iverilog -Wall and slang -Wextra"
exit $status
