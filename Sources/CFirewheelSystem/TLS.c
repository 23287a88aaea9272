#include "Loader.h"
#include "TLSTable.h"

#if defined(__linux__)

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static _Atomic(const fwtls *) current;

const fwtls *fwtls_current(void) { return atomic_load_explicit(&current, memory_order_acquire); }

#define FWTLS_SYMBOL(result, name, parameters) {#name, &tls->name},

// Initialises the library, and what of it all connections share.
static bool initialise(struct fwtls *tls, struct fwsystem_failure *failure) {
    if (!fwtls_enter()) {
        fwsystem_fail(failure, FWSYSTEM_NO_LIBRARY, "the process is exiting");
        return false;
    }
    bool is_ready = fwtls_initialise(tls->OPENSSL_init_ssl);
    if (is_ready) {
        tls->method = fwtls_socket_method(tls);
        is_ready = tls->method != NULL;
    }
    if (!is_ready) {
        const char *reason = tls->ERR_reason_error_string(tls->ERR_peek_error());
        fwsystem_fail(failure, FWSYSTEM_NO_LIBRARY, reason != NULL ? reason : "it cannot be initialised");
    }
    tls->ERR_clear_error();
    fwtls_leave();
    return is_ready;
}

const fwtls *fwtls_load(
    const char *ssl_soname, const char *crypto_soname, unsigned long least_version, struct fwsystem_failure *failure) {
    struct fwtls *tls = fwsystem_table(sizeof *tls, failure);
    if (tls == NULL) return NULL;
    const struct fwsystem_symbol crypto[] = {FWTLS_CRYPTO_FUNCTIONS(FWTLS_SYMBOL)};
    const struct fwsystem_symbol ssl[] = {FWTLS_SSL_FUNCTIONS(FWTLS_SYMBOL)};
    if (!fwsystem_load(crypto_soname, crypto, sizeof crypto / sizeof *crypto, failure)) {
        free(tls);
        return NULL;
    }
    unsigned long version = tls->OpenSSL_version_num();
    if (version < least_version) {
        char text[64];
        snprintf(text, sizeof text, "%lu.%lu.%lu", version >> 28, version >> 20 & 0xFF, version >> 4 & 0xFF);
        fwsystem_fail(failure, FWSYSTEM_OLD_VERSION, text);
        free(tls);
        return NULL;
    }
    if (!fwsystem_load(ssl_soname, ssl, sizeof ssl / sizeof *ssl, failure) || !initialise(tls, failure)) {
        free(tls);
        return NULL;
    }
    atomic_store_explicit(&current, tls, memory_order_release);
    return tls;
}

const char *fwtls_default_file(const fwtls *tls) { return tls->X509_get_default_cert_file(); }
const char *fwtls_default_directories(const fwtls *tls) { return tls->X509_get_default_cert_dir(); }
const char *fwtls_file_variable(const fwtls *tls) { return tls->X509_get_default_cert_file_env(); }
const char *fwtls_directories_variable(const fwtls *tls) { return tls->X509_get_default_cert_dir_env(); }
const char *fwtls_verification_text(const fwtls *tls, int result) { return tls->X509_verify_cert_error_string(result); }

// MARK: Stores

fwtls_store *fwtls_store_create(const fwtls *tls) {
    fwtls_store *store = malloc(sizeof *store);
    if (store == NULL) return NULL;
    store->tls = tls;
    store->certificates = NULL;
    if (fwtls_enter()) {
        store->certificates = tls->X509_STORE_new();
        fwtls_leave();
    }
    if (store->certificates != NULL) return store;
    free(store);
    return NULL;
}

// Without it OpenSSL would ask on the terminal for the password of an encrypted certificate.
static int no_password(char *buffer, int size, int is_writing, void *context) {
    (void)buffer, (void)size, (void)is_writing, (void)context;
    return -1;
}

size_t fwtls_store_add(fwtls_store *store, const void *bytes, size_t count) {
    const fwtls *tls = store->tls;
    if (count > INT_MAX || !fwtls_enter()) return 0;
    size_t added = 0;
    struct bio_st *text = tls->BIO_new_mem_buf(bytes, (int)count);
    while (text != NULL) {
        tls->ERR_clear_error();
        struct x509_st *certificate = tls->PEM_read_bio_X509_AUX(text, NULL, no_password, NULL);
        if (certificate != NULL) {
            // One that is in the store already counts.
            if (tls->X509_STORE_add_cert(store->certificates, certificate) == 1) added++;
            tls->X509_free(certificate);
            continue;
        }
        unsigned long code = tls->ERR_peek_last_error();
        if ((code >> FW_ERR_LIB_OFFSET & FW_ERR_LIB_MASK) == FW_ERR_LIB_PEM && (code & FW_ERR_REASON_MASK) == FW_PEM_R_NO_START_LINE) break;
        // Each failure consumes some of the text; without a reason there may be no progress.
        if (code == 0) break;
    }
    if (text != NULL) tls->BIO_free(text);
    tls->ERR_clear_error();
    fwtls_leave();
    return added;
}

bool fwtls_store_add_certificate(fwtls_store *store, const void *der, size_t count) {
    const fwtls *tls = store->tls;
    if (count > LONG_MAX || !fwtls_enter()) return false;
    const unsigned char *end = der;
    struct x509_st *certificate = tls->d2i_X509(NULL, &end, (long)count);
    bool is_added = certificate != NULL && end == (const unsigned char *)der + count &&
                    tls->X509_STORE_add_cert(store->certificates, certificate) == 1;
    if (certificate != NULL) tls->X509_free(certificate);
    tls->ERR_clear_error();
    fwtls_leave();
    return is_added;
}

// A date that cannot be read has passed.
static long long seconds(const fwtls *tls, const struct asn1_string_st *date) {
    struct tm parts;
    return tls->ASN1_TIME_to_tm(date, &parts) == 1 ? timegm(&parts) : 0;
}

int fwtls_next_tag(const unsigned char **der, const unsigned char *end, bool enters_element) {
    const unsigned char *place = *der;
    if (end - place < 2) return -1;
    int tag = *place++;
    size_t size = *place++;
    if (size >= 0x80) {
        size_t bytes = size & 0x7F;
        if (bytes == 0 || bytes > 4 || (size_t)(end - place) < bytes) return -1;
        for (size = 0; bytes > 0; bytes--) size = size << 8 | *place++;
    }
    if (size > (size_t)(end - place)) return -1;
    *der = enters_element ? place : place + size;
    return tag;
}

// Whether a list is for less than all certificates of its issuer of a kind, and all reasons (RFC 5280 sections 5.2.4 and 5.2.5).
static bool is_partial(const fwtls *tls, const struct X509_crl_st *list) {
    if (tls->X509_CRL_get_ext_by_NID(list, FW_NID_delta_crl, -1) >= 0) return true;
    int index = tls->X509_CRL_get_ext_by_NID(list, FW_NID_issuing_distribution_point, -1);
    if (index < 0) return false;
    const struct asn1_string_st *content = tls->X509_EXTENSION_get_data(tls->X509_CRL_get_ext(list, index));
    if (content == NULL) return true;
    const unsigned char *der = tls->ASN1_STRING_get0_data(content), *end = der + tls->ASN1_STRING_length(content);
    if (fwtls_next_tag(&der, end, true) != 0x30) return true;
    int kinds = 0;
    while (der < end) {
        switch (fwtls_next_tag(&der, end, false)) {
        // The point's name.
        case 0xA0: break;
        // For certificates of users, or of authorities: not for both at once.
        case 0x81:
        case 0x82: kinds++; break;
        default: return true;
        }
    }
    return kinds > 1;
}

int fwtls_store_add_list(fwtls_store *store, const void *der, size_t count, struct fwtls_list *facts) {
    const fwtls *tls = store->tls;
    if (count > LONG_MAX || !fwtls_enter()) return FWTLS_LIST_MALFORMED;
    int result = FWTLS_LIST_MALFORMED;
    const unsigned char *rest = der;
    struct X509_crl_st *list = tls->d2i_X509_CRL(NULL, &rest, (long)count);
    if (list != NULL && rest == (const unsigned char *)der + count) {
        const struct asn1_string_st *end = tls->X509_CRL_get0_nextUpdate(list);
        facts->start = seconds(tls, tls->X509_CRL_get0_lastUpdate(list));
        facts->end = end != NULL ? seconds(tls, end) : LLONG_MAX;
        if (is_partial(tls, list)) {
            result = FWTLS_LIST_PARTIAL;
        } else if (tls->X509_STORE_add_crl(store->certificates, list) == 1) {
            result = FWTLS_LIST_ADDED;
        }
    }
    if (list != NULL) tls->X509_CRL_free(list);
    tls->ERR_clear_error();
    fwtls_leave();
    return result;
}

void fwtls_store_free(fwtls_store *store) {
    if (!fwtls_enter()) return;
    store->tls->X509_STORE_free(store->certificates);
    fwtls_leave();
    free(store);
}

// MARK: Contexts

// Sets the versions. Returns false if OpenSSL does not have them, or none is left.
static bool set_versions(const fwtls *tls, struct ssl_ctx_st *context, struct fwtls_rules rules) {
    // The system's configuration may ask for more.
    bool is_below = tls->SSL_CTX_ctrl(context, FW_SSL_CTRL_GET_MIN_PROTO_VERSION, 0, NULL) < rules.minimum_version;
    if (is_below && tls->SSL_CTX_ctrl(context, FW_SSL_CTRL_SET_MIN_PROTO_VERSION, rules.minimum_version, NULL) != 1) return false;
    // The system's configuration may allow less; 0 is no limit.
    long greatest = tls->SSL_CTX_ctrl(context, FW_SSL_CTRL_GET_MAX_PROTO_VERSION, 0, NULL);
    bool is_above = rules.maximum_version != 0 && (greatest == 0 || greatest > rules.maximum_version);
    if (is_above && tls->SSL_CTX_ctrl(context, FW_SSL_CTRL_SET_MAX_PROTO_VERSION, rules.maximum_version, NULL) != 1) return false;
    greatest = tls->SSL_CTX_ctrl(context, FW_SSL_CTRL_GET_MAX_PROTO_VERSION, 0, NULL);
    return greatest == 0 || tls->SSL_CTX_ctrl(context, FW_SSL_CTRL_GET_MIN_PROTO_VERSION, 0, NULL) <= greatest;
}

// An intermediate certificate or a server's own may be an anchor, as for libcurl. Not with revocation lists: such an anchor would have to
// be looked up in the list of its own issuer, which is not known.
unsigned long fwtls_verification_flags(struct fwtls_rules rules) {
    return rules.checks_revocation ? FW_X509_V_FLAG_CRL_CHECK | FW_X509_V_FLAG_CRL_CHECK_ALL : FW_X509_V_FLAG_PARTIAL_CHAIN;
}

static struct ssl_ctx_st *create_context(const fwtls *tls, const fwtls_store *store, struct fwtls_rules rules, bool *has_versions) {
    struct ssl_ctx_st *context = tls->SSL_CTX_new(tls->TLS_client_method());
    if (context == NULL) return NULL;
    *has_versions = set_versions(tls, context, rules);
    if (!*has_versions) {
        tls->SSL_CTX_free(context);
        return NULL;
    }
    tls->SSL_CTX_set_options(context, FW_SSL_OP_NO_COMPRESSION | FW_SSL_OP_NO_RENEGOTIATION);
    // With it the end of the connection would count as close_notify.
    tls->SSL_CTX_clear_options(context, FW_SSL_OP_IGNORE_UNEXPECTED_EOF);
    tls->SSL_CTX_ctrl(
        context, FW_SSL_CTRL_MODE,
        FW_SSL_MODE_ENABLE_PARTIAL_WRITE | FW_SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | FW_SSL_MODE_RELEASE_BUFFERS |
            // Without it a client's certificate would be sent with authorities of the store behind it.
            FW_SSL_MODE_NO_AUTO_CHAIN,
        NULL);
    // With it a call would go on for as long as a server sends session tickets.
    tls->SSL_CTX_ctrl(context, FW_SSL_CTRL_CLEAR_MODE, FW_SSL_MODE_AUTO_RETRY, NULL);
    tls->SSL_CTX_ctrl(
        context, FW_SSL_CTRL_SET_SESS_CACHE_MODE, FW_SSL_SESS_CACHE_CLIENT | FW_SSL_SESS_CACHE_NO_INTERNAL, NULL);
    tls->SSL_CTX_sess_set_new_cb(context, fwtls_keep_session);
    bool is_lenient = rules.checks_revocation && !rules.requires_lists;
    tls->SSL_CTX_set_verify(context, FW_SSL_VERIFY_PEER, is_lenient ? fwtls_pass_unlisted : NULL);
    tls->SSL_CTX_set_cert_verify_callback(context, fwtls_verify, (void *)tls);
    tls->SSL_CTX_set1_cert_store(context, store->certificates);
    tls->X509_VERIFY_PARAM_set_flags(tls->SSL_CTX_get0_param(context), fwtls_verification_flags(rules));
    return context;
}

fwtls_context *fwtls_context_create(const fwtls *tls, const fwtls_store *store, struct fwtls_rules rules, bool *has_versions) {
    *has_versions = true;
    fwtls_context *context = malloc(sizeof *context);
    if (context == NULL) return NULL;
    context->tls = tls;
    context->asks = rules.asks;
    context->context = NULL;
    if (fwtls_enter()) {
        context->context = create_context(tls, store, rules, has_versions);
        tls->ERR_clear_error();
        fwtls_leave();
    }
    if (context->context != NULL) return context;
    free(context);
    return NULL;
}

void fwtls_context_free(fwtls_context *context) {
    if (!fwtls_enter()) return;
    context->tls->SSL_CTX_free(context->context);
    fwtls_leave();
    free(context);
}

// MARK: Sessions

// fwtls_session is OpenSSL's SSL_SESSION under another name.
static struct ssl_session_st *real(const fwtls_session *session) { return (struct ssl_session_st *)session; }

void fwtls_session_free(const fwtls *tls, fwtls_session *session) {
    if (!fwtls_enter()) return;
    tls->SSL_SESSION_free(real(session));
    fwtls_leave();
}

bool fwtls_session_is_resumable(const fwtls *tls, const fwtls_session *session) {
    return tls->SSL_SESSION_is_resumable(real(session)) == 1;
}

bool fwtls_session_is_single(const fwtls *tls, const fwtls_session *session) {
    return tls->SSL_SESSION_get_protocol_version(real(session)) >= FW_TLS1_3_VERSION;
}

long long fwtls_session_end(const fwtls *tls, const fwtls_session *session) {
    long long lifetime = tls->SSL_SESSION_get_timeout(real(session));
    long long hint = (long long)tls->SSL_SESSION_get_ticket_lifetime_hint(real(session));
    if (hint > 0 && hint < lifetime) lifetime = hint;
    return tls->SSL_SESSION_get_time(real(session)) + lifetime;
}

#endif
