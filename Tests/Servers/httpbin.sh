#!/usr/bin/env bash
# httpbin (PyPI) on loopback: an independent server that reports what it has received.
#
#   httpbin.sh start   makes a Python environment with httpbin and gunicorn (httpbin-requirements.txt), starts the server
#   httpbin.sh stop    stops the server that `start` started, and no other
#   httpbin.sh env     prints the environment for tests: eval "$(Tests/Servers/httpbin.sh env)"
#
# Everything it writes is in FIREWHEEL_SERVERS_DIR, or .build/servers of the repository.
set -euo pipefail

folder="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
. "$folder/common.sh"

readonly httpbin_port=18081
readonly python="$state/httpbin/bin/python"
readonly pid_file="$state/httpbin.pid"
readonly httpbin_log="$state/httpbin.log"
readonly mark="--pid $pid_file"

# The list of installed packages is written last, so that an incomplete environment is made anew.
make_environment() {
    local installed="$state/httpbin/installed.txt"
    if cmp -s "$folder/httpbin-requirements.txt" "$installed" && "$python" -c 'import httpbin, gunicorn' 2>/dev/null; then return; fi
    say "installing httpbin"
    rm -rf "$state/httpbin"
    # Debian packages venv separately; with that package, its own Python has venv even if another python3 in the path does not.
    if ! python3 -m venv "$state/httpbin" >"$httpbin_log" 2>&1; then
        rm -rf "$state/httpbin"
        install_packages python3-venv
        /usr/bin/python3 -m venv "$state/httpbin" >"$httpbin_log" 2>&1 || die "could not make a Python environment; see $httpbin_log"
    fi
    "$python" -m pip install --quiet --disable-pip-version-check --no-input -r "$folder/httpbin-requirements.txt" >>"$httpbin_log" 2>&1 \
        || die "could not install httpbin; see $httpbin_log"
    cp "$folder/httpbin-requirements.txt" "$installed"
}

start() {
    local pid
    umask 077
    mkdir -p "$state"
    if pid="$(running_pid "$pid_file" "$mark")"; then
        say "already running, pid $pid"
        return
    fi
    make_environment
    require_free_ports "$httpbin_port"
    # Threads, because waiting routes (delay, drip) occupy one each.
    "$python" -m gunicorn --daemon --pid "$pid_file" --chdir "$state" --error-logfile "$httpbin_log" --no-control-socket \
        --bind "127.0.0.1:$httpbin_port" --worker-class gthread --threads 32 --keep-alive 60 --graceful-timeout 2 httpbin:app \
        || die "httpbin did not start"
    await_answers 20 "$httpbin_log" "$httpbin_port"
    say "started, pid $(running_pid "$pid_file" "$mark")"
}

case "${1:-}" in
start) start ;;
stop) stop_process "$pid_file" "$mark" ;;
env) printf 'export FIREWHEEL_HTTPBIN=%q\n' "http://127.0.0.1:$httpbin_port" ;;
*)
    printf 'usage: %s start|stop|env\n' "$0" >&2
    exit 2
    ;;
esac
