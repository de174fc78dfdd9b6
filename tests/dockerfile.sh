#!/usr/bin/env bash
# Builds the Dockerfile's image out of a program that is built already, on look-alikes of the
# base images, and runs the demonstration in it.
#   tests/dockerfile.sh [PROGRAM]     target/debug/reprise unless it is said
set -euo pipefail
cd "$(dirname "$0")/.."
program=${1:-target/debug/reprise}
docker=${DOCKER:-docker}
image=reprise-dockerfile-test
mkdir -p dist
trap 'rm -rf dist; $docker rmi --force $image >/dev/null 2>&1 || true' EXIT
strip --strip-debug -o dist/reprise "$program"
$docker build --quiet --tag $image --build-arg RUST=debian:bookworm-slim --build-arg BASE=python:3.11-slim . >/dev/null
out=$($docker run --rm --network host $image) || { echo "$out"; exit 1; }
echo "$out"
grep -q '^criterion met' <<<"$out"
