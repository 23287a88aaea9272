#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE // PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
#endif
#include "OpenSSL.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct openssl openssl;

static char failure[TLSTEST_ERROR_SIZE];
static pthread_once_t once = PTHREAD_ONCE_INIT;
// Prefers the writer, so that a stream of readers cannot hold up the exit.
#ifdef PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
static pthread_rwlock_t gate = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
#else
static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;
#endif

bool tlstest_enter(void) { return tlstest_unavailable() == NULL && pthread_rwlock_rdlock(&gate) == 0; }
void tlstest_leave(void) { pthread_rwlock_unlock(&gate); }

// Waits until no thread is in OpenSSL, and keeps all out for ever.
static void close_gate(void) { pthread_rwlock_wrlock(&gate); }

void tlstest_reason(char error[TLSTEST_ERROR_SIZE]) {
    const char *reason = openssl.ERR_reason_error_string(openssl.ERR_peek_last_error());
    snprintf(error, TLSTEST_ERROR_SIZE, "%s", reason != NULL ? reason : "no reason given");
}

static void *open_library(const char *soname) {
    void *library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) snprintf(failure, sizeof failure, "%s", dlerror());
    return library;
}

#define SYMBOL(name) {#name, &openssl.name}

struct symbol {
    const char *name;
    void *place;
};

static bool find(void *library, const struct symbol *symbols, size_t count) {
    for (size_t index = 0; index < count; index++) {
        void *found = dlsym(library, symbols[index].name);
        if (found == NULL) {
            snprintf(failure, sizeof failure, "OpenSSL 3 is needed: %s is missing", symbols[index].name);
            return false;
        }
        memcpy(symbols[index].place, &found, sizeof found);
    }
    return true;
}

static void load(void) {
    const struct symbol crypto_symbols[] = {
        SYMBOL(EVP_PKEY_Q_keygen), SYMBOL(EVP_PKEY_free), SYMBOL(EVP_sha256), SYMBOL(EVP_sha1), SYMBOL(EVP_md5), SYMBOL(X509_new),
        SYMBOL(X509_free), SYMBOL(X509_set_version), SYMBOL(X509_get_serialNumber), SYMBOL(ASN1_INTEGER_set_uint64),
        SYMBOL(X509_getm_notBefore), SYMBOL(X509_getm_notAfter), SYMBOL(ASN1_TIME_set), SYMBOL(X509_get_subject_name),
        SYMBOL(X509_set_issuer_name), SYMBOL(X509_NAME_add_entry_by_txt), SYMBOL(X509_NAME_oneline), SYMBOL(X509_set_pubkey),
        SYMBOL(X509V3_set_ctx), SYMBOL(X509V3_EXT_conf_nid), SYMBOL(X509_add_ext), SYMBOL(X509_EXTENSION_free), SYMBOL(X509_sign),
        SYMBOL(i2d_X509), SYMBOL(PEM_write_bio_X509), SYMBOL(PEM_write_bio_PrivateKey), SYMBOL(X509_STORE_add_cert),
        SYMBOL(X509_CRL_new), SYMBOL(X509_CRL_free), SYMBOL(X509_CRL_set_version), SYMBOL(X509_CRL_set_issuer_name),
        SYMBOL(X509_CRL_set1_lastUpdate), SYMBOL(X509_CRL_set1_nextUpdate), SYMBOL(X509_CRL_add0_revoked), SYMBOL(X509_CRL_sign),
        SYMBOL(X509_CRL_add_ext), SYMBOL(i2d_X509_CRL), SYMBOL(X509_REVOKED_new), SYMBOL(X509_REVOKED_free),
        SYMBOL(X509_REVOKED_set_serialNumber), SYMBOL(X509_REVOKED_set_revocationDate), SYMBOL(ASN1_TIME_free),
        SYMBOL(ASN1_GENERALIZEDTIME_set), SYMBOL(OCSP_BASICRESP_new), SYMBOL(OCSP_BASICRESP_free), SYMBOL(OCSP_cert_to_id),
        SYMBOL(OCSP_CERTID_free), SYMBOL(OCSP_basic_add1_status), SYMBOL(OCSP_basic_sign), SYMBOL(OCSP_response_create),
        SYMBOL(OCSP_RESPONSE_free), SYMBOL(i2d_OCSP_RESPONSE), SYMBOL(CRYPTO_malloc), SYMBOL(RAND_bytes), SYMBOL(BIO_new),
        SYMBOL(BIO_s_mem), SYMBOL(BIO_free), SYMBOL(BIO_read), SYMBOL(BIO_write), SYMBOL(BIO_ctrl), SYMBOL(ERR_clear_error),
        SYMBOL(ERR_peek_last_error), SYMBOL(ERR_reason_error_string),
    };
    const struct symbol ssl_symbols[] = {
        SYMBOL(OPENSSL_init_ssl), SYMBOL(TLS_server_method), SYMBOL(SSL_CTX_new), SYMBOL(SSL_CTX_free), SYMBOL(SSL_CTX_ctrl),
        SYMBOL(SSL_CTX_callback_ctrl), SYMBOL(SSL_CTX_set_client_hello_cb), SYMBOL(SSL_client_hello_get0_ext),
        SYMBOL(SSL_CTX_set_options), SYMBOL(SSL_CTX_set_security_level), SYMBOL(SSL_CTX_set_cipher_list),
        SYMBOL(SSL_CTX_use_certificate), SYMBOL(SSL_CTX_use_PrivateKey), SYMBOL(SSL_CTX_set_num_tickets),
        SYMBOL(SSL_CTX_set_session_ticket_cb), SYMBOL(SSL_get_session), SYMBOL(SSL_SESSION_set1_ticket_appdata),
        SYMBOL(SSL_CTX_set_session_id_context), SYMBOL(SSL_CTX_set_verify), SYMBOL(SSL_CTX_get_cert_store),
        SYMBOL(SSL_CTX_add_client_CA), SYMBOL(SSL_CTX_set_alpn_select_cb), SYMBOL(SSL_ctrl), SYMBOL(SSL_new), SYMBOL(SSL_free),
        SYMBOL(SSL_set_bio), SYMBOL(SSL_set_accept_state), SYMBOL(SSL_set_ex_data), SYMBOL(SSL_get_ex_data),
        SYMBOL(SSL_do_handshake), SYMBOL(SSL_read), SYMBOL(SSL_write), SYMBOL(SSL_shutdown), SYMBOL(SSL_get_error),
        SYMBOL(SSL_key_update), SYMBOL(SSL_renegotiate), SYMBOL(SSL_get_version), SYMBOL(SSL_get_servername),
        SYMBOL(SSL_session_reused), SYMBOL(SSL_get1_peer_certificate),
    };
    void *crypto = open_library("libcrypto.so.3");
    if (crypto == NULL || !find(crypto, crypto_symbols, sizeof crypto_symbols / sizeof *crypto_symbols)) return;
    void *ssl = open_library("libssl.so.3");
    if (ssl == NULL || !find(ssl, ssl_symbols, sizeof ssl_symbols / sizeof *ssl_symbols)) return;
    // Handlers run in reverse order, so that this one runs before OpenSSL's own.
    if (openssl.OPENSSL_init_ssl(0, NULL) != 1 || atexit(close_gate) != 0) {
        snprintf(failure, sizeof failure, "OpenSSL cannot be initialised");
    }
}

bool tlstest_leave_error(void) {
    // There is no context without a method.
    return openssl.SSL_CTX_new(NULL) == NULL && openssl.ERR_peek_last_error() != 0;
}

const char *tlstest_unavailable(void) {
    pthread_once(&once, load);
    return failure[0] == '\0' ? NULL : failure;
}

#endif
