#!/usr/bin/env bash
# A private PostgreSQL cluster for tests.
#
#   scripts/postgres.sh start DIR   makes the cluster in DIR if there is none, starts
#                                   it and prints its URL
#   scripts/postgres.sh stop DIR    stops it; DIR stays
#
# POSTGRES_ARGS are more arguments for the server, such as "-c shared_buffers=4GB".
#
# It listens on a unix socket and on a free port of 127.0.0.1, and never waits for the
# disk: its data is worth nothing. initdb refuses to run as root, so for root the
# cluster belongs to the user "postgres" (or "nobody"). Where PostgreSQL is missing,
# root on Debian gets it installed unless DOSSIER_NO_INSTALL is set; otherwise the
# script says so and returns 3.
set -eu

die() { echo "postgres.sh: $1" >&2; exit "${2:-1}"; }

bin() {
	local d
	for d in /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /opt/homebrew/opt/postgresql*/bin; do
		[ -x "$d/initdb" ] && { echo "$d"; return; }
	done
	command -v initdb >/dev/null && dirname "$(command -v initdb)"
}

install_postgres() {
	[ -z "${DOSSIER_NO_INSTALL:-}" ] || die "PostgreSQL is not installed (DOSSIER_NO_INSTALL is set)" 3
	[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || die "PostgreSQL is not installed; install the package postgresql" 3
	echo "installing PostgreSQL" >&2
	# Debian's package would start a cluster of its own.
	mkdir -p /etc/postgresql-common
	[ -e /etc/postgresql-common/createcluster.conf ] || echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
	{ apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends postgresql; } >&2 ||
		die "PostgreSQL could not be installed" 3
}

# as runs a command as the cluster's owner.
as() {
	if [ "$(id -u)" = 0 ]; then
		local user=postgres
		id "$user" >/dev/null 2>&1 || user=nobody
		(cd / && exec setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups env HOME=/tmp "$@")
	else
		"$@"
	fi
}

free_port() {
	local p
	for _ in $(seq 50); do
		p=$((20000 + (RANDOM * 32768 + RANDOM) % 20000))
		(exec 3<>"/dev/tcp/127.0.0.1/$p") 2>/dev/null || { echo "$p"; return; }
	done
	die "no free port"
}

url() { echo "postgres://dossier@127.0.0.1:$(cat "$1/port")/postgres?sslmode=disable"; }

start() {
	local dir=$1 b
	b=$(bin) || true
	[ -n "$b" ] || { install_postgres; b=$(bin); }
	mkdir -p "$dir"
	dir=$(cd "$dir" && pwd)
	if [ -f "$dir/data/postmaster.pid" ] && as "$b/pg_ctl" -D "$dir/data" status >/dev/null 2>&1; then
		url "$dir"
		return
	fi
	if [ ! -f "$dir/data/PG_VERSION" ]; then
		if [ "$(id -u)" = 0 ]; then
			mkdir -p "$dir/data"
			chown -R "$(id postgres >/dev/null 2>&1 && echo postgres || echo nobody)" "$dir"
			chmod 711 "$dir"
		fi
		as "$b/initdb" -D "$dir/data" -U dossier -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"/tmp/initdb.$$.log" 2>&1 ||
			{ cat "/tmp/initdb.$$.log" >&2; rm -f "/tmp/initdb.$$.log"; die "initdb failed; is a folder above $dir closed to others?"; }
		rm -f "/tmp/initdb.$$.log"
	fi
	[ -f "$dir/port" ] || free_port >"$dir/port"
	as "$b/pg_ctl" -D "$dir/data" -w -t 30 -l "$dir/data/server.log" -o "-p $(cat "$dir/port") -k /tmp \
		-c listen_addresses=127.0.0.1 -c fsync=off -c synchronous_commit=off -c full_page_writes=off \
		-c max_connections=300 -c shared_buffers=128MB ${POSTGRES_ARGS:-}" start >/dev/null ||
		{ tail -20 "$dir/data/server.log" >&2; die "PostgreSQL did not start"; }
	url "$dir"
}

stop() {
	local b dir
	b=$(bin)
	dir=$(cd "$1" && pwd)
	as "$b/pg_ctl" -D "$dir/data" -m "$2" -w stop >/dev/null
}

case "${1:-}" in
start) [ -n "${2:-}" ] || die "usage: postgres.sh start DIR"; start "$2" ;;
stop) [ -n "${2:-}" ] || die "usage: postgres.sh stop DIR"; stop "$2" "${3:-fast}" ;;
*) die "usage: postgres.sh start|stop DIR" 2 ;;
esac
