#!/usr/bin/env bash
# nginx on loopback for benchmarks and tests. README.md lists its ports and routes.
#
#   nginx.sh start   installs nginx if it is missing (apt, as root), makes test certificates and files, starts the server
#   nginx.sh stop    stops the server that `start` started, and no other
#   nginx.sh env     prints the environment for tests: eval "$(Tests/Servers/nginx.sh env)"
#
# Everything it writes, with the pid file nginx.pid, is in FIREWHEEL_SERVERS_DIR, or .build/servers of the repository.
set -euo pipefail

# nginx and openssl live in sbin on some systems, which is not in every user's path.
PATH="$PATH:/usr/sbin:/sbin"

folder="$(dirname "${BASH_SOURCE[0]}")"
. "$folder/common.sh"
. "$folder/certificates.sh"
. "$folder/trust-certificates.sh"
. "$folder/nginx-configuration.sh"

readonly http_port=18080
readonly tls_port=18443
readonly unix_socket="$state/nginx.sock"
readonly unix_socket_tls="$state/nginx-tls.sock"
# The TLS servers: port, environment variable for tests, certificate, further directives.
readonly tls_servers=(
    "$tls_port FIREWHEEL_NGINX_TLS server"
    "18444 FIREWHEEL_NGINX_EXPIRED expired"
    "18445 FIREWHEEL_NGINX_SELF_SIGNED self-signed"
    "18446 FIREWHEEL_NGINX_WRONG_HOST wrong-host"
    "18447 FIREWHEEL_NGINX_UNKNOWN_AUTHORITY unknown-authority"
    "18448 FIREWHEEL_NGINX_NOT_YET_VALID not-yet-valid"
    "18449 FIREWHEEL_NGINX_CLIENT_CERTIFICATE server ssl_client_certificate $certificates/client-ca.pem; ssl_verify_client on;"
    "18450 FIREWHEEL_NGINX_TLS_HTTP1 server"
    "18451 FIREWHEEL_NGINX_FEW_STREAMS server http2_max_concurrent_streams 4;"
    "18453 FIREWHEEL_NGINX_TLS_NO_SESSIONS server ssl_session_tickets off; ssl_session_cache off;"
)
readonly without_http2=(18450 18453)

ports=("$http_port")
for server in "${tls_servers[@]}"; do ports+=("${server%% *}"); done
readonly first_trust_port=18460
for index in "${!trust_servers[@]}"; do ports+=($((first_trust_port + index))); done
readonly ports

readonly configuration="$state/nginx.conf"
readonly pid_file="$state/nginx.pid"
readonly connections_log="$state/files/connections.log"
readonly trust_log="$state/files/trust.log"
readonly mark="-c $configuration"

# A path may not contain what a configuration file cannot quote.
check_state() {
    case "$state" in
    *[[:space:]\"\'\\\;\{\}\$]*) die "cannot use the directory '$state': nginx's configuration cannot quote its name" ;;
    esac
    ((${#unix_socket_tls} <= 107)) || die "cannot use the directory '$state': the path of a Unix socket has at most 107 bytes"
}

install_nginx() {
    # A test compares it with Firewheel.
    command -v curl >/dev/null || install_packages curl
    command -v nginx >/dev/null && return
    install_packages nginx-light
    # The package starts a server on port 80 of all addresses, which is stopped; one that ran before is left alone.
    service nginx stop >&2 || true
}

make_files() {
    mkdir -p "$state/files" "$state/temporary"
    # Sparse: a gibibyte to read, nothing on disk.
    [[ -e "$state/files/big" ]] || truncate -s 1G "$state/files/big"
    # Numbered lines of 64 bytes, so that a misplaced piece is detected.
    keep file seq -f '%063.0f' 0 124
    keep lines seq -f '%063.0f' 0 131071
    keep objects.json objects
    # The users of protected locations.
    printf 'ann:{PLAIN}pass word\n' >"$state/users"
}

# keep FILE COMMAND...: writes what the command prints, unless the file has it already, so that its date and ETag stay.
keep() {
    local file="$state/files/$1"
    shift
    "$@" >"$file.new"
    if cmp -s "$file.new" "$file"; then rm "$file.new"; else mv "$file.new" "$file"; fi
}

# 100 objects in exactly 10,000 bytes: 98 bytes each, with as many commas and newlines between them, and the brackets.
objects() {
    local index active city separator='['
    for ((index = 0; index < 100; index++)); do
        if ((index % 2)); then active=true city=Oslo; else active=false city=Ulm; fi
        printf '%s{"id":%d,"name":"User %d","email":"u%d@mail.test","score":%d.25,"active":%s,"city":"%s"}' \
            "$separator" $((1000 + index)) $((1000 + index)) $((1000 + index)) $((10 + index % 90)) "$active" "$city"
        separator=$',\n'
    done
    printf ']'
}

launch() {
    require_free_ports "${ports[@]}"
    # An nginx that was killed leaves them, and they would be in its way.
    rm -f "$unix_socket" "$unix_socket_tls"
    # The usual soft limit of descriptors is less than worker_connections.
    ulimit -Sn "$(ulimit -Hn)" || true
    printf 'protocol, session\n' >"$connections_log"
    printf 'port, target\n' >"$trust_log"
    nginx -p "$state" -c "$configuration" || die "nginx did not start"
    await_answers 5 "$state/error.log" "${ports[@]}"
    say "started, pid $(running_pid "$pid_file" "$mark")"
}

start() {
    check_state
    install_nginx
    # Private keys are written below.
    umask 077
    mkdir -p "$state"
    local fresh_certificates pid
    make_certificates
    make_files

    write_configuration >"$configuration.new"
    nginx -t -q -p "$state" -c "$configuration.new" || die "nginx refuses the configuration $configuration.new"
    if pid="$(running_pid "$pid_file" "$mark")"; then
        if [[ "$fresh_certificates" == false ]] && cmp -s "$configuration.new" "$configuration"; then
            rm "$configuration.new"
            say "already running, pid $pid"
            return
        fi
        say "running with an older configuration or certificates, pid $pid: starting anew"
        stop_process "$pid_file" "$mark"
    fi
    mv "$configuration.new" "$configuration"
    launch
}

environment() {
    local server port variable
    printf 'export FIREWHEEL_NGINX_HTTP=%q\n' "http://127.0.0.1:$http_port"
    for server in "${tls_servers[@]}"; do
        read -r port variable _ <<<"$server"
        printf 'export %s=%q\n' "$variable" "https://localhost:$port"
    done
    printf 'export FIREWHEEL_NGINX_UNIX=%q\n' "$unix_socket"
    printf 'export FIREWHEEL_NGINX_UNIX_TLS=%q\n' "$unix_socket_tls"
    printf 'export FIREWHEEL_NGINX_TRUST=%q\n' "https://localhost:$first_trust_port"
    printf 'export FIREWHEEL_TRUST_CERTIFICATES=%q\n' "$certificates"
    printf 'export FIREWHEEL_TRUST_LOG=%q\n' "$trust_log"
    printf 'export FIREWHEEL_TEST_CA=%q\n' "$certificates/ca.pem"
    printf 'export FIREWHEEL_CLIENT_CERTIFICATE=%q\n' "$certificates/client.pem"
    printf 'export FIREWHEEL_CLIENT_KEY=%q\n' "$certificates/client.key"
}

case "${1:-}" in
start) start ;;
stop) stop_process "$pid_file" "$mark" ;;
env) environment ;;
*)
    printf 'usage: %s start|stop|env\n' "$0" >&2
    exit 2
    ;;
esac
