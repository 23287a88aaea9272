#!/usr/bin/env bash
# Proxies on loopback: Squid, tinyproxy and Dante. README.md lists their ports and users. Squid's certificate is made by nginx.sh.
#
#   proxies.sh start   installs what is missing (apt, as root), starts the proxies
#   proxies.sh stop    stops the proxies that `start` started, and no others
#   proxies.sh env     prints the environment for tests: eval "$(Tests/Servers/proxies.sh env)"
#
# Everything it writes is in FIREWHEEL_SERVERS_DIR, or .build/servers of the repository.
set -euo pipefail

# The proxies live in sbin, which is not in every user's path.
PATH="$PATH:/usr/sbin:/sbin"

folder="$(dirname "${BASH_SOURCE[0]}")"
. "$folder/common.sh"
. "$folder/certificates.sh"

readonly proxies="$state/proxies"
readonly logs="$proxies/logs"
readonly helpers=/usr/lib/squid
. "$folder/proxies-configuration.sh"

# A process each: its name, and its ports.
readonly servers=(
    "squid 18480 18481 18483 18484"
    "squid-digest 18482"
    "tinyproxy 18485"
    "tinyproxy-basic 18486"
    "dante 18487"
    "dante-password 18488"
)

pid_file() { printf '%s' "$proxies/$1.pid"; }
mark() { printf '%s' "$proxies/$1.conf"; }
pid_of() { running_pid "$(pid_file "$1")" "$(mark "$1")"; }

has_nss_wrapper() { compgen -G '/usr/lib/*/libnss_wrapper.so' >/dev/null; }

install_proxies() {
    local missing=()
    command -v squid >/dev/null || missing+=(squid-openssl)
    command -v tinyproxy >/dev/null || missing+=(tinyproxy-bin)
    command -v danted >/dev/null || missing+=(dante-server)
    has_nss_wrapper || missing+=(libnss-wrapper)
    ((${#missing[@]})) || return 0
    install_packages "${missing[@]}"
    # The packages start servers on all addresses, which are stopped; ones that ran before are left alone. Squid waits half a minute for
    # its clients unless it is interrupted.
    if [[ " ${missing[*]} " == *" squid-openssl "* ]]; then squid -k interrupt 2>/dev/null || service squid stop >&2 || true; fi
    if [[ " ${missing[*]} " == *" dante-server "* ]]; then service danted stop >&2 || true; fi
}

# launch NAME: starts that proxy in the background.
launch() {
    local name="$1" configuration pid_file errors="$proxies/$1-errors.log" as_nobody=()
    configuration="$(mark "$name")"
    pid_file="$(pid_file "$name")"
    # Squid does not start if any process has the pid of a file that was left behind.
    rm -f "$pid_file" "$logs/$name.log" "$errors"
    case "$name" in
    squid*)
        # It does not start after a crash either unless its shared memory is removed.
        local service="firewheel${name//-/}"
        rm -f "/dev/shm/$service"-*.shm
        # It refuses to run as root, but the user it runs as has to get at the files of the state directory.
        ! is_root || as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=+dac_override --ambient-caps=+dac_override --)
        setsid "${as_nobody[@]}" squid -N -n "$service" -f "$configuration" </dev/null >"$errors" 2>&1 &
        ;;
    tinyproxy*) tinyproxy -c "$configuration" >"$errors" 2>&1 || die "$name did not start; see $errors" ;;
    dante) danted -D -f "$configuration" -p "$pid_file" >"$errors" 2>&1 || die "$name did not start; see $errors" ;;
    dante-password)
        LD_PRELOAD=libnss_wrapper.so NSS_WRAPPER_PASSWD="$proxies/passwd" NSS_WRAPPER_SHADOW="$proxies/shadow" \
            NSS_WRAPPER_GROUP="$proxies/group" danted -D -f "$configuration" -p "$pid_file" >"$errors" 2>&1 \
            || die "$name did not start; see $errors"
        ;;
    esac
}

# prepare NAME PORT...: writes the configuration; returns 1 if the proxy already runs with it. One with an older configuration is stopped.
prepare() {
    local name="$1" configuration pid
    shift
    configuration="$(mark "$name")"
    write_configuration "$name" >"$configuration.new"
    if pid="$(pid_of "$name")"; then
        if cmp -s "$configuration.new" "$configuration"; then
            rm "$configuration.new"
            say "$name is already running, pid $pid"
            return 1
        fi
        say "$name is running with an older configuration, pid $pid: starting anew"
        stop_process "$(pid_file "$name")" "$configuration"
    fi
    mv "$configuration.new" "$configuration"
    require_free_ports "$@"
}

start() {
    install_proxies
    [[ -r "$certificates/server.key" ]] || die "no certificate yet: nginx.sh start"
    umask 077
    mkdir -p "$logs"
    write_users
    local server name ports started=()
    for server in "${servers[@]}"; do
        read -r name ports <<<"$server"
        # shellcheck disable=SC2086
        if prepare "$name" $ports; then
            launch "$name"
            started+=("$server")
        fi
    done
    for server in "${started[@]}"; do
        read -r name ports <<<"$server"
        # shellcheck disable=SC2086
        await_answers 20 "$proxies/$name-errors.log and $logs/$name.log" $ports
        say "started $name, pid $(pid_of "$name")"
    done
}

# All at once, because Squid takes a second.
stop() {
    local server name stopping=() process status=0
    for server in "${servers[@]}"; do
        name="${server%% *}"
        pid_of "$name" >/dev/null || continue
        stop_process "$(pid_file "$name")" "$(mark "$name")" &
        stopping+=("$!")
    done
    ((${#stopping[@]})) || say "not running"
    for process in "${stopping[@]}"; do wait "$process" || status=1; done
    exit "$status"
}

environment() {
    printf 'export FIREWHEEL_SQUID=%q\n' http://127.0.0.1:18480
    printf 'export FIREWHEEL_SQUID_BASIC=%q\n' http://127.0.0.1:18481
    printf 'export FIREWHEEL_SQUID_DIGEST=%q\n' http://127.0.0.1:18482
    printf 'export FIREWHEEL_SQUID_TLS=%q\n' https://localhost:18483
    printf 'export FIREWHEEL_SQUID_TLS_BASIC=%q\n' https://localhost:18484
    printf 'export FIREWHEEL_TINYPROXY=%q\n' http://127.0.0.1:18485
    printf 'export FIREWHEEL_TINYPROXY_BASIC=%q\n' http://127.0.0.1:18486
    printf 'export FIREWHEEL_DANTE=%q\n' socks5://127.0.0.1:18487
    printf 'export FIREWHEEL_DANTE_PASSWORD=%q\n' socks5://127.0.0.1:18488
    printf 'export FIREWHEEL_PROXY_LOGS=%q\n' "$logs"
}

case "${1:-}" in
start) start ;;
stop) stop ;;
env) environment ;;
*)
    printf 'usage: %s start|stop|env\n' "$0" >&2
    exit 2
    ;;
esac
