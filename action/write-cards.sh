#!/usr/bin/env bash
# Writes cards into the repository of the working directory, and commits and pushes what changed.
# CARDS: lines of a file and an address; empty: the contributors to GITHUB_REPOSITORY, the first LIMIT of them, as
# DIRECTORY/contributors.svg. MESSAGE: of the commit. CARDS_ROOT: the folder of the program.
set -euo pipefail

if [ -z "${CARDS//[[:space:]]/}" ]; then
  repository="/v1/github/entities/${GITHUB_REPOSITORY%/*}/repositories/${GITHUB_REPOSITORY#*/}"
  CARDS="$DIRECTORY/contributors.svg $repository/contributors?limit=$LIMIT&hide=coverage"
fi

arguments=()
files=()
while read -r file address; do
  if [ -z "$file" ]; then continue; fi
  if [ -z "$address" ]; then
    echo "a line of cards needs a file and an address: $file" >&2
    exit 1
  fi
  # Some file systems take `.GIT` and `git~1` for `.git`, as git itself knows (core.protectHFS and core.protectNTFS).
  shopt -s nocasematch
  case "/$file/" in
    //* | */../* | */.git/* | */.git[[:space:]./:]* | */git~[0-9]/* | *\\* | *[[:cntrl:]]*)
      echo "$file is not a file of the repository" >&2
      exit 1
      ;;
  esac
  shopt -u nocasematch
  # A link can lead out of the repository, into `.git`, or to a file that belongs to something else.
  part=$file
  while [ "$part" != . ]; do
    if [ -L "$part" ]; then echo "$file is not a file of the repository: $part is a link" >&2; exit 1; fi
    part=$(dirname -- "$part")
  done
  arguments+=("$address" "$file")
  files+=("$file")
done <<< "$CARDS"
"$CARDS_ROOT/node_modules/.bin/node" "$CARDS_ROOT/bin/plaudit.js" card "${arguments[@]}"

# Exported, because both the commit and the rebase below need an identity.
export GIT_AUTHOR_NAME="github-actions[bot]" GIT_COMMITTER_NAME="github-actions[bot]"
export GIT_AUTHOR_EMAIL="41898282+github-actions[bot]@users.noreply.github.com"
export GIT_COMMITTER_EMAIL="$GIT_AUTHOR_EMAIL"
git add -- "${files[@]}"
if git diff --cached --quiet -- "${files[@]}"; then exit 0; fi
git commit --quiet -m "$MESSAGE" -- "${files[@]}"
# Another run may have pushed older cards meanwhile: those drawn here win. What other steps changed here stays.
for attempt in 1 2 3; do
  if git push --quiet; then exit 0; fi
  git pull --quiet --rebase --autostash --strategy-option=theirs
done
echo "the cards could not be pushed" >&2
exit 1
