# The certificates of the trust servers: one for each way in which a server can be right or wrong. To be sourced by nginx.sh, after
# certificates.sh.
# shellcheck shell=bash

# The servers, on consecutive ports: certificate, further directives.
readonly trust_servers=(
    "right"
    "expired"
    "not-yet-valid"
    "self-signed"
    "wrong-host"
    "unknown-authority"
    "revoked"
    "intermediate-missing"
    "right ssl_protocols TLSv1.2;"
    "right ssl_protocols TLSv1.3;"
    "right ssl_client_certificate $certificates/client-ca.pem; ssl_verify_client on;"
    "unrelated-appended"
    "address"
    "wildcard"
    "three-intermediates"
    "constrained"
)

# Makes them in $directory, each as trust-NAME.pem with its chain.
make_trust_certificates() {
    make_trust_authority ca "Firewheel Trust CA" \
        && make_trust_authority intermediate "Firewheel Trust Intermediate" ca intermediate \
        && make_trust_authority second "Firewheel Trust Second" intermediate intermediate \
        && make_trust_authority third "Firewheel Trust Third" second intermediate \
        && make_trust_authority constraining "Firewheel Trust Constraining" ca constraining \
        && make_trust_authority other "Firewheel Trust Other CA" \
        && make_trust_server right intermediate DNS:localhost \
        && make_trust_server expired intermediate DNS:localhost '-2 years' '-1 day' \
        && make_trust_server not-yet-valid intermediate DNS:localhost '+5 years' '+6 years' \
        && make_trust_server wrong-host intermediate DNS:another-host.test \
        && make_trust_server unknown-authority other DNS:localhost \
        && make_trust_server revoked intermediate DNS:localhost \
        && make_trust_server intermediate-missing intermediate DNS:localhost \
        && make_trust_server unrelated-appended intermediate DNS:localhost \
        && make_trust_server address intermediate IP:127.0.0.1 \
        && make_trust_server wildcard intermediate 'DNS:*.trust.test' \
        && make_trust_server three-intermediates third DNS:localhost \
        && make_trust_server constrained constraining DNS:localhost \
        && make_certificate trust-self-signed '' serverAuth DNS:localhost '-1 day' '+397 days' \
        && make_trust_list ca && make_trust_list intermediate revoked && make_trust_list second && make_trust_list third \
        && make_trust_list constraining \
        && append_chains
}

# make_trust_authority NAME SUBJECT [AUTHORITY SECTION]: a root without an authority.
make_trust_authority() {
    local signer=(-selfsign -keyfile "$directory/trust-$1.key")
    [[ $# == 2 ]] || signer=(-cert "$directory/trust-$3.pem" -keyfile "$directory/trust-$3.key")
    make_request "trust-$1" "$2" && sign "trust-$1" "${4:-root}" "${signer[@]}" -days 3650
}

# make_trust_server NAME AUTHORITY ALTERNATIVE_NAMES [FROM TO]
make_trust_server() {
    make_certificate "trust-$1" "trust-$2" serverAuth "$3" "${4:--1 day}" "${5:-+397 days}"
}

# make_trust_list AUTHORITY [NAME]: adds the authority's revocation list, with that certificate on it, to trust-lists.pem.
make_trust_list() {
    local serial
    : >"$directory/signing/index.txt"
    if [[ $# == 2 ]]; then
        serial="$(openssl x509 -noout -serial -in "$directory/trust-$2.pem")" || return 1
        printf 'R\t%s\t%s\t%s\tunknown\t/CN=trust-%s\n' "$(date -u -d '+1 year' +%y%m%d%H%M%SZ)" "$(date -u -d '-1 hour' +%y%m%d%H%M%SZ)" \
            "${serial#serial=}" "$2" >"$directory/signing/index.txt"
    fi
    openssl ca -gencrl -config "$directory/openssl.cnf" -name signing -md sha256 -crldays 3650 \
        -cert "$directory/trust-$1.pem" -keyfile "$directory/trust-$1.key" >>"$directory/trust-lists.pem"
}

# Behind each server's certificate what the server sends. The certificates alone stay in NAME-leaf.pem.
append_chains() {
    local name behind
    while read -r name behind; do
        cp "$directory/trust-$name.pem" "$directory/trust-$name-leaf.pem"
        for behind in $behind; do cat "$directory/trust-$behind.pem" >>"$directory/trust-$name.pem"; done
    done <<-END
	right intermediate
	expired intermediate
	not-yet-valid intermediate
	self-signed
	wrong-host intermediate
	unknown-authority
	revoked intermediate
	intermediate-missing
	unrelated-appended intermediate other
	address intermediate
	wildcard intermediate
	three-intermediates third second intermediate
	constrained constraining
	END
}
