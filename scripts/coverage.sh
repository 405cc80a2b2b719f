#!/usr/bin/env bash
# Puts the parts of docs/coverage together into docs/coverage.md.
set -euo pipefail
cd "$(dirname "$0")/../docs"
{
  echo "# Coverage"
  echo
  echo "Every requirement with the test that proves it, or why it is open. Made by scripts/coverage.sh from the parts in docs/coverage."
  for part in core console poolpatrol airshed netra gatepass report evaluation; do
    [ -f "coverage/$part.md" ] || continue
    echo
    sed 's/^#/##/' "coverage/$part.md"
  done
} >coverage.md
