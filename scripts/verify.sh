#!/bin/sh
# The long tier. Each part runs, also after one that failed.
failed=
for part in check verify:tests verify:mutations verify:image soak bench; do
  npm run -s "$part" || failed="$failed $part"
done
[ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
