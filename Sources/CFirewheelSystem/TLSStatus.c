#include "TLSTable.h"

#if defined(__linux__)

#include <limits.h>

// OCSP responses (RFC 6960), as servers staple them to their certificates.

// How far the clocks of a responder and of this machine may differ, in seconds.
enum { CLOCK_DIFFERENCE = 300 };
// How old a response may be that names no end, in seconds. RFC 6960 section 3.2 leaves it to the client; Firefox takes a day, too.
enum { MOST_AGE_WITHOUT_END = 86400 };

static struct x509_st *read_certificate(const fwtls *tls, struct fwtls_piece der) {
    const unsigned char *end = der.start;
    return der.count <= LONG_MAX ? tls->d2i_X509(NULL, &end, (long)der.count) : NULL;
}

// Makes sure that the certificate's issuer, or a responder that it has named, has signed the response.
static bool is_signed(const fwtls *tls, struct ocsp_basic_response_st *basic, struct x509_st *issuer) {
    struct x509_store_st *store = tls->X509_STORE_new();
    struct stack_st *signers = tls->OPENSSL_sk_new_null();
    bool is_good = store != NULL && signers != NULL && tls->X509_STORE_add_cert(store, issuer) == 1 &&
                   tls->OPENSSL_sk_push(signers, issuer) > 0 &&
                   tls->OCSP_basic_verify(basic, (struct stack_st_X509 *)signers, store, FW_OCSP_PARTIAL_CHAIN) == 1;
    // The issuer stays the caller's.
    if (signers != NULL) tls->OPENSSL_sk_free(signers);
    if (store != NULL) tls->X509_STORE_free(store);
    return is_good;
}

static int status_in(const fwtls *tls, struct ocsp_basic_response_st *basic, const struct x509_st *own, const struct x509_st *issuer) {
    // Responders name certificates by either.
    const struct evp_md_st *digests[] = {tls->EVP_sha1(), tls->EVP_sha256()};
    for (size_t index = 0; index < sizeof digests / sizeof *digests; index++) {
        struct ocsp_cert_id_st *id = tls->OCSP_cert_to_id(digests[index], own, issuer);
        int status = -1;
        struct asn1_string_st *start = NULL, *end = NULL;
        bool is_found = id != NULL && tls->OCSP_resp_find_status(basic, id, &status, NULL, NULL, &start, &end) == 1;
        if (id != NULL) tls->OCSP_CERTID_free(id);
        if (!is_found) continue;
        // Whether it is revoked counts, however old the response is.
        if (status == FW_V_OCSP_CERTSTATUS_REVOKED) return FWTLS_STATUS_REVOKED;
        long most_age = end == NULL ? MOST_AGE_WITHOUT_END : -1;
        if (tls->OCSP_check_validity(start, end, CLOCK_DIFFERENCE, most_age) != 1) return FWTLS_STATUS_EXPIRED;
        return status == FW_V_OCSP_CERTSTATUS_GOOD ? FWTLS_STATUS_GOOD : FWTLS_STATUS_UNKNOWN;
    }
    return FWTLS_STATUS_OTHER;
}

static int status_of(const fwtls *tls, struct fwtls_piece response, struct x509_st *own, struct x509_st *issuer) {
    const unsigned char *end = response.start;
    struct ocsp_response_st *read = response.count <= LONG_MAX ? tls->d2i_OCSP_RESPONSE(NULL, &end, (long)response.count) : NULL;
    int status = FWTLS_STATUS_MALFORMED;
    if (read != NULL && tls->OCSP_response_status(read) != FW_OCSP_RESPONSE_STATUS_SUCCESSFUL) {
        status = FWTLS_STATUS_NONE;
    } else if (read != NULL) {
        struct ocsp_basic_response_st *basic = tls->OCSP_response_get1_basic(read);
        if (basic != NULL) status = is_signed(tls, basic, issuer) ? status_in(tls, basic, own, issuer) : FWTLS_STATUS_UNSIGNED;
        if (basic != NULL) tls->OCSP_BASICRESP_free(basic);
    }
    if (read != NULL) tls->OCSP_RESPONSE_free(read);
    return status;
}

int fwtls_status(const fwtls *tls, struct fwtls_piece response, struct fwtls_piece own, struct fwtls_piece issuer) {
    if (!fwtls_enter()) return FWTLS_STATUS_MALFORMED;
    struct x509_st *certificate = read_certificate(tls, own), *authority = read_certificate(tls, issuer);
    int status = FWTLS_STATUS_MALFORMED;
    if (certificate != NULL && authority != NULL) status = status_of(tls, response, certificate, authority);
    if (certificate != NULL) tls->X509_free(certificate);
    if (authority != NULL) tls->X509_free(authority);
    tls->ERR_clear_error();
    fwtls_leave();
    return status;
}

bool fwtls_certificate_must_staple(const fwtls *tls, const void *der, size_t count) {
    if (!fwtls_enter()) return false;
    struct x509_st *certificate = read_certificate(tls, (struct fwtls_piece){der, count});
    bool must = certificate != NULL && tls->X509_get_ext_by_NID(certificate, FW_NID_tlsfeature, -1) >= 0;
    if (certificate != NULL) tls->X509_free(certificate);
    tls->ERR_clear_error();
    fwtls_leave();
    return must;
}

#endif
