#!/usr/bin/env bash
# Measures the district risk engine: batches over 800 districts, one arrival, requests
# on /risk-score, and the ratio to bench/netra_python.py where Python is.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(go test ./apps/netra/engine -run '^$' -bench 'Batch|Arrival' -benchtime "${BENCHTIME:-1s}" && go test ./apps/netra -run '^$' -bench RiskScore -benchtime "${BENCHTIME:-1s}")
grep '^Benchmark' <<<"$out"
command -v python3 >/dev/null || { echo "Python is not here, so there is no ratio"; exit 0; }
bench/netra_python.py --check >/dev/null
for n in 100000 1000000; do
  ns=$(awk -v b="BenchmarkBatch/signals=$n-" 'index($1, b) == 1 { for (i = 2; i < NF; i++) if ($(i+1) == "ns/op") print $i }' <<<"$out")
  bench/netra_python.py "$n" --go "$(awk -v ns="$ns" 'BEGIN { printf "%.6f", ns / 1e9 }')"
done
