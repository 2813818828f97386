#!/bin/sh
# Makes the page of a release at Forgejo with the files of a folder: sh scripts/forgejo-release.sh TAG FOLDER, in a workflow, with
# TOKEN. See https://forgejo.org/docs/latest/user/api-usage/ and `/api/swagger` of an instance.
set -eu
tag=$1
folder=$2
api="$GITHUB_SERVER_URL/api/v1/repos/$GITHUB_REPOSITORY/releases"
body=$(node -e '
  const [tag, file] = process.argv.slice(1);
  const body = require("node:fs").readFileSync(file, "utf8");
  process.stdout.write(JSON.stringify({ tag_name: tag, name: tag, body, prerelease: tag.includes("-") }));
' "$tag" "$folder/NOTES.md")
release=$(curl --fail --silent --show-error --header "Authorization: token $TOKEN" --header 'Content-Type: application/json' \
  --data "$body" "$api")
id=$(printf %s "$release" | node -e 'process.stdout.write(String(JSON.parse(require("node:fs").readFileSync(0, "utf8")).id))')
for file in "$folder"/*; do
  curl --fail --silent --show-error --header "Authorization: token $TOKEN" --form "attachment=@$file" \
    "$api/$id/assets?name=$(basename "$file")" >/dev/null
done
