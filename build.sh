#!/usr/bin/env bash
# The one way to build and test onnxlet. Sets up everything it needs on the way; a second call reuses it.
#
#   ./build.sh run     read the text in a picture: the example, from a clean checkout
#   ./build.sh test    everything CI checks
#   ./build.sh build   .venv/bin/onnxlet, js/dist/, the wheel in dist/, the native library in build/native/
#   ./build.sh bench   onnxlet against onnxruntime-web; --help lists its options
#   ./build.sh interop  models from PyTorch, Keras, scikit-learn ... against these frameworks; --help lists its options
#   ./build.sh fuzz    hostile files against the engine, for --seconds N; --help lists its options
#   ./build.sh sanitize  the C++ tests with AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer
#   ./build.sh screenshots  pictures of the playground's views, in build/screenshots/
#   ./build.sh check   formatting, lint and types only
#   ./build.sh format  apply the formatting
#   ./build.sh gen     regenerate the bindings and the generated documents
set -euo pipefail
cd "$(dirname "$0")"

fail() { printf 'build.sh: %s\n' "$*" >&2; exit 1; }
usage() { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; }

case "${1:-}" in
  run | test | build | bench | interop | fuzz | sanitize | screenshots | check | format | gen) ;;
  "" | -h | --help | help) usage; exit 0 ;;
  *) usage >&2; fail "unknown command '$1'" ;;
esac

python=
for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
  if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || fail "needs Python 3.11 or later; install it (Debian: apt install python3) or name it with PYTHON="

# The environment is made anew when the interpreter or the requirements change.
stamp=.venv/onnxlet-requirements
inputs=$("$python" -c 'import sys; print(sys.version)'; cat requirements/*.txt)
if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$inputs" ]; then
  echo "build.sh: installing the pinned Python packages into .venv"
  [ -x .venv/bin/python ] && .venv/bin/python -c '' 2>/dev/null || rm -rf .venv
  if [ ! -d .venv ]; then
    # Debian without python3-venv has no ensurepip: then the system's pip fills the environment.
    if "$python" -c 'import ensurepip' 2>/dev/null; then "$python" -m venv .venv
    else
      "$python" -m venv --without-pip .venv
      "$python" -m pip --python .venv/bin/python install --quiet pip \
        || fail "could not install pip into .venv; install python3-venv (Debian: apt install python3-venv)"
    fi
  fi
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -c requirements/constraints.txt \
    -r requirements/build.txt -r requirements/test.txt \
    || fail "could not install the Python packages; is the package index reachable?"
  printf '%s\n' "$inputs" > "$stamp"
fi

export PATH="$PWD/.venv/bin:$PATH"
exec .venv/bin/python -m onnxlet.build.workflow "$@"
