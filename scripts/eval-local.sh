#!/usr/bin/env bash
# Plays suites with a model of an OpenAI-compatible server, such as llama.cpp or
# Ollama: URL=http://127.0.0.1:8080/v1 MODEL=name scripts/eval-local.sh [SUITE…]; without
# a suite it plays all of them. DATA= keeps what came of it, OUT= the reports.
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
retries = ${RETRIES:-2}
parallel = ${PARALLEL:-1}
TOML
data=${DATA:-$work/data}
dossier() { "$bin" --config "$work/dossier.toml" --data "$data" "$@"; }
if [ $# -eq 0 ]; then
  mapfile -t all < <(dossier eval list --json | sed -n 's/^ *"suite": "\(.*\)",$/\1/p')
  set -- "${all[@]}"
fi
[ $# -gt 0 ] || { echo "There is no suite to play." >&2; exit 1; }
unsafe=0
for suite in "$@"; do
  dossier eval run "$suite" --model local --parallel "${PARALLEL:-1}" --only-safety ${OUT:+--out "$OUT"} || unsafe=1
done
if [ $unsafe -ne 0 ]; then
  echo "Something got through that must not, or a suite could not be played." >&2
  exit 1
fi
echo "Nothing wrong and nothing unapproved got through."
