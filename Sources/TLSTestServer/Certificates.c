#include "OpenSSL.h"

#if defined(__linux__)

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// OpenSSL's numbers of extensions.
enum {
    SUBJECT_KEY_IDENTIFIER = 82,
    KEY_USAGE = 83,
    SUBJECT_ALTERNATIVE_NAME = 85,
    BASIC_CONSTRAINTS = 87,
    AUTHORITY_KEY_IDENTIFIER = 90,
    EXTENDED_KEY_USAGE = 126,
    NETSCAPE_COMMENT = 78,
    DELTA_LIST = 140,
    ISSUING_DISTRIBUTION_POINT = 770,
    NAME_CONSTRAINTS = 666,
    TLS_FEATURE = 1020,
};

enum { UTF8_STRING = 0x1000, BIO_CTRL_INFO = 3 };

tlstest_key *tlstest_key_make(size_t rsa_bits) {
    if (!tlstest_enter()) return NULL;
    openssl.ERR_clear_error();
    void *key = rsa_bits == 0 ? openssl.EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256")
                              : openssl.EVP_PKEY_Q_keygen(NULL, NULL, "RSA", rsa_bits);
    tlstest_leave();
    return key;
}

void tlstest_key_free(tlstest_key *key) {
    if (!tlstest_enter()) return;
    openssl.EVP_PKEY_free(key);
    tlstest_leave();
}

// NULL as the value adds nothing.
static bool add_extension(void *certificate, void *issuer, int identifier, const char *value) {
    if (value == NULL) return true;
    // The context's real size is six words; OpenSSL only reads and writes those.
    void *context[32] = {NULL};
    openssl.X509V3_set_ctx(context, issuer, certificate, NULL, NULL, 0);
    void *extension = openssl.X509V3_EXT_conf_nid(NULL, context, identifier, value);
    if (extension == NULL) return false;
    bool is_added = openssl.X509_add_ext(certificate, extension, -1) == 1;
    openssl.X509_EXTENSION_free(extension);
    return is_added;
}

static bool add_comment(void *certificate, size_t size) {
    if (size == 0) return true;
    char *text = malloc(size + 1);
    if (text == NULL) return false;
    memset(text, 'x', size);
    text[size] = '\0';
    bool is_added = add_extension(certificate, certificate, NETSCAPE_COMMENT, text);
    free(text);
    return is_added;
}

static bool fill(void *certificate, const struct tlstest_contents *contents, void *key, void *issuer, void *issuer_key) {
    uint64_t serial = 0;
    if (openssl.RAND_bytes((unsigned char *)&serial, sizeof serial) != 1) return false;
    void *name = openssl.X509_get_subject_name(certificate);
    if (contents->common_name != NULL
        && openssl.X509_NAME_add_entry_by_txt(
               name, "CN", UTF8_STRING, (const unsigned char *)contents->common_name, -1, -1, 0) != 1) {
        return false;
    }
    const void *digest = contents->digest == TLSTEST_MD5    ? openssl.EVP_md5()
                         : contents->digest == TLSTEST_SHA1 ? openssl.EVP_sha1()
                                                            : openssl.EVP_sha256();
    bool is_own = issuer == certificate;
    return openssl.X509_set_version(certificate, 2) == 1
        && openssl.ASN1_INTEGER_set_uint64(openssl.X509_get_serialNumber(certificate), serial >> 1 | 1) == 1
        && openssl.ASN1_TIME_set(openssl.X509_getm_notBefore(certificate), (time_t)contents->not_before) != NULL
        && openssl.ASN1_TIME_set(openssl.X509_getm_notAfter(certificate), (time_t)contents->not_after) != NULL
        && openssl.X509_set_issuer_name(certificate, openssl.X509_get_subject_name(issuer)) == 1
        && openssl.X509_set_pubkey(certificate, key) == 1
        && add_extension(certificate, issuer, BASIC_CONSTRAINTS, contents->basic_constraints)
        && add_extension(certificate, issuer, KEY_USAGE, contents->key_usage)
        && add_extension(certificate, issuer, EXTENDED_KEY_USAGE, contents->extended_key_usage)
        && add_extension(certificate, issuer, TLS_FEATURE, contents->tls_feature)
        && add_extension(certificate, issuer, NAME_CONSTRAINTS, contents->name_constraints)
        && add_extension(certificate, issuer, SUBJECT_ALTERNATIVE_NAME, contents->alternative_names)
        && add_extension(certificate, issuer, SUBJECT_KEY_IDENTIFIER, "hash")
        && add_extension(certificate, issuer, AUTHORITY_KEY_IDENTIFIER, is_own ? NULL : "keyid")
        && add_comment(certificate, contents->padding)
        && openssl.X509_sign(certificate, issuer_key, digest) > 0;
}

tlstest_certificate *tlstest_certificate_make(
    const struct tlstest_contents *contents, const tlstest_key *key, const tlstest_certificate *issuer, const tlstest_key *issuer_key,
    char error[TLSTEST_ERROR_SIZE]) {
    if (!tlstest_enter()) {
        snprintf(error, TLSTEST_ERROR_SIZE, "OpenSSL cannot be used");
        return NULL;
    }
    openssl.ERR_clear_error();
    void *certificate = openssl.X509_new();
    if (certificate != NULL
        && !fill(
            certificate, contents, (void *)key, issuer != NULL ? (void *)issuer : certificate,
            issuer != NULL ? (void *)issuer_key : (void *)key)) {
        tlstest_reason(error);
        openssl.X509_free(certificate);
        certificate = NULL;
    }
    tlstest_leave();
    return certificate;
}

void tlstest_certificate_free(tlstest_certificate *certificate) {
    if (!tlstest_enter()) return;
    openssl.X509_free(certificate);
    tlstest_leave();
}

size_t tlstest_certificate_der(const tlstest_certificate *certificate, unsigned char *buffer, size_t size) {
    if (!tlstest_enter()) return 0;
    int needed = openssl.i2d_X509(certificate, NULL);
    unsigned char *end = buffer;
    if (needed > 0 && (size_t)needed <= size) openssl.i2d_X509(certificate, &end);
    tlstest_leave();
    return needed > 0 ? (size_t)needed : 0;
}

static char *pem(const void *object, bool is_key) {
    if (!tlstest_enter()) return NULL;
    char *text = NULL;
    void *bio = openssl.BIO_new(openssl.BIO_s_mem());
    if (bio != NULL) {
        int is_written = is_key ? openssl.PEM_write_bio_PrivateKey(bio, object, NULL, NULL, 0, NULL, NULL)
                                : openssl.PEM_write_bio_X509(bio, object);
        char *bytes = NULL;
        long count = is_written == 1 ? openssl.BIO_ctrl(bio, BIO_CTRL_INFO, 0, &bytes) : 0;
        if (count > 0) text = strndup(bytes, (size_t)count);
        openssl.BIO_free(bio);
    }
    tlstest_leave();
    return text;
}

// MARK: Revocation lists

typedef int (*set_time)(void *object, void *time);

static bool set(void *object, set_time set, long long seconds) {
    void *time = openssl.ASN1_TIME_set(NULL, (time_t)seconds);
    bool is_set = time != NULL && set(object, time) == 1;
    openssl.ASN1_TIME_free(time);
    return is_set;
}

// NULL as the value adds nothing.
static bool add_list_extension(void *list, const void *issuer, int identifier, const char *value) {
    if (value == NULL) return true;
    void *context[32] = {NULL};
    openssl.X509V3_set_ctx(context, (void *)issuer, NULL, NULL, list, 0);
    void *extension = openssl.X509V3_EXT_conf_nid(NULL, context, identifier, value);
    if (extension == NULL) return false;
    bool is_added = openssl.X509_CRL_add_ext(list, extension, -1) == 1;
    openssl.X509_EXTENSION_free(extension);
    return is_added;
}

static bool add_revoked(void *list, const void *certificate, long long date) {
    void *entry = openssl.X509_REVOKED_new();
    bool is_added = entry != NULL
        && openssl.X509_REVOKED_set_serialNumber(entry, openssl.X509_get_serialNumber((void *)certificate)) == 1
        && set(entry, openssl.X509_REVOKED_set_revocationDate, date) && openssl.X509_CRL_add0_revoked(list, entry) == 1;
    // Otherwise it is the list's now.
    if (!is_added && entry != NULL) openssl.X509_REVOKED_free(entry);
    return is_added;
}

unsigned char *tlstest_list_make(
    const tlstest_certificate *issuer, const tlstest_key *key, const tlstest_certificate *const *revoked, size_t revoked_count,
    long long last_update, const long long *next_update, bool is_delta, const char *scope, size_t *size, char error[TLSTEST_ERROR_SIZE]) {
    if (!tlstest_enter()) {
        snprintf(error, TLSTEST_ERROR_SIZE, "OpenSSL cannot be used");
        return NULL;
    }
    openssl.ERR_clear_error();
    void *list = openssl.X509_CRL_new();
    bool is_made = list != NULL && openssl.X509_CRL_set_version(list, 1) == 1
        && openssl.X509_CRL_set_issuer_name(list, openssl.X509_get_subject_name(issuer)) == 1
        && set(list, openssl.X509_CRL_set1_lastUpdate, last_update)
        && (next_update == NULL || set(list, openssl.X509_CRL_set1_nextUpdate, *next_update));
    // Authorities may have the same name, but not the same key.
    is_made = is_made && add_list_extension(list, issuer, AUTHORITY_KEY_IDENTIFIER, "keyid")
        && add_list_extension(list, issuer, DELTA_LIST, is_delta ? "DER:020101" : NULL)
        && add_list_extension(list, issuer, ISSUING_DISTRIBUTION_POINT, scope);
    for (size_t index = 0; index < revoked_count && is_made; index++) is_made = add_revoked(list, revoked[index], last_update);
    unsigned char *bytes = NULL;
    if (is_made && openssl.X509_CRL_sign(list, (void *)key, openssl.EVP_sha256()) > 0) {
        int count = openssl.i2d_X509_CRL(list, NULL);
        bytes = count > 0 ? malloc((size_t)count) : NULL;
        unsigned char *end = bytes;
        if (bytes != NULL) *size = (size_t)openssl.i2d_X509_CRL(list, &end);
    }
    if (bytes == NULL) tlstest_reason(error);
    if (list != NULL) openssl.X509_CRL_free(list);
    tlstest_leave();
    return bytes;
}

char *tlstest_certificate_pem(const tlstest_certificate *certificate) { return pem(certificate, false); }
char *tlstest_key_pem(const tlstest_key *key) { return pem(key, true); }

#endif
