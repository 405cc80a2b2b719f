#!/usr/bin/env bash
# Formatting, vet, staticcheck, the house rules and a tidy go.mod.
set -euo pipefail
cd "$(dirname "$0")/.."
bad=$(git ls-files '*.go' | xargs gofmt -l)
if [ -n "$bad" ]; then
  echo "not formatted: $bad" >&2
  exit 1
fi
go mod tidy -diff
go vet ./...
go tool staticcheck ./...
go test ./internal/archtest
if grep -rqE '"resolved": *"http' web/package-lock.json 2>/dev/null; then
  echo "web/package-lock.json holds download addresses" >&2
  exit 1
fi
