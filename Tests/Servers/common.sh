# Shared by the scripts of this folder: where they keep files, and how a server is found, awaited and stopped. To be sourced.
# shellcheck shell=bash

repository="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
state="${FIREWHEEL_SERVERS_DIR:-$repository/.build/servers}"
# A server resolves relative paths against its own directory, so the configured path has to be absolute.
case "$state" in
/*) ;;
*) state="$PWD/$state" ;;
esac
readonly repository state

say() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; }

die() {
    say "$@"
    exit 1
}

is_root() { [[ "$(id -u)" == 0 ]]; }

# install_packages NAME...: with Debian's package manager, updating its lists if needed.
install_packages() {
    command -v apt-get >/dev/null || die "there is no apt-get here to install $* with"
    is_root || die "only root can install what is missing: apt-get install $*"
    say "installing $*"
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -y -q "$@" >&2 || { apt-get update -q >&2 && apt-get install -y -q "$@" >&2; } || die "could not install $*"
}

# running_pid PID_FILE MARK: prints the pid in the file if that process runs and its command line contains the mark. After a crash the pid
# may belong to another process.
running_pid() {
    local pid
    [[ -r "$1" ]] || return 1
    pid="$(<"$1")"
    [[ "$pid" =~ ^[0-9]+$ && -r "/proc/$pid/cmdline" ]] || return 1
    tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -qF -- "$2" || return 1
    printf '%s\n' "$pid"
}

# stop_process PID_FILE MARK: stops that process, and no other.
stop_process() {
    local pid try
    if ! pid="$(running_pid "$1" "$2")"; then
        say "not running"
        return
    fi
    kill -TERM "$pid"
    for ((try = 0; try < 100; try++)); do
        running_pid "$1" "$2" >/dev/null || return 0
        sleep 0.05
    done
    die "pid $pid still runs 5 seconds after SIGTERM"
}

# True once the port accepts connections. Uses Bash's own /dev/tcp, which needs no client.
answers() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# require_free_ports PORT...
require_free_ports() {
    local port
    for port in "$@"; do
        if answers "$port"; then
            die "port $port is in use by another program (a server of another FIREWHEEL_SERVERS_DIR?)"
        fi
    done
}

# await_answers SECONDS LOG PORT...
await_answers() {
    local seconds="$1" log="$2" deadline port
    shift 2
    deadline=$((SECONDS + seconds))
    for port in "$@"; do
        until answers "$port"; do
            ((SECONDS < deadline)) || die "port $port does not answer after $seconds seconds; see $log"
            sleep 0.05
        done
    done
}
