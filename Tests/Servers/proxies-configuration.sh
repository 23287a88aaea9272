# The configurations of the proxies, and the files of their users. To be sourced by proxies.sh.
# shellcheck shell=bash

# The user of every proxy that requires one. The password has what clients encode in different ways: a colon, a space, a letter beyond
# ASCII (in UTF-8), and an at sign. tinyproxy's configuration cannot express it.
readonly user=ada
readonly password='p:a ß@s'
readonly plain_password=plain-password
readonly digest_realm='Firewheel Digest'

# Hashes with a salt that stays, so that the files change only if the password does.
write_users() {
    local hash
    hash="$(printf '%s' "$password" | openssl passwd -6 -salt firewheel -stdin)" || die "could not hash the password"
    printf '%s:%s\n' "$user" "$hash" >"$proxies/users"
    printf '%s:%s:%s\n' "$user" "$digest_realm" "$(printf '%s' "$user:$digest_realm:$password" | md5sum | cut -d ' ' -f 1)" \
        >"$proxies/digest-users"
    # Dante knows the system's users only. With nss_wrapper these files are the system's.
    printf '%s:x:65534:65534::/:/bin/false\n' "$user" >"$proxies/passwd"
    printf 'root:x:0:0::/:/bin/false\n' >>"$proxies/passwd"
    printf '%s:%s:19000:0:99999:7:::\n' "$user" "$hash" >"$proxies/shadow"
    printf 'root:x:0:\nnogroup:x:65534:\n' >"$proxies/group"
}

write_squid() {
    cat <<END
# Written by Tests/Servers/proxies.sh at each start.
http_port 127.0.0.1:18480
http_port 127.0.0.1:18481
https_port 127.0.0.1:18483 tls-cert=$certificates/server.pem tls-key=$certificates/server.key
https_port 127.0.0.1:18484 tls-cert=$certificates/server.pem tls-key=$certificates/server.key
# Another certificate makes another configuration: $(cksum <"$certificates/server.pem")

auth_param basic program $helpers/basic_ncsa_auth $proxies/users
auth_param basic realm Firewheel Basic
auth_param basic children 2 startup=1 idle=1
acl open localport 18480 18483
acl known proxy_auth REQUIRED
http_access allow open
http_access allow known
http_access deny all
END
    write_squid_rest squid
}

# A process of its own, because Squid offers all of its schemes on all of its ports.
write_squid_digest() {
    cat <<END
# Written by Tests/Servers/proxies.sh at each start.
http_port 127.0.0.1:18482

auth_param digest program $helpers/digest_file_auth -c $proxies/digest-users
auth_param digest realm $digest_realm
auth_param digest children 2 startup=1 idle=1
acl known proxy_auth REQUIRED
http_access allow known
http_access deny all
END
    write_squid_rest squid-digest
}

# write_squid_rest NAME. Every destination is allowed, loopback above all, and CONNECT to every port.
write_squid_rest() {
    cat <<END

visible_hostname $1.test
forwarded_for delete
cache deny all
memory_cache_shared off
sslproxy_session_cache_size 0
netdb_filename none
pinger_enable off
max_filedescriptors 4096
shutdown_lifetime 0 seconds
coredump_dir none
pid_filename $proxies/$1.pid
cache_log $proxies/$1-errors.log
# Port, method, URL, status and user. The line of a tunnel is written at its end.
logformat requests %>lp %>rm %'>ru %>Hs %un
access_log stdio:$logs/$1.log logformat=requests
END
}

# write_tinyproxy NAME PORT [DIRECTIVE]
write_tinyproxy() {
    cat <<END
# Written by Tests/Servers/proxies.sh at each start.
Listen 127.0.0.1
Port $2
Allow 127.0.0.1
MaxClients 200
Timeout 600
ViaProxyName "$1.test"
PidFile "$proxies/$1.pid"
LogFile "$logs/$1.log"
LogLevel Connect
${3:-}
END
}

# write_dante NAME PORT METHOD
write_dante() {
    cat <<END
# Written by Tests/Servers/proxies.sh at each start.
logoutput: $logs/$1.log
internal: 127.0.0.1 port = $2
external: lo
clientmethod: none
socksmethod: $3
client pass {
    from: 127.0.0.0/8 to: 0/0
}
socks pass {
    from: 127.0.0.0/8 to: 0/0
    command: connect
    log: connect error
}
END
}

# write_configuration NAME
write_configuration() {
    case "$1" in
    squid) write_squid ;;
    squid-digest) write_squid_digest ;;
    tinyproxy) write_tinyproxy "$1" 18485 ;;
    tinyproxy-basic) write_tinyproxy "$1" 18486 "BasicAuth $user $plain_password" ;;
    dante) write_dante "$1" 18487 none ;;
    dante-password) write_dante "$1" 18488 username ;;
    esac
}
