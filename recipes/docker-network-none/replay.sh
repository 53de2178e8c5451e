#!/bin/sh
# Replays a recording in a container without network, on a file system that cannot be written.
#
#   ./replay.sh PROJECT [RUN [OPTIONS...]]
#
# PROJECT is the folder of the program, at the place where it was recorded; its .replay (or $REPLAY_HARNESS_STORE) is the
# store. The private key is read from $REPLAY_HARNESS_IDENTITY, or from where replay-harness keeps it. The image is built
# when it is missing: docker build --build-arg NODE_VERSION=20.20.2 --tag replay-harness .
set -eu

project=$(cd "${1:?usage: replay.sh PROJECT [RUN [OPTIONS...]]}" && pwd)
shift
store=${REPLAY_HARNESS_STORE:-$project/.replay}
identity=${REPLAY_HARNESS_IDENTITY:-${XDG_CONFIG_HOME:-$HOME/.config}/replay-harness/identity}
image=${REPLAY_HARNESS_IMAGE:-replay-harness}
docker=${DOCKER:-docker}
[ "$#" -gt 0 ] || set -- latest

"$docker" image inspect "$image" >/dev/null 2>&1 || "$docker" build --tag "$image" "$(dirname "$0")"

exec "$docker" run --rm --init \
  --network none \
  --read-only --tmpfs /tmp \
  --cap-drop ALL --security-opt no-new-privileges \
  --user "$(id -u):$(id -g)" \
  --volume "$project:$project:ro" --workdir "$project" \
  --volume "$store:$store:ro" --env "REPLAY_HARNESS_STORE=$store" \
  --volume "$identity:/run/identity:ro" --env REPLAY_HARNESS_IDENTITY=/run/identity \
  "$image" "$@"
