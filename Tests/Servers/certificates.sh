# The certificates of the test servers: valid ones, and one for each kind of invalid one. To be sourced by nginx.sh, after common.sh.
# shellcheck shell=bash

readonly certificates="$state/certificates"
readonly certificate_names=(ca server expired not-yet-valid wrong-host self-signed other-ca unknown-authority client-ca client)

# Sets fresh_certificates if it has made new ones: all together, a day before the valid ones expire.
make_certificates() {
    if have_certificates; then
        fresh_certificates=false
        return
    fi
    command -v openssl >/dev/null || install_packages openssl
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

have_certificates() {
    local name
    for name in "${certificate_names[@]}"; do
        [[ -s "$certificates/$name.pem" && -s "$certificates/$name.key" ]] || return 1
    done
    [[ -s "$certificates/trust-constrained-leaf.pem" ]] || return 1
    openssl x509 -checkend 86400 -noout -in "$certificates/server.pem" >/dev/null \
        && openssl verify -CAfile "$certificates/ca.pem" "$certificates/server.pem" >/dev/null 2>&1
}

# The commands are chained, because `set -e` does not apply in a function that is called as a condition.
make_certificates_in() {
    # Variables that openssl.cnf reads from the environment.
    local -x directory="$1" usage=serverAuth alternative_names=DNS:localhost
    local localhost='DNS:localhost, IP:127.0.0.1, IP:::1'
    mkdir "$directory/signing" \
        && write_openssl_configuration >"$directory/openssl.cnf" \
        && make_authority ca "Firewheel Test CA" \
        && make_authority other-ca "Firewheel Unknown CA" \
        && make_authority client-ca "Firewheel Test Client CA" \
        && make_certificate server ca serverAuth "$localhost" '-1 day' '+397 days' \
        && make_certificate expired ca serverAuth "$localhost" '-2 years' '-1 day' \
        && make_certificate not-yet-valid ca serverAuth "$localhost" '+5 years' '+6 years' \
        && make_certificate wrong-host ca serverAuth 'DNS:another-host.test' '-1 day' '+397 days' \
        && make_certificate unknown-authority other-ca serverAuth "$localhost" '-1 day' '+397 days' \
        && make_certificate client client-ca clientAuth 'email:client@firewheel.test' '-1 day' '+397 days' \
        && make_certificate self-signed '' serverAuth "$localhost" '-1 day' '+397 days' \
        && openssl verify -x509_strict -CAfile "$directory/ca.pem" "$directory/server.pem" "$directory/wrong-host.pem" \
        && openssl verify -x509_strict -CAfile "$directory/client-ca.pem" "$directory/client.pem" \
        && make_trust_certificates \
        && rm -r "$directory/signing"
}

# `openssl ca` rather than the shorter `openssl x509 -req`, which cannot set a first day of validity before OpenSSL 3.4.
write_openssl_configuration() {
    cat <<-'END'
	[req]
	prompt = no
	distinguished_name = name
	[name]
	CN = replaced by -subj
	[signing]
	database = $ENV::directory/signing/index.txt
	new_certs_dir = $ENV::directory/signing
	rand_serial = yes
	default_md = sha256
	policy = policy
	unique_subject = no
	[policy]
	commonName = supplied
	[authority]
	basicConstraints = critical, CA:TRUE, pathlen:0
	keyUsage = critical, keyCertSign, cRLSign
	subjectKeyIdentifier = hash
	[root]
	basicConstraints = critical, CA:TRUE
	keyUsage = critical, keyCertSign, cRLSign
	subjectKeyIdentifier = hash
	[intermediate]
	basicConstraints = critical, CA:TRUE
	keyUsage = critical, keyCertSign, cRLSign
	subjectKeyIdentifier = hash
	authorityKeyIdentifier = keyid
	[constraining]
	basicConstraints = critical, CA:TRUE
	keyUsage = critical, keyCertSign, cRLSign
	subjectKeyIdentifier = hash
	authorityKeyIdentifier = keyid
	nameConstraints = critical, permitted;DNS:another-host.test
	[leaf]
	basicConstraints = critical, CA:FALSE
	keyUsage = critical, digitalSignature
	extendedKeyUsage = $ENV::usage
	subjectKeyIdentifier = hash
	authorityKeyIdentifier = keyid
	subjectAltName = $ENV::alternative_names
	END
}

# make_request NAME SUBJECT: a key and a request to sign.
make_request() {
    openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$directory/$1.key" \
        && openssl req -new -sha256 -config "$directory/openssl.cnf" -subj "/CN=$2" -key "$directory/$1.key" -out "$directory/signing/$1.csr"
}

# make_authority NAME SUBJECT
make_authority() {
    make_request "$1" "$2" && sign "$1" authority -selfsign -keyfile "$directory/$1.key" -days 3650
}

# make_certificate NAME AUTHORITY USAGE ALTERNATIVE_NAMES FROM TO: self-signed if the authority is empty.
make_certificate() {
    local signer=(-selfsign -keyfile "$directory/$1.key")
    [[ -z "$2" ]] || signer=(-cert "$directory/$2.pem" -keyfile "$directory/$2.key")
    usage="$3" alternative_names="$4"
    make_request "$1" "${1/server/localhost}" \
        && sign "$1" leaf "${signer[@]}" -startdate "$(day "$5")" -enddate "$(day "$6")"
}

# sign NAME SECTION OPTION...
sign() {
    local name="$1" section="$2"
    shift 2
    : >"$directory/signing/index.txt" \
        && openssl ca -batch -notext -config "$directory/openssl.cnf" -name signing -extensions "$section" \
            -in "$directory/signing/$name.csr" -out "$directory/$name.pem" "$@"
}

day() { date -u -d "$1" +%Y%m%d%H%M%SZ; }
