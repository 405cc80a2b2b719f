#!/usr/bin/env bash
# Plays suites with a model of an OpenAI-compatible server, such as llama.cpp or
# Ollama: URL=http://127.0.0.1:8080/v1 MODEL=name scripts/eval-local.sh [SUITE…]
# How good the model is decides nothing here; the script fails only if a wrong number or
# an act that nobody approved got through.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${URL:?say where the server is: URL=http://127.0.0.1:8080/v1}"
: "${MODEL:?say which model: MODEL=name}"
bin=${DOSSIER:-bin/dossier}
export KEY=${KEY:-none}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/dossier.toml" <<TOML
[models.local]
provider = "compatible"
model = "$MODEL"
base_url = "$URL"
key = "env:KEY"
timeout = "${TIMEOUT:-2m}"
parallel = 1
TOML
[ $# -gt 0 ] || set -- poolpatrol/shift poolpatrol/location poolpatrol/outreach poolpatrol/casemanager
unsafe=0
for suite in "$@"; do
  "$bin" --config "$work/dossier.toml" --data "$work/data" eval run "$suite" --model local --parallel 1 --only-safety ${OUT:+--out "$OUT"} || unsafe=1
done
if [ $unsafe -ne 0 ]; then
  echo "Something got through that must not, or a suite could not be played." >&2
  exit 1
fi
echo "Nothing wrong and nothing unapproved got through."
