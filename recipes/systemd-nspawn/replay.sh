#!/bin/sh
# Replays a recording in a systemd-nspawn container that shares this machine's files read-only, and has no network.
#
#   sudo ./replay.sh PROJECT [RUN [OPTIONS...]]
#
# PROJECT is the folder of the program, at the place where it was recorded; its .replay (or $REPLAY_HARNESS_STORE) is the
# store. Needs systemd-nspawn (package systemd-container), root, and replay-harness on PATH or in the project.
set -eu

project=$(cd "${1:?usage: replay.sh PROJECT [RUN [OPTIONS...]]}" && pwd)
shift
store=${REPLAY_HARNESS_STORE:-$project/.replay}
home=${HOME:-/root}
identity=${REPLAY_HARNESS_IDENTITY:-${XDG_CONFIG_HOME:-$home/.config}/replay-harness/identity}
nspawn=${NSPAWN:-systemd-nspawn}
command=$(command -v replay-harness || echo "$project/node_modules/.bin/replay-harness")
[ "$#" -gt 0 ] || set -- latest

# --volatile=overlay: this machine's own files, and writes that nobody keeps.
exec "$nspawn" --quiet --directory=/ --volatile=overlay --register=no --keep-unit \
  --private-network \
  --as-pid2 --pipe \
  --bind-ro="$project" --bind-ro="$store" --chdir="$project" \
  --setenv="PATH=$PATH" --setenv="HOME=$home" \
  --setenv="REPLAY_HARNESS_STORE=$store" --setenv="REPLAY_HARNESS_IDENTITY=$identity" \
  "$command" replay --sandbox process "$@"
