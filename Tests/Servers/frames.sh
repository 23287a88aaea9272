#!/usr/bin/env bash
# An HTTP/2 server on loopback that violates the protocol as instructed (frames.py). Its certificate is made by nginx.sh.
#
#   frames.sh start   starts the server
#   frames.sh stop    stops the server that `start` started, and no other
#   frames.sh env     prints the environment for tests: eval "$(Tests/Servers/frames.sh env)"
#
# Everything it writes is in FIREWHEEL_SERVERS_DIR, or .build/servers of the repository.
set -euo pipefail

folder="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
. "$folder/common.sh"
. "$folder/certificates.sh"

readonly frames_port=18452
readonly pid_file="$state/frames.pid"
readonly frames_log="$state/frames.log"
readonly mark="$pid_file"

start() {
    local pid
    [[ -r "$certificates/server.key" ]] || die "no certificate yet: nginx.sh start"
    if pid="$(running_pid "$pid_file" "$mark")"; then
        say "already running, pid $pid"
        return
    fi
    command -v python3 >/dev/null || install_packages python3
    require_free_ports "$frames_port"
    setsid python3 "$folder/frames.py" "$frames_port" "$certificates/server.pem" "$certificates/server.key" "$pid_file" \
        </dev/null >"$frames_log" 2>&1 &
    await_answers 20 "$frames_log" "$frames_port"
    say "started, pid $(running_pid "$pid_file" "$mark")"
}

case "${1:-}" in
start) start ;;
stop) stop_process "$pid_file" "$mark" ;;
env) printf 'export FIREWHEEL_FRAMES=%q\n' "https://localhost:$frames_port" ;;
*)
    printf 'usage: %s start|stop|env\n' "$0" >&2
    exit 2
    ;;
esac
