#include "OpenSSL.h"

#if defined(__linux__)

#include <stdio.h>
#include <stdlib.h>

// OCSP responses.

unsigned char *tlstest_status_make(
    const tlstest_certificate *certificate, const tlstest_certificate *issuer, const tlstest_certificate *signer, const tlstest_key *key,
    const struct tlstest_status *status, size_t *size, char error[TLSTEST_ERROR_SIZE]) {
    if (!tlstest_enter()) {
        snprintf(error, TLSTEST_ERROR_SIZE, "OpenSSL cannot be used");
        return NULL;
    }
    openssl.ERR_clear_error();
    const void *digest = status->has_sha256 ? openssl.EVP_sha256() : openssl.EVP_sha1();
    void *identifier = openssl.OCSP_cert_to_id(digest, certificate, issuer);
    void *basic = openssl.OCSP_BASICRESP_new();
    void *start = openssl.ASN1_GENERALIZEDTIME_set(NULL, (time_t)status->this_update);
    void *end = status->next_update == 0 ? NULL : openssl.ASN1_GENERALIZEDTIME_set(NULL, (time_t)status->next_update);
    void *revoked = status->status == 1 ? start : NULL;
    bool is_signed = openssl.OCSP_basic_add1_status(basic, identifier, status->status, -1, revoked, start, end) != NULL
        && openssl.OCSP_basic_sign(basic, (void *)signer, (void *)key, openssl.EVP_sha256(), NULL, 0) == 1;
    void *response = is_signed ? openssl.OCSP_response_create(status->outcome, status->outcome == 0 ? basic : NULL) : NULL;
    int count = response != NULL ? openssl.i2d_OCSP_RESPONSE(response, NULL) : 0;
    unsigned char *bytes = count > 0 ? malloc((size_t)count) : NULL;
    unsigned char *place = bytes;
    if (bytes != NULL) *size = (size_t)openssl.i2d_OCSP_RESPONSE(response, &place);
    if (bytes == NULL) tlstest_reason(error);
    openssl.OCSP_RESPONSE_free(response);
    openssl.OCSP_BASICRESP_free(basic);
    openssl.OCSP_CERTID_free(identifier);
    openssl.ASN1_TIME_free(start);
    openssl.ASN1_TIME_free(end);
    tlstest_leave();
    return bytes;
}

#endif
