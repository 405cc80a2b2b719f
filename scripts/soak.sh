#!/usr/bin/env bash
# The kill harness with more kills and every fuzz target for longer. SOAK sets how long
# each fuzz target runs (default 1m), KILLS how many processes are killed on each database.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh
work=$(mktemp -d)
chmod 755 "$work" # the test cluster runs as another user
trap 'scripts/postgres.sh stop "$work/pg" >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
if need initdb postgresql; then
  DOSSIER_TEST_POSTGRES=$(scripts/postgres.sh start "$work/pg")
  export DOSSIER_TEST_POSTGRES
fi
DOSSIER_KILLS=${KILLS:-2000} go test ./cmd/dossier -run TestKill -v -timeout 3h
git grep -l '^func Fuzz' -- '*_test.go' | while read -r file; do
  pkg=./$(dirname "$file")
  grep -o '^func Fuzz[A-Za-z0-9_]*' "$file" | sed 's/func //' | while read -r target; do
    echo "== $pkg $target"
    go test "$pkg" -run '^$' -fuzz "^$target\$" -fuzztime "${SOAK:-1m}"
  done
done
