#!/usr/bin/env bash
# Everything that must hold: lint, all Go tests on SQLite and PostgreSQL, the race
# detector where goroutines meet, the DuckDB backend, the console's own tests and the
# browser tests over the real binary.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh

say() { printf '\n== %s (%ss)\n' "$1" "$SECONDS"; }
work=$(mktemp -d)
chmod 755 "$work" # the test cluster runs as another user
stop() {
  [ -x scripts/postgres.sh ] && scripts/postgres.sh stop "$work/pg" >/dev/null 2>&1
  rm -rf "$work"
}
trap stop EXIT

say "console"
scripts/web.sh

say "lint"
scripts/lint.sh

if need initdb postgresql; then
  say "PostgreSQL"
  DOSSIER_TEST_POSTGRES=$(scripts/postgres.sh start "$work/pg")
  export DOSSIER_TEST_POSTGRES
fi

say "Go tests"
go test -timeout 15m ./...

if command -v cc >/dev/null; then
  say "race detector"
  CGO_ENABLED=1 go test -race -timeout 10m ./internal/agent/... ./internal/approval ./internal/work/... ./internal/api/...
  say "DuckDB backend"
  CGO_ENABLED=1 go test -tags duckdb -timeout 10m ./apps/report/...
else
  skip "no C compiler, so neither the race detector nor DuckDB is tested"
fi

if command -v npm >/dev/null; then
  say "console tests"
  (cd web && npm run --silent check && npm run --silent test)
  if need chromium chromium; then
    say "browser tests"
    make --silent build
    (cd web && DOSSIER_BIN="$PWD/../bin/dossier" npm run --silent e2e)
  fi
fi
say "done"
