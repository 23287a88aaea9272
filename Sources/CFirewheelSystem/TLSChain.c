#include "TLSTable.h"

#if defined(__linux__)

#include <limits.h>
#include <string.h>

// Chains that are verified outside of a handshake.

bool fwtls_certificate_is_for(const fwtls *tls, const void *der, size_t count, const char *name, bool is_address) {
    // OpenSSL takes no name for any name, and one that begins with a dot for all names that end with it.
    if (count > LONG_MAX || name[0] == 0 || name[0] == '.' || !fwtls_enter()) return false;
    const unsigned char *end = der;
    struct x509_st *certificate = tls->d2i_X509(NULL, &end, (long)count);
    bool is_for = certificate != NULL && (is_address ? tls->X509_check_ip_asc(certificate, name, 0) == 1
                                                     : tls->X509_check_host(certificate, name, strlen(name), FWTLS_HOST_FLAGS, NULL) == 1);
    if (certificate != NULL) tls->X509_free(certificate);
    tls->ERR_clear_error();
    fwtls_leave();
    return is_for;
}

static struct stack_st_X509 *read_chain(const fwtls *tls, const struct fwtls_piece *chain, size_t count) {
    struct stack_st *stack = tls->OPENSSL_sk_new_null();
    for (size_t index = 0; index < count && stack != NULL; index++) {
        const unsigned char *end = chain[index].start;
        struct x509_st *certificate = chain[index].count <= LONG_MAX ? tls->d2i_X509(NULL, &end, (long)chain[index].count) : NULL;
        if (certificate != NULL && tls->OPENSSL_sk_push(stack, certificate) > 0) continue;
        if (certificate != NULL) tls->X509_free(certificate);
        tls->OPENSSL_sk_pop_free(stack, (void (*)(void *))tls->X509_free);
        stack = NULL;
    }
    return (struct stack_st_X509 *)stack;
}

// Has a chain verified as a handshake does.
static bool configure(const fwtls *tls, struct x509_store_ctx_st *context, struct fwtls_rules rules) {
    struct ssl_ctx_st *connections = tls->SSL_CTX_new(tls->TLS_client_method());
    if (connections == NULL) return false;
    int level = tls->SSL_CTX_get_security_level(connections);
    tls->SSL_CTX_free(connections);
    if (tls->X509_STORE_CTX_set_default(context, "ssl_server") != 1) return false;
    struct X509_VERIFY_PARAM_st *parameters = tls->X509_STORE_CTX_get0_param(context);
    // Name constraints heed them.
    tls->X509_VERIFY_PARAM_set_hostflags(parameters, FWTLS_HOST_FLAGS);
    tls->X509_VERIFY_PARAM_set_auth_level(parameters, level);
    if (rules.checks_revocation && !rules.requires_lists) tls->X509_STORE_CTX_set_verify_cb(context, fwtls_pass_unlisted);
    return tls->X509_VERIFY_PARAM_set_flags(parameters, fwtls_verification_flags(rules)) == 1;
}

struct fwtls_finding fwtls_chain_verify(
    const fwtls_store *store, struct fwtls_rules rules, const struct fwtls_piece *chain, size_t count) {
    const fwtls *tls = store->tls;
    struct fwtls_finding finding = {FW_X509_V_ERR_UNSPECIFIED, 0, (int)count};
    if (count == 0 || count > INT_MAX || !fwtls_enter()) return finding;
    struct stack_st_X509 *certificates = read_chain(tls, chain, count);
    struct x509_store_ctx_st *context = certificates != NULL ? tls->X509_STORE_CTX_new() : NULL;
    struct x509_st *own = certificates != NULL ? tls->OPENSSL_sk_value((struct stack_st *)certificates, 0) : NULL;
    if (context != NULL && tls->X509_STORE_CTX_init(context, store->certificates, own, certificates) == 1 &&
        configure(tls, context, rules)) {
        bool is_verified = tls->X509_verify_cert(context) == 1;
        int result = tls->X509_STORE_CTX_get_error(context);
        finding.result = is_verified ? FW_X509_V_OK : result != FW_X509_V_OK ? result : FW_X509_V_ERR_UNSPECIFIED;
        finding.depth = tls->X509_STORE_CTX_get_error_depth(context);
    }
    if (context != NULL) tls->X509_STORE_CTX_free(context);
    if (certificates != NULL) tls->OPENSSL_sk_pop_free((struct stack_st *)certificates, (void (*)(void *))tls->X509_free);
    tls->ERR_clear_error();
    fwtls_leave();
    return finding;
}

#endif
