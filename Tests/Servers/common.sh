# What the scripts of this folder share: where they keep things, and how a server of theirs is found, awaited and ended. To be sourced.
# shellcheck shell=bash

repository="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
state="${FIREWHEEL_SERVERS_DIR:-$repository/.build/servers}"
# A server resolves relative paths against a directory of its own, so the one that its configuration names has to be absolute.
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

# install_packages NAME...: with Debian's package manager, whose lists may be missing or stale.
install_packages() {
    command -v apt-get >/dev/null || die "there is no apt-get here to install $* with"
    is_root || die "only root can install what is missing: apt-get install $*"
    say "installing $*"
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -y -q "$@" >&2 || { apt-get update -q >&2 && apt-get install -y -q "$@" >&2; } || die "could not install $*"
}

# running_pid PID_FILE MARK: prints the pid in the file if that process runs and its command line holds the mark. The command line is
# compared because a pid that outlived a crash may belong to someone else's process by now.
running_pid() {
    local pid
    [[ -r "$1" ]] || return 1
    pid="$(<"$1")"
    [[ "$pid" =~ ^[0-9]+$ && -r "/proc/$pid/cmdline" ]] || return 1
    tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF -- "$2" || return 1
    printf '%s\n' "$pid"
}

# stop_process PID_FILE MARK: ends that process, and no other.
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

# True once the port takes connections. Bash's own /dev/tcp, so that no client has to be installed.
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
