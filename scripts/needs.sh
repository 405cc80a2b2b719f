# Sourced by the other scripts: makes sure that a program is there, installing it
# from Debian's packages where that is possible. What is missing is said plainly; in
# CI it is a failure.

# need PROGRAM PACKAGE...: true if PROGRAM can be found, after installing PACKAGE if not.
need() {
  local program=$1
  shift
  if have "$program"; then return 0; fi
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing $* for $program"
    [ -n "${APT_UPDATED:-}" ] || { apt-get update -qq && APT_UPDATED=1; }
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null
  fi
  have "$program" && return 0
  skip "$program is not here; install $*"
  return 1
}

# have PROGRAM: PostgreSQL's server programs are not on the path on Debian.
have() {
  command -v "$1" >/dev/null || ls /usr/lib/postgresql/*/bin/"$1" >/dev/null 2>&1
}

# skip WHY: says what is not done; in CI nothing may be left out.
skip() {
  if [ "${CI:-}" = true ]; then
    echo "FAILED: $1" >&2
    exit 1
  fi
  echo "SKIPPED: $1" >&2
}
