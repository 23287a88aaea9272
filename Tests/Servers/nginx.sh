#!/usr/bin/env bash
# An nginx on loopback for benchmarks and tests against a real server.
#
#   nginx.sh start   installs nginx if it is missing (apt, as root), makes a test CA and a server certificate, starts the server
#   nginx.sh stop    stops the server that `start` started, and no other
#   nginx.sh env     prints what tests need to find it: eval "$(Tests/Servers/nginx.sh env)"
#
# Everything it writes, the pid file nginx.pid too, is in FIREWHEEL_SERVERS_DIR, or .build/servers of the repository.
set -euo pipefail

# nginx and openssl live in sbin on some systems, which is not in every user's path.
PATH="$PATH:/usr/sbin:/sbin"

readonly http_port=18080
readonly tls_port=18443

repository="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
state="${FIREWHEEL_SERVERS_DIR:-$repository/.build/servers}"
# nginx resolves relative paths against its prefix, so the state directory has to be absolute before it goes into the configuration.
case "$state" in
/*) ;;
*) state="$PWD/$state" ;;
esac
readonly repository state
readonly certificates="$state/certificates"
readonly configuration="$state/nginx.conf"
readonly pid_file="$state/nginx.pid"

say() { printf 'nginx.sh: %s\n' "$*" >&2; }

die() {
    say "$@"
    exit 1
}

# What a configuration file cannot quote, a path may not contain.
check_state() {
    case "$state" in
    *[[:space:]\"\'\\\;\{\}\$]*) die "cannot use the directory '$state': nginx's configuration cannot quote its name" ;;
    esac
}

# Prints the master's pid if the server of this state directory is running. The command line is compared because a pid that
# outlived a crash may belong to someone else's process by now.
running_pid() {
    local pid
    [[ -r "$pid_file" ]] || return 1
    pid="$(<"$pid_file")"
    [[ "$pid" =~ ^[0-9]+$ && -r "/proc/$pid/cmdline" ]] || return 1
    tr '\0' ' ' <"/proc/$pid/cmdline" | grep -qF -- "-c $configuration" || return 1
    printf '%s\n' "$pid"
}

install_nginx() {
    command -v nginx >/dev/null && return
    command -v apt-get >/dev/null || die "nginx is not installed, and there is no apt-get to install it with"
    [[ "$(id -u)" == 0 ]] || die "nginx is not installed, and only root can install it: apt-get install nginx-light"
    say "installing nginx-light"
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -y -q nginx-light >&2 || { apt-get update -q >&2 && apt-get install -y -q nginx-light >&2; } \
        || die "could not install nginx-light"
    # The package starts a server on port 80 of all addresses. Nobody asked for that one; one that was there before is left alone.
    service nginx stop >&2 || true
}

# Loopback may have no IPv6 (containers, hosted CI); nginx would then refuse to start at all.
has_ipv6_loopback() { grep -q '^00000000000000000000000000000001 ' /proc/net/if_inet6 2>/dev/null; }

# Sets fresh_certificates if it has made new ones.
make_certificates() {
    if [[ -s "$certificates/ca.pem" && -s "$certificates/server.pem" && -s "$certificates/server.key" ]] \
        && openssl x509 -checkend 86400 -noout -in "$certificates/server.pem" >/dev/null \
        && openssl verify -CAfile "$certificates/ca.pem" "$certificates/server.pem" >/dev/null 2>&1; then
        return
    fi
    command -v openssl >/dev/null || die "openssl is needed to make the test certificates"
    local work
    work="$(mktemp -d "$state/certificates.XXXXXX")"
    if ! make_certificates_in "$work" >"$work/openssl.log" 2>&1; then
        cat "$work/openssl.log" >&2
        rm -rf "$work"
        die "could not make the test certificates"
    fi
    rm -rf "$certificates"
    mv "$work" "$certificates"
    fresh_certificates=true
}

# Every command is chained, because `set -e` does not hold in a function that is called as a condition.
make_certificates_in() {
    local directory="$1"
    cat >"$directory/ca.cnf" <<-END
	[req]
	prompt = no
	distinguished_name = name
	x509_extensions = extensions
	[name]
	CN = Firewheel Test CA
	[extensions]
	basicConstraints = critical, CA:TRUE, pathlen:0
	keyUsage = critical, keyCertSign, cRLSign
	subjectKeyIdentifier = hash
	END
    cat >"$directory/server.cnf" <<-END
	basicConstraints = critical, CA:FALSE
	keyUsage = critical, digitalSignature
	extendedKeyUsage = serverAuth
	subjectKeyIdentifier = hash
	authorityKeyIdentifier = keyid
	subjectAltName = DNS:localhost, IP:127.0.0.1, IP:::1
	END
    openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$directory/ca.key" \
        && openssl req -x509 -new -sha256 -days 3650 -config "$directory/ca.cnf" -key "$directory/ca.key" -out "$directory/ca.pem" \
        && openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$directory/server.key" \
        && openssl req -new -sha256 -config "$directory/ca.cnf" -subj /CN=localhost \
            -key "$directory/server.key" -out "$directory/server.csr" \
        && openssl x509 -req -sha256 -days 397 -in "$directory/server.csr" -extfile "$directory/server.cnf" \
            -CA "$directory/ca.pem" -CAkey "$directory/ca.key" -set_serial "0x$(openssl rand -hex 8)" -out "$directory/server.pem" \
        && openssl verify -x509_strict -CAfile "$directory/ca.pem" "$directory/server.pem"
}

make_files() {
    mkdir -p "$state/files"
    # Sparse: a gibibyte to read, nothing on disk.
    [[ -e "$state/files/big" ]] || truncate -s 1G "$state/files/big"
}

write_configuration() {
    local user='' http6='' tls6='' text
    # Started by root, the worker would run as nobody, who may not be allowed into the state directory.
    [[ "$(id -u)" != 0 ]] || user="user $(id -un) $(id -gn);"
    if has_ipv6_loopback; then
        http6="listen [::1]:$http_port;"
        tls6="listen [::1]:$tls_port ssl http2;"
    else
        say "no IPv6 loopback here: listening on 127.0.0.1 only"
    fi
    text="$(printf 'Firewheel moves bytes. %.0s' {1..64})"

    # `listen … http2` rather than `http2 on`, which Debian's nginx does not know; newer ones take it with a warning.
    cat <<END
# Written by Tests/Servers/nginx.sh at each start.
$user
worker_processes 1;
pid $pid_file;
error_log $state/error.log warn;

events {
    worker_connections 8192;
}

http {
    access_log off;
    server_tokens off;
    sendfile on;
    tcp_nopush on;
    keepalive_timeout 60s;
    keepalive_requests 1000000;
    http2_max_concurrent_streams 128;

    # Paths that every user may write to.
    client_body_temp_path $state/temporary/body;
    proxy_temp_path $state/temporary/proxy;
    fastcgi_temp_path $state/temporary/fastcgi;
    uwsgi_temp_path $state/temporary/uwsgi;
    scgi_temp_path $state/temporary/scgi;

    server {
        listen 127.0.0.1:$http_port;
        $http6
        listen 127.0.0.1:$tls_port ssl http2;
        $tls6
        server_name localhost;
        ssl_certificate $certificates/server.pem;
        ssl_certificate_key $certificates/server.key;
        ssl_protocols TLSv1.2 TLSv1.3;

        # 27 bytes: what the benchmarks fetch.
        location = / {
            default_type application/json;
            return 200 '{"message":"Hello, World!"}';
        }
        location = /gzip {
            default_type text/plain;
            gzip on;
            gzip_min_length 16;
            gzip_types text/plain;
            return 200 '$text';
        }
        # 1 GiB of zeros, with ranges.
        location = /big {
            default_type application/octet-stream;
            root $state/files;
        }
        location = /echo-method {
            default_type text/plain;
            return 200 "\$request_method";
        }
        location / {
            return 404;
        }
    }
}
END
}

# True once the port takes connections. Bash's own /dev/tcp, so that no client has to be installed.
answers() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

await_answer() {
    local port="$1" try
    for ((try = 0; try < 100; try++)); do
        answers "$port" && return
        sleep 0.05
    done
    die "port $port does not answer after 5 seconds; see $state/error.log"
}

start() {
    check_state
    install_nginx
    # Private keys are written below.
    umask 077
    mkdir -p "$state/temporary"
    local fresh_certificates=false
    make_certificates
    make_files

    write_configuration >"$configuration.new"
    nginx -t -q -p "$state" -c "$configuration.new" || die "nginx refuses the configuration $configuration.new"

    local pid
    if pid="$(running_pid)"; then
        if [[ "$fresh_certificates" == false ]] && cmp -s "$configuration.new" "$configuration"; then
            rm "$configuration.new"
            say "already running, pid $pid"
        else
            mv "$configuration.new" "$configuration"
            kill -HUP "$pid"
            say "running with an older configuration or certificate, pid $pid: reloaded"
        fi
    else
        mv "$configuration.new" "$configuration"
        if answers "$http_port" || answers "$tls_port"; then
            die "port $http_port or $tls_port is in use by another program (a server of another FIREWHEEL_SERVERS_DIR?)"
        fi
        # As many descriptors as allowed: the usual soft limit of 1,024 is less than worker_connections.
        ulimit -Sn "$(ulimit -Hn)" || true
        nginx -p "$state" -c "$configuration" || die "nginx did not start"
        await_answer "$http_port"
        await_answer "$tls_port"
        say "started, pid $(running_pid)"
    fi
}

stop() {
    local pid try
    if ! pid="$(running_pid)"; then
        say "not running"
        return
    fi
    kill -TERM "$pid"
    for ((try = 0; try < 100; try++)); do
        running_pid >/dev/null || return 0
        sleep 0.05
    done
    die "pid $pid still runs 5 seconds after SIGTERM"
}

environment() {
    printf 'export FIREWHEEL_NGINX_HTTP=%q\n' "http://127.0.0.1:$http_port"
    printf 'export FIREWHEEL_NGINX_TLS=%q\n' "https://localhost:$tls_port"
    printf 'export FIREWHEEL_TEST_CA=%q\n' "$certificates/ca.pem"
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
