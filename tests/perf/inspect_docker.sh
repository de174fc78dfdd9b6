#!/usr/bin/env bash
# A Docker of Debian trixie beside the machine's own, for Inspect AI, which wants Docker 24 and compose 2.21.
#   tests/perf/inspect_docker.sh up [ROOT]      # ROOT is made by mmdebstrap where there is none [default: /var/tmp/trixie]
#   tests/perf/inspect_docker.sh down [ROOT]
# Needs root. What `up` prints is to be set: the daemon's socket, and where its client finds compose. The images
# of capsule_serve.py are copied from the machine's own daemon. No container of it has a network.
set -euo pipefail
verb=${1:?up or down} root=${2:-/var/tmp/trixie}
socket=unix://$root/run/docker.sock identity=$root/run/docker.pid
if [ "$verb" = down ]; then
    kill "$(cat "$identity")"
    exit
fi
if [ ! -e "$root/usr/sbin/dockerd" ]; then
    mmdebstrap --variant=minbase --include=docker.io,docker-cli,docker-compose,iptables,ca-certificates trixie "$root"
fi
if ! docker --host "$socket" version >/dev/null 2>&1; then
    # The root has to be a mount of its own: layers are unpacked below a remounted `/`. Folders of capsules lie in /tmp.
    # A network of its own: a daemon without a bridge takes the machine's away.
    setsid unshare --mount --propagation private --net bash -c '
        mount --bind "$0" "$0"
        for folder in proc sys dev tmp; do mount --rbind "/$folder" "$0/$folder"; done
        mkdir -p "$0/.outside"
        cd "$0"
        pivot_root . .outside
        umount --lazy /.outside
        exec dockerd --host unix:///run/docker.sock --pidfile /run/docker.pid --exec-root /run/docker-own \
            --bridge none --iptables=false --ip6tables=false --storage-driver overlay2
    ' "$root" >"$root/var/log/dockerd.log" 2>&1 &
    until docker --host "$socket" version >/dev/null 2>&1; do
        kill -0 $! || { tail "$root/var/log/dockerd.log" >&2; exit 1; }
        sleep 0.2
    done
fi
plugins=$root/var/lib/docker-client/cli-plugins
mkdir -p "$plugins"
cp "$root/usr/libexec/docker/cli-plugins/docker-compose" "$plugins/"
docker save python:3.11-slim | docker --host "$socket" load >&2
echo "export DOCKER_HOST=$socket DOCKER_CONFIG=${plugins%/*}"
