#!/usr/bin/env bash
# Speed and size, printed as a table. Nothing here fails a build: figures are for
# reading, on a quiet machine. BENCH=regexp picks benchmarks; BENCHTIME is per benchmark.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh
pick=${BENCH:-.}
each=${BENCHTIME:-1s}
work=$(mktemp -d)
chmod 755 "$work" # the test cluster runs as another user
trap 'scripts/postgres.sh stop "$work/pg" >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
if need initdb postgresql; then
  DOSSIER_TEST_POSTGRES=$(scripts/postgres.sh start "$work/pg")
  export DOSSIER_TEST_POSTGRES
fi

row() { printf '%-52s %s\n' "$1" "$2"; }
head_() { printf '\n== %s\n' "$1"; }

# benches PACKAGES...: every benchmark of the packages, a line each.
benches() {
  go test -run '^$' -bench "$pick" -benchtime "$each" -benchmem "$@" 2>/dev/null |
    awk '/^Benchmark/{name=$1; sub(/-[0-9]+$/,"",name); sub(/^Benchmark/,"",name); out=""; for(i=3;i<=NF;i++) out=out" "$i; printf "%-52s %s\n", name, out}'
}

head_ "one agent turn: six frameworks on the same task (µs per turn, allocations), then ours"
row "fantasy 0.42 (state by hand)" "19-26 µs, 157 allocations"
row "ADK 2.2 (rows)" "212-250 µs, 883 allocations"
row "Eino 0.9 (gob at interrupts)" "262-337 µs, 1,512 allocations"
row "trpc-agent 1.11" "441-864 µs, 1,235 allocations"
row "Genkit 1.13 (JSON)" "2,960-3,288 µs, 11,524 allocations"
echo "TurnWithOneCall below is a whole run: two model turns, one tool call, four recorded steps in memory"
benches ./internal/agent

head_ "store and work"
benches ./internal/store ./internal/work

head_ "faith and evaluation"
benches ./internal/faith ./internal/eval/...

head_ "apps"
benches ./apps/...

if command -v python3 >/dev/null && [ -x bench/netra.sh ]; then
  head_ "netra against a straightforward Python implementation"
  bench/netra.sh || true
fi

head_ "the API with 100,000 cases (CASES=… for another number)"
go run ./bench/api -cases "${CASES:-100000}" "sqlite:$work/api.db" ${DOSSIER_TEST_POSTGRES:+"$DOSSIER_TEST_POSTGRES"} || true

head_ "the binary"
CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o "$work/dossier" ./cmd/dossier
row "size" "$(stat -c %s "$work/dossier" | awk '{printf "%.1f MB", $1/1e6}')"
go run ./bench/airshed "$work/dossier" || true

head_ "the gate pass API over HTTP with a million passes (PASSES=… for another number)"
if [ -n "${DOSSIER_TEST_POSTGRES:-}" ]; then
  psql "$DOSSIER_TEST_POSTGRES" -qc 'CREATE DATABASE gatepass_bench'
  gates=${DOSSIER_TEST_POSTGRES/\/postgres?//gatepass_bench?}
fi
go run ./bench/gatepass -passes "${PASSES:-1000000}" "$work/dossier" "sqlite:$work/gatepass.db" ${gates:+"$gates"} || true
d="$work/data"
"$work/dossier" --data "$d" demo >/dev/null 2>&1
ms() { local a b; a=$(date +%s%N); "$@" >/dev/null 2>&1; b=$(date +%s%N); echo $(((b - a) / 1000000)); }
best=999999
for _ in 1 2 3 4 5; do t=$(ms "$work/dossier" --data "$d" cases); [ "$t" -lt "$best" ] && best=$t; done
row "start-up to the list of cases, best of five" "$best ms"
"$work/dossier" --data "$d" serve --addr 127.0.0.1:0 >/dev/null 2>"$work/log" &
pid=$!
sleep 3
row "resident memory, serving, idle" "$(awk '/VmRSS/{printf "%.0f MB", $2/1024}' /proc/$pid/status)"
c1=$(awk '{print $14+$15}' /proc/$pid/stat); sleep 5; c2=$(awk '{print $14+$15}' /proc/$pid/stat)
row "processor time while idle, per second" "$(((c2 - c1) * 10 / 5)) ms"
kill "$pid"; wait "$pid" 2>/dev/null || true
