#!/usr/bin/env bash
# Speed and size, one table per area: what, goal, measured, and whether the goal was
# reached. Nothing here fails a build: figures are for reading, on a quiet machine.
#
#   AREAS="core store" scripts/bench.sh   only these of: core store text apps api binary waiting,
#                                         and fleet, which has to be asked for
#   HEAVY=1 scripts/bench.sh              also what takes long: a million passes, 1,200 vans,
#                                         10,000 charts, 100,000 cases and a million passes
#                                         behind the API
#   BENCHTIME=1s                          how long each benchmark is repeated
#   FLEETS="1200 100000" WORKERS="1 2 4"  the sizes and workers of area fleet: does a van
#                                         cost more among many? 100,000 vans take a quarter
#                                         of an hour and 8 GB of disk for each of them
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh
each=${BENCHTIME:-1s}
heavy=${HEAVY:-}
areas=${AREAS:-core store text apps api binary waiting}
work=$(mktemp -d)
chmod 755 "$work" # the test cluster runs as another user
trap 'scripts/postgres.sh stop "$work/pg" >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
if need initdb postgresql; then
  DOSSIER_TEST_POSTGRES=$(scripts/postgres.sh start "$work/pg")
  export DOSSIER_TEST_POSTGRES
fi
export GATEPASS_BENCH_PASSES=${GATEPASS_BENCH_PASSES:-$([ -n "$heavy" ] && echo 1000000 || echo 50000)}
export FLEET=${FLEET:-$([ -n "$heavy" ] && echo 1200 || echo 60)}

want() { [[ " $areas " == *" $1 "* ]]; }
head_() { printf '\n== %s (load %s)\n%-66s %12s %14s\n' "$1" "$(cut -d' ' -f1 /proc/loadavg 2>/dev/null || echo unknown)" "" goal measured; }

# row WHAT GOAL MEASURED UNIT: a line with the verdict. GOAL is a number that MEASURED
# must stay below, ">N" for one it must exceed, or "-".
row() {
  awk -v what="$1" -v goal="$2" -v got="$3" -v unit="$4" 'BEGIN {
    verdict = ""; shown = goal
    if (goal != "-") {
      shown = goal " " unit
      if (substr(goal, 1, 1) == ">") verdict = (got + 0 > substr(goal, 2) + 0) ? "ok" : "missed"
      else verdict = (got + 0 < goal + 0) ? "ok" : "missed"
    }
    printf "%-66s %12s %14s  %s\n", what, shown, got " " unit, verdict }'
}

# benches PACKAGES...: runs their benchmarks and prints those of the list on standard
# input (name|title|goal|unit), then whatever else there is.
benches() {
  cat >"$work/list"
  go test -trimpath -run '^$' -bench "${pick:-.}" -benchtime "$each" -benchmem -timeout 30m "$@" >"$work/out" 2>"$work/err" || { echo "FAILED: $*"; tail -n 5 "$work/out"; tail -n 5 "$work/err"; }
  awk '/^Benchmark/ { name = $1; sub(/-[0-9]+$/, "", name); sub(/^Benchmark/, "", name); ns = 0; allocs = ""
      for (i = 2; i < NF; i++) { if ($(i+1) == "ns/op") ns = $i; if ($(i+1) == "allocs/op") allocs = $i; if ($(i+1) == "ops/s" || $(i+1) == "req/s") rate = $i }
      print name "|" ns "|" allocs "|" rate; rate = "" }' "$work/out" >"$work/measured"
  local name title goal unit
  while IFS='|' read -r name title goal unit; do
    awk -F'|' -v name="$name" -v unit="$unit" '$1 == name {
      if (unit == "allocs") v = $3; else if (unit == "/s") v = $4
      else v = $2 / (unit == "s" ? 1e9 : unit == "ms" ? 1e6 : unit == "µs" ? 1e3 : 1)
      printf (v >= 100 || unit == "allocs") ? "%.0f\n" : "%.3g\n", v; exit }' "$work/measured" >"$work/value"
    [ -s "$work/value" ] && row "$title" "$goal" "$(cat "$work/value")" "$unit"
  done <"$work/list"
  awk -F'|' 'NR == FNR { listed[$1] = 1; next } !($1 in listed) { printf "%-66s %12s %14s\n", $1, "-", ($2 >= 1e6 ? sprintf("%.3g ms", $2 / 1e6) : sprintf("%.3g µs", $2 / 1e3)) }' "$work/list" "$work/measured"
}

if want core; then
  head_ "one agent turn: frameworks on one task, and ours"
  printf '%-66s %12s %14s\n' "" "µs per turn" allocations
  printf '%-66s %12s %14s\n' "fantasy 0.42 (state by hand)" 19-26 157 "ADK 2.2 (rows)" 212-250 883 \
    "Eino 0.9 (gob at interrupts)" 262-337 1,512 "trpc-agent 1.11" 441-864 1,235 "Genkit 1.13 (JSON)" 2,960-3,288 11,524
  pick='OneCall' benches ./internal/agent <<'L'
TurnWithOneCall|Dossier: one turn with one tool call, two steps recorded in memory|20|µs
TurnWithOneCall|  its allocations|-|allocs
RunWithOneCall|Dossier: a whole run, two turns, one call, five steps in memory|-|µs
RunWithOneCall|  its allocations|-|allocs
L
fi

if want store; then
  head_ "durable steps, jobs and runs"
  benches ./internal/store <<'L'
Step/sqlite-full/facts=false|one durable step, SQLite, on the disk|1|ms
Step/sqlite-full/facts=true|  with evidence and a finding|-|ms
Step/sqlite-normal/facts=false|one step, SQLite, sync=normal|-|ms
Step/sqlite-normal/facts=true|  with evidence and a finding|-|ms
Step/postgres/facts=false|one durable step, PostgreSQL (fsync off)|-|ms
Step/postgres/facts=true|  with evidence and a finding|-|ms
Open/sqlite|open a store whose tables exist, SQLite|-|ms
Open/postgres|open a store whose tables exist, PostgreSQL|-|ms
L
  pick='ShortRun|Pause' benches ./internal/agent <<'L'
ShortRun/sqlite|a whole short run, SQLite|-|ms
ShortRun/postgres|a whole short run, PostgreSQL|-|ms
PauseApproveResume/sqlite|pause, approve, resume and act, SQLite|-|ms
PauseApproveResume/postgres|pause, approve, resume and act, PostgreSQL|-|ms
L
  benches ./internal/work <<'L'
Job/sqlite|commit to handler and back, SQLite|-|ms
Job/postgres|commit to handler and back, PostgreSQL|-|ms
L
fi

if want text; then
  head_ "faith and evaluation"
  benches ./internal/faith ./internal/eval/... <<'L'
Check1000Words|numerals of 1,000 words against evidence|-|ms
Grade10000Runs|10,000 stored runs graded|2|s
L
fi

if want apps; then
  head_ "apps ($GATEPASS_BENCH_PASSES passes, $FLEET vans${heavy:+, heavy})"
  pick=$([ -n "$heavy" ] && echo . || echo '^Benchmark([^RO]|Risk|Run51|Open51|Office)')
  vans=$([ "$FLEET" = 1200 ] && echo 10 || echo -) # 1,200 vans: seconds
  pick=$pick benches ./apps/... <<L
Correlate/index|airshed: 1,000,000 fires by 40 stations|150|ms
Correlate/scan|  by brute force|-|ms
CorrelateTwoDays/index|airshed: two days of fires|-|ms
CorrelateTwoDays/scan|  by brute force|-|ms
AnalyzeRealDay|airshed: a day analysed from files|-|ms
Batch/signals=10000000|netra: 10 million signals, 800 districts|1.5|s
Batch/signals=1000000|netra: 1 million signals|-|ms
Batch/signals=100000|netra: 100,000 signals|-|ms
Arrival/24h|netra: one arrival, 24 h|100|µs
Arrival/7d|netra: one arrival, 7 d|100|µs
RiskScore/hot|netra: /risk-score|>1000|/s
Hear/hr|gatepass: one utterance|200|µs
Turn/in_process|gatepass: one chat turn, in process|5|ms
Turn/loopback|gatepass: one chat turn, loopback|5|ms
Run51|report: 51 charts|100|ms
Run10000|report: 10,000 charts|10|s
FullReport|report: nine sections|1|s
JudgeShifts|poolpatrol: shift rule, a van of eight|-|µs
Audit/sqlite/vans=$FLEET/workers=1|poolpatrol: the fleet audited by 1 worker, SQLite|$vans|s
Audit/sqlite/vans=$FLEET/workers=2|poolpatrol: the fleet audited by 2 workers, SQLite|$vans|s
Audit/sqlite/vans=$FLEET/workers=4|poolpatrol: the fleet audited by 4 workers, SQLite|$vans|s
Audit/postgres/vans=$FLEET/workers=1|poolpatrol: the fleet audited by 1 worker, PostgreSQL|$vans|s
Audit/postgres/vans=$FLEET/workers=2|poolpatrol: the fleet audited by 2 workers, PostgreSQL|$vans|s
Audit/postgres/vans=$FLEET/workers=4|poolpatrol: the fleet audited by 4 workers, PostgreSQL|$vans|s
L
  if [ -n "$heavy" ] && command -v python3 >/dev/null; then
    echo "netra against a straightforward Python implementation:"
    bench/netra.sh || echo "FAILED: bench/netra.sh"
  fi
fi

# fleet N WORKERS: prints how many vans a second that many workers audit.
fleet() {
  FLEET=$1 go test -trimpath -run '^$' -bench "^BenchmarkAudit\$/^postgres\$/./^workers=$2\$" -benchtime 1x -timeout 6h ./apps/poolpatrol |
    awk '/^Benchmark/ { for (i = 2; i < NF; i++) if ($(i+1) == "vans/s") print $i }'
}

if want fleet && [ -n "${DOSSIER_TEST_POSTGRES:-}" ]; then
  scripts/postgres.sh stop "$work/pg"
  quarter=$(awk '/^MemTotal/ { printf "%d", $2 / 4096 }' /proc/meminfo)
  POSTGRES_ARGS="-c shared_buffers=${quarter}MB -c max_wal_size=4GB" scripts/postgres.sh start "$work/pg" >/dev/null
  head_ "poolpatrol: fleets on PostgreSQL, shared_buffers $quarter MB"
  for workers in ${WORKERS:-1 2 4}; do
    least=
    for n in ${FLEETS:-1200 12000}; do
      rate=$(fleet "$n" "$workers")
      row "$n vans of eight from rows to findings, $workers workers" - "$rate" vans/s
      [ -z "$least" ] || row "  a van, against one of the smallest fleet" 1.25 "$(awk -v a="$least" -v b="$rate" 'BEGIN { printf "%.2f", a / b }')" times
      least=${least:-$rate}
    done
  done
fi

if want api || want binary || want waiting; then
  CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o "$work/dossier" ./cmd/dossier
fi

# fresh NAME: makes a database of that name in the cluster, if there is one, and prints its address.
fresh() {
  [ -n "${DOSSIER_TEST_POSTGRES:-}" ] && psql "$DOSSIER_TEST_POSTGRES" -qc "CREATE DATABASE $1" >/dev/null && echo "${DOSSIER_TEST_POSTGRES/\/postgres?//$1?}" || true
}

if want api; then
  n=${CASES:-$([ -n "$heavy" ] && echo 100000 || echo 10000)}
  printf '\n== the API with %s cases, 8 clients (CASES=… for another number)\n' "$n"
  go run -trimpath ./bench/api -cases "$n" "sqlite:$work/api.db" ${DOSSIER_TEST_POSTGRES:+"$DOSSIER_TEST_POSTGRES"} || echo "FAILED: bench/api"
  n=${PASSES:-$([ -n "$heavy" ] && echo 1000000 || echo 50000)}
  printf '\n== the gate pass API over HTTP with %s passes (PASSES=… for another number)\n' "$n"
  go run -trimpath ./bench/gatepass -passes "$n" "$work/dossier" "sqlite:$work/gatepass.db" $(fresh gatepass_bench) || echo "FAILED: bench/gatepass"
  printf '\n== the district risk API over HTTP, signed in, 8 clients (goal: 1,000 requests/s on /risk-score)\n'
  go run -trimpath ./bench/netra "$work/dossier" "sqlite:$work/netra.db" $(fresh netra_bench) || echo "FAILED: bench/netra"
fi

rss() { awk -v f="$2" '$1 == f ":" { printf "%.0f", $2 / 1024 }' "/proc/$1/status"; }
# served PID LOG: waits until the server says that it serves.
served() { for _ in $(seq 200); do grep -q 'serves on' "$2" && return; sleep 0.05; done; echo "FAILED: it does not serve"; cat "$2"; }
# idle PID TITLE GOAL: memory and processor time of a server that nobody uses.
idle() {
  sleep 20 # what was due at the start is done, and memory given back
  row "resident memory, $2" "$3" "$(rss "$1" VmRSS)" MB
  row "  its own" - "$(rss "$1" RssAnon)" MB
  row "  pages of the program's file" - "$(rss "$1" RssFile)" MB
  local a b
  a=$(awk '{print $14+$15}' "/proc/$1/stat"); sleep 10; b=$(awk '{print $14+$15}' "/proc/$1/stat")
  row "  processor time per second" 10 "$((b - a))" ms # ticks are 10 ms, the wait 10 s
}

if want binary; then
  head_ "the binary, demo data of five apps"
  row "size" - "$(stat -c %s "$work/dossier" | awk '{printf "%.1f", $1/1e6}')" MB
  d="$work/data"
  "$work/dossier" --data "$d" demo >/dev/null 2>&1
  best() { local a b t least=999999; for _ in 1 2 3 4 5; do a=$(date +%s%N); "$@" >/dev/null 2>&1; b=$(date +%s%N); t=$(((b - a) / 1000000)); [ "$t" -lt "$least" ] && least=$t; done; echo "$least"; }
  row "start-up to the list of cases, best of five" 150 "$(best "$work/dossier" --data "$d" cases)" ms
  row "dossier version, best of five" - "$(best "$work/dossier" version)" ms
  "$work/dossier" --data "$d" serve --addr 127.0.0.1:0 >/dev/null 2>"$work/log" &
  pid=$!
  served "$pid" "$work/log"
  idle "$pid" "serving, idle" 60
  kill "$pid"; wait "$pid" 2>/dev/null || true
  echo "airshed's commands on a real-size day:"
  go run -trimpath ./bench/airshed "$work/dossier" || echo "FAILED: bench/airshed"
fi

if want waiting; then
  head_ "cases that wait for a person, each with a paused run, a question and a due date"
  for n in 1000 10000; do
    d="$work/waiting-$n"
    mkdir -p "$d"
    go run -trimpath ./bench/waiting -cases "$n" "sqlite:$d/dossier.db" >/dev/null || { echo "FAILED: bench/waiting"; continue; }
    "$work/dossier" --data "$d" serve --addr 127.0.0.1:0 >/dev/null 2>"$work/log" &
    pid=$!
    served "$pid" "$work/log"
    idle "$pid" "$n waiting cases" 100
    kill "$pid"; wait "$pid" 2>/dev/null || true
  done
  for db in "sqlite:$work/runs.db" ${DOSSIER_TEST_POSTGRES:+"$DOSSIER_TEST_POSTGRES"}; do
    t=$(go run -trimpath ./bench/waiting -runs 1000 "$db") && row "1,000 short runs from queue to answer, 8 workers, ${db%%:*}" - "$t" s || echo "FAILED: bench/waiting -runs"
  done
fi
