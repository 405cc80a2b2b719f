#!/usr/bin/env bash
# Builds the console into web/dist. Without Node the committed placeholder stays.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh
if ! command -v npm >/dev/null; then
  skip "Node is not here, so the console is not built"
  exit 0
fi
cd web
if [ ! -d node_modules ] || [ package-lock.json -nt node_modules ]; then
  npm ci --loglevel=error --no-audit --no-fund
  touch node_modules
fi
npm run --silent build
