#!/usr/bin/env bash
# Builds the wheel, installs it where there is no Rust, and asks the program who it is.
#   tests/wheel.sh [PROFILE]     dev, out of what is built, or release
set -euo pipefail
cd "$(dirname "$0")/.."
profile=${1:-dev}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/builder"
"$place/builder/bin/pip" install --quiet 'maturin>=1.9,<2'
"$place/builder/bin/maturin" build --profile "$profile" --out "$place/dist" >"$place/log" 2>&1 || { cat "$place/log" >&2; exit 1; }
wheel=$(echo "$place"/dist/*.whl)
case $wheel in
    *manylinux*) ;;
    *) echo "$wheel has no manylinux tag" >&2; exit 1 ;;
esac
python3 -m venv "$place/user"
# Without Rust, and without a look at any index.
env -i HOME="$place" PATH="$place/user/bin:/usr/bin:/bin" pip install --quiet --no-index "$wheel"
version=$(env -i HOME="$place" PATH="$place/user/bin:/usr/bin:/bin" reprise --version)
expected="reprise $(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)"
[ "$version" = "$expected" ] || { echo "the wheel's program says '$version', not '$expected'" >&2; exit 1; }
env -i HOME="$place" PATH="$place/user/bin:/usr/bin:/bin" reprise check studies/duncan-1961 >/dev/null
echo "$(basename "$wheel"): $(du -m "$wheel" | cut -f 1) MB, $version"
