# nginx's configuration. To be sourced by nginx.sh.
# shellcheck shell=bash

write_configuration() {
    local user='' server port certificate extra
    # Started by root, the worker would run as nobody, who may not have access to the state directory.
    ! is_root || user="user $(id -un) $(id -gn);"
    has_ipv6_loopback || say "no IPv6 loopback here: listening on 127.0.0.1 only"

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
    client_max_body_size 0;
    default_type text/plain;
    ssl_protocols TLSv1.2 TLSv1.3;

    # The first request of a connection is a line in connections.log.
    map \$connection_requests \$is_new_connection {
        default 0;
        1 1;
    }
    log_format connection '\$server_protocol \$ssl_session_reused';
    log_format trust '\$server_port \$request_uri';

    # Paths that every user may write to.
    client_body_temp_path $state/temporary/body;
    proxy_temp_path $state/temporary/proxy;
    fastcgi_temp_path $state/temporary/fastcgi;
    uwsgi_temp_path $state/temporary/uwsgi;
    scgi_temp_path $state/temporary/scgi;

END
    write_server "$http_port" '' "listen unix:$unix_socket;"
    for server in "${tls_servers[@]}"; do
        read -r port _ certificate extra <<<"$server"
        # `listen … http2` rather than `http2 on`, which Debian's nginx does not support; newer versions warn about it.
        local protocols='ssl http2'
        [[ " ${without_http2[*]} " != *" $port "* ]] || protocols=ssl
        [[ "$port" != "$tls_port" ]] || extra="listen unix:$unix_socket_tls ssl http2; $extra"
        write_server "$port" "$protocols" \
            "access_log $connections_log connection if=\$is_new_connection;" \
            "ssl_certificate $certificates/$certificate.pem; ssl_certificate_key $certificates/$certificate.key; $extra"
    done
    local index
    for index in "${!trust_servers[@]}"; do
        read -r certificate extra <<<"${trust_servers[index]}"
        write_server $((first_trust_port + index)) 'ssl http2' "access_log $trust_log trust;" \
            "ssl_certificate $certificates/trust-$certificate.pem; ssl_certificate_key $certificates/trust-$certificate.key; $extra"
    done
    printf '}\n'
}

# Loopback may have no IPv6 (containers, hosted CI), and nginx would then not start.
has_ipv6_loopback() { grep -q '^00000000000000000000000000000001 ' /proc/net/if_inet6 2>/dev/null; }

# write_server PORT PROTOCOLS DIRECTIVES...
write_server() {
    printf '    server {\n        server_name localhost;\n        listen 127.0.0.1:%s %s;\n' "$1" "$2"
    ! has_ipv6_loopback || printf '        listen [::1]:%s %s;\n' "$1" "$2"
    printf '        %s\n' "${@:3}"
    write_routes
    printf '    }\n'
}

write_routes() {
    local text status
    text="$(printf 'Firewheel moves bytes. %.0s' {1..64})"
    cat <<END
        root $state/files;

        # 27 bytes, for the benchmarks.
        location = / {
            default_type application/json;
            return 200 '{"message":"Hello, World!"}';
        }
        # 8,000 bytes, 8 MiB, 1 GiB of zeros: files, with ranges, ETag and Last-Modified.
        location = /file {}
        location = /lines {}
        location = /big {
            default_type application/octet-stream;
        }
        location = /connections.log {}
        location = /objects.json {
            default_type application/json;
        }
        location = /gzip {
            gzip on;
            gzip_min_length 16;
            gzip_types text/plain;
            return 200 '$text';
        }
        location = /gzip/lines {
            gzip on;
            gzip_types text/plain;
            alias $state/files/lines;
        }
        # A part of the file at once, the rest within two seconds.
        location = /slow {
            limit_rate 4000;
            alias $state/files/file;
        }
        location = /slow/lines {
            limit_rate 4m;
            alias $state/files/lines;
        }
        # Half of the file, and then the end of the connection or HTTP/2 stream, because the upstream is too slow.
        location = /broken/lines {
            proxy_pass http://127.0.0.1:$http_port/stalled/lines;
            proxy_read_timeout 3s;
        }
        # The same without a length.
        location = /broken/unmeasured {
            proxy_pass http://127.0.0.1:$http_port/stalled/lines;
            proxy_read_timeout 3s;
            sub_filter_types *;
            sub_filter none nothing;
        }
        location = /stalled/lines {
            limit_rate_after 4m;
            limit_rate 1;
            alias $state/files/lines;
        }
        location = /echo-method {
            return 200 "\$request_method";
        }
        # Method, length and type of the body. nginx is its own upstream, so that the body is read to its end and counted.
        location = /echo-body {
            proxy_pass http://127.0.0.1:$http_port/count-body;
        }
        location = /count-body {
            return 200 "\$request_method \$http_content_length \$content_type";
        }
        # The same, and a file, protected by a password.
        location = /private/echo-body {
            auth_basic "a private place";
            auth_basic_user_file $state/users;
            proxy_pass http://127.0.0.1:$http_port/count-body;
        }
        # A server of a test, whose port is in the query; passed on as it comes. The same protected by a password.
        location = /proxied {
            proxy_pass http://127.0.0.1:\$arg_port/;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_buffering off;
        }
        location = /private/proxied {
            auth_basic "a private place";
            auth_basic_user_file $state/users;
            proxy_pass http://127.0.0.1:\$arg_port/;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_buffering off;
        }
        location /private/ {
            auth_basic "a private place";
            auth_basic_user_file $state/users;
            alias $state/files/;
        }
        # Closes the connection or HTTP/2 stream without a response.
        location = /close {
            return 444;
        }
END
    for status in 200 201 202 204 400 401 403 404 405 409 410 429 500 502 503; do
        printf '        location = /status/%s {\n            return %s;\n        }\n' "$status" "$status"
    done
    for status in 301 302 303 307 308; do
        cat <<END
        location = /redirect/$status {
            absolute_redirect off;
            return $status /echo-body;
        }
        location = /redirect/absolute/$status {
            return $status \$scheme://\$http_host/echo-body;
        }
END
    done
    cat <<END
        location / {
            return 404;
        }
END
}
