#include "TLSTable.h"

#if defined(__linux__)

#include <limits.h>
#include <stdio.h>
#include <string.h>

static int count_of(const fwtls *tls, const struct stack_st_X509 *chain) {
    int count = chain != NULL ? tls->OPENSSL_sk_num((const struct stack_st *)chain) : 0;
    return count > 0 ? count : 0;
}

// Notes what OpenSSL has found, and the certificate concerned: after a refusal the connection does not have it any more.
static void note(fwtls_stream *stream, struct x509_store_ctx_st *chain, bool is_verified) {
    const fwtls *tls = stream->tls;
    int result = tls->X509_STORE_CTX_get_error(chain);
    stream->finding.result = is_verified ? FW_X509_V_OK : result != FW_X509_V_OK ? result : FW_X509_V_ERR_UNSPECIFIED;
    stream->finding.depth = tls->X509_STORE_CTX_get_error_depth(chain);
    stream->finding.presented = count_of(tls, tls->X509_STORE_CTX_get0_untrusted(chain));
    if (stream->concerned != NULL) tls->X509_free(stream->concerned);
    stream->concerned = NULL;
    if (is_verified) return;
    struct x509_st *concerned = tls->X509_STORE_CTX_get_current_cert(chain);
    if (concerned == NULL) concerned = tls->X509_STORE_CTX_get0_cert(chain);
    if (concerned != NULL && tls->X509_up_ref(concerned) == 1) stream->concerned = concerned;
}

// Lets certificates pass for which there is no revocation list that is valid now. A list that is not valid is looked into all the same.
int fwtls_pass_unlisted(int is_good, struct x509_store_ctx_st *chain) {
    if (is_good) return is_good;
    const fwtls *tls = fwtls_current();
    switch (tls->X509_STORE_CTX_get_error(chain)) {
    case FW_X509_V_ERR_UNABLE_TO_GET_CRL:
    case FW_X509_V_ERR_CRL_NOT_YET_VALID:
    case FW_X509_V_ERR_CRL_HAS_EXPIRED:
        tls->X509_STORE_CTX_set_error(chain, FW_X509_V_OK);
        return 1;
    default:
        return 0;
    }
}

int fwtls_verify(struct x509_store_ctx_st *chain, void *table) {
    const fwtls *tls = table;
    const struct ssl_st *ssl = tls->X509_STORE_CTX_get_ex_data(chain, tls->SSL_get_ex_data_X509_STORE_CTX_idx());
    fwtls_stream *stream = ssl != NULL ? tls->SSL_get_ex_data(ssl, 0) : NULL;
    if (stream == NULL) {
        tls->X509_STORE_CTX_set_error(chain, FW_X509_V_ERR_UNSPECIFIED);
        return 0;
    }
    // After an answer it is done again for the sake of the chain, which OpenSSL takes from here.
    bool is_verified = tls->X509_verify_cert(chain) == 1;
    note(stream, chain, is_verified);
    if (!stream->asks) {
        if (!is_verified) tls->X509_STORE_CTX_set_error(chain, stream->finding.result);
        return is_verified;
    }
    switch (stream->verdict) {
    case FWTLS_UNKNOWN:
        // Before TLS 1.3 the server's OCSP response comes in a message behind its certificates. If the chain is not verified, no response
        // makes it better, and the server gets nothing more.
        if (stream->wants_status && is_verified && tls->SSL_version(stream->ssl) < FW_TLS1_3_VERSION) {
            stream->asks_late = true;
            tls->X509_STORE_CTX_set_error(chain, FW_X509_V_OK);
            return 1;
        }
        stream->verdict = FWTLS_ASKED;
        // Unknown before OpenSSL 3.0.2, where it gives 0, so that the handshake fails.
        if (tls->SSL_ctrl(stream->ssl, FW_SSL_CTRL_SET_RETRY_VERIFY, 0, NULL) == 1) return 1;
        stream->verdict = FWTLS_REFUSED;
        break;
    case FWTLS_ACCEPTED:
        // It is not the reason of a failure that follows.
        stream->finding.result = FW_X509_V_OK;
        tls->X509_STORE_CTX_set_error(chain, FW_X509_V_OK);
        return 1;
    case FWTLS_ASKED:
    case FWTLS_REFUSED:
        break;
    }
    stream->finding.result = FW_X509_V_ERR_APPLICATION_VERIFICATION;
    tls->X509_STORE_CTX_set_error(chain, FW_X509_V_ERR_APPLICATION_VERIFICATION);
    return 0;
}

void fwtls_answer(fwtls_stream *stream, bool accepts) {
    if (stream->verdict == FWTLS_ASKED) stream->verdict = accepts ? FWTLS_ACCEPTED : FWTLS_REFUSED;
}

struct fwtls_finding fwtls_stream_finding(const fwtls_stream *stream) { return stream->finding; }

// MARK: Texts

static size_t name_text(const fwtls *tls, const struct X509_name_st *name, char *buffer, size_t capacity) {
    struct bio_st *memory = tls->BIO_new(tls->BIO_s_mem());
    if (memory == NULL) return 0;
    int count = 0;
    if (name != NULL && tls->X509_NAME_print_ex(memory, name, 0, FWTLS_NAME_FLAGS) >= 0) {
        count = tls->BIO_read(memory, buffer, (int)capacity);
    }
    tls->BIO_free(memory);
    return count > 0 ? (size_t)count : 0;
}

static size_t date_text(const fwtls *tls, const struct asn1_string_st *date, char *buffer, size_t capacity) {
    struct tm parts;
    if (date == NULL || tls->ASN1_TIME_to_tm(date, &parts) != 1) return 0;
    char text[64];
    size_t count = strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
    if (count > capacity) count = capacity;
    memcpy(buffer, text, count);
    return count;
}

size_t fwtls_finding_text(const fwtls_stream *stream, int which, char *buffer, size_t capacity) {
    const fwtls *tls = stream->tls;
    const struct x509_st *certificate = stream->concerned;
    if (certificate == NULL || capacity > 4096) return 0;
    size_t count = 0;
    switch (which) {
    case FWTLS_SUBJECT:
        count = name_text(tls, tls->X509_get_subject_name(certificate), buffer, capacity);
        break;
    case FWTLS_ISSUER:
        count = name_text(tls, tls->X509_get_issuer_name(certificate), buffer, capacity);
        break;
    case FWTLS_NOT_BEFORE:
        count = date_text(tls, tls->X509_get0_notBefore(certificate), buffer, capacity);
        break;
    case FWTLS_NOT_AFTER:
        count = date_text(tls, tls->X509_get0_notAfter(certificate), buffer, capacity);
        break;
    default:
        break;
    }
    tls->ERR_clear_error();
    return count;
}

// MARK: Chains

static const struct stack_st_X509 *chain_of(const fwtls_stream *stream, int which) {
    return which == FWTLS_VERIFIED ? stream->tls->SSL_get0_verified_chain(stream->ssl)
                                   : stream->tls->SSL_get_peer_cert_chain(stream->ssl);
}

int fwtls_chain_count(const fwtls_stream *stream, int which) { return count_of(stream->tls, chain_of(stream, which)); }

long long fwtls_chain_end(const fwtls_stream *stream) {
    const fwtls *tls = stream->tls;
    const struct stack_st_X509 *chain = chain_of(stream, FWTLS_VERIFIED);
    long long end = LLONG_MAX;
    for (int index = 0; index < count_of(tls, chain); index++) {
        const struct x509_st *certificate = tls->OPENSSL_sk_value((const struct stack_st *)chain, index);
        struct tm parts;
        // A date that cannot be read has passed.
        if (certificate == NULL || tls->ASN1_TIME_to_tm(tls->X509_get0_notAfter(certificate), &parts) != 1) return 0;
        long long own = timegm(&parts);
        if (own < end) end = own;
    }
    return end;
}

size_t fwtls_chain_certificate(const fwtls_stream *stream, int which, int index, unsigned char *buffer, size_t capacity) {
    const fwtls *tls = stream->tls;
    const struct stack_st_X509 *chain = chain_of(stream, which);
    if (index < 0 || index >= count_of(tls, chain)) return 0;
    const struct x509_st *certificate = tls->OPENSSL_sk_value((const struct stack_st *)chain, index);
    int size = certificate != NULL ? tls->i2d_X509(certificate, NULL) : 0;
    if (size <= 0) return 0;
    if ((size_t)size <= capacity) tls->i2d_X509(certificate, &buffer);
    return (size_t)size;
}

// MARK: Status

const unsigned char *fwtls_stream_status(const fwtls_stream *stream, size_t *count) {
    unsigned char *response = NULL;
    long size = stream->tls->SSL_ctrl(stream->ssl, FW_SSL_CTRL_GET_TLSEXT_STATUS_REQ_OCSP_RESP, 0, &response);
    *count = size > 0 && response != NULL ? (size_t)size : 0;
    return *count > 0 ? response : NULL;
}

#endif
