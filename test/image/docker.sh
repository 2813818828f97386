#!/bin/sh
# Starts an image by Docker with an empty volume and a root file system that is only read, waits until Docker calls it healthy, draws
# a card of the sample, and stops it: sh test/image/docker.sh IMAGE
set -eu
image=$1
name=plaudit-tested-$$
trap 'docker logs "$name" >&2 || true; docker rm --force --volumes "$name" >/dev/null' EXIT
docker run --detach --name "$name" --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \
  --publish 127.0.0.1::8080 --env WORKERS=1 --memory 512m "$image" >/dev/null
tries=0
until [ "$(docker inspect --format '{{.State.Health.Status}}' "$name")" = healthy ]; do
  tries=$((tries + 1))
  [ "$tries" -lt 90 ] || { echo 'the container is not healthy after 90 seconds' >&2; exit 1; }
  sleep 1
done
address=$(docker port "$name" 8080/tcp)
curl --fail --silent --show-error "http://$address/readyz" >/dev/null
curl --fail --silent --show-error "http://$address/gallery/contributions.svg" | grep -q '<svg'
docker stop --time 15 "$name" >/dev/null
[ "$(docker inspect --format '{{.State.ExitCode}}' "$name")" = 0 ]
docker start "$name" >/dev/null
docker stop --time 15 "$name" >/dev/null
trap - EXIT
docker rm --force --volumes "$name" >/dev/null
