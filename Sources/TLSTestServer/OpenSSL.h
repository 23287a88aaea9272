// OpenSSL's functions, declared in our own words. All of its types are opaque here.
#ifndef TLSTESTSERVER_OPENSSL_H
#define TLSTESTSERVER_OPENSSL_H

#include "TLSTestServer.h"

#if defined(__linux__)

#include <stdint.h>
#include <time.h>

struct openssl {
    // libcrypto
    void *(*EVP_PKEY_Q_keygen)(void *library, const char *properties, const char *type, ...);
    void (*EVP_PKEY_free)(void *key);
    const void *(*EVP_sha256)(void);
    const void *(*EVP_sha1)(void);
    const void *(*EVP_md5)(void);
    void *(*X509_new)(void);
    void (*X509_free)(void *certificate);
    int (*X509_set_version)(void *certificate, long version);
    void *(*X509_get_serialNumber)(void *certificate);
    int (*ASN1_INTEGER_set_uint64)(void *integer, uint64_t value);
    void *(*X509_getm_notBefore)(const void *certificate);
    void *(*X509_getm_notAfter)(const void *certificate);
    void *(*ASN1_TIME_set)(void *time, time_t value);
    void *(*X509_get_subject_name)(const void *certificate);
    int (*X509_set_issuer_name)(void *certificate, const void *name);
    int (*X509_NAME_add_entry_by_txt)(
        void *name, const char *field, int type, const unsigned char *bytes, int count, int location, int set);
    char *(*X509_NAME_oneline)(const void *name, char *buffer, int size);
    int (*X509_set_pubkey)(void *certificate, void *key);
    void (*X509V3_set_ctx)(void *context, void *issuer, void *subject, void *request, void *list, int flags);
    void *(*X509V3_EXT_conf_nid)(void *configuration, void *context, int identifier, const char *value);
    int (*X509_add_ext)(void *certificate, void *extension, int location);
    void (*X509_EXTENSION_free)(void *extension);
    int (*X509_sign)(void *certificate, void *key, const void *digest);
    int (*i2d_X509)(const void *certificate, unsigned char **bytes);
    int (*PEM_write_bio_X509)(void *bio, const void *certificate);
    int (*PEM_write_bio_PrivateKey)(
        void *bio, const void *key, const void *cipher, const unsigned char *secret, int size, void *callback, void *argument);
    void *(*X509_CRL_new)(void);
    void (*X509_CRL_free)(void *list);
    int (*X509_CRL_set_version)(void *list, long version);
    int (*X509_CRL_set_issuer_name)(void *list, const void *name);
    int (*X509_CRL_set1_lastUpdate)(void *list, void *time);
    int (*X509_CRL_set1_nextUpdate)(void *list, void *time);
    int (*X509_CRL_add0_revoked)(void *list, void *entry);
    int (*X509_CRL_add_ext)(void *list, void *extension, int location);
    int (*X509_CRL_sign)(void *list, void *key, const void *digest);
    int (*i2d_X509_CRL)(const void *list, unsigned char **bytes);
    void *(*X509_REVOKED_new)(void);
    void (*X509_REVOKED_free)(void *entry);
    int (*X509_REVOKED_set_serialNumber)(void *entry, void *number);
    int (*X509_REVOKED_set_revocationDate)(void *entry, void *time);
    void (*ASN1_TIME_free)(void *time);
    void *(*ASN1_GENERALIZEDTIME_set)(void *time, time_t value);
    void *(*OCSP_BASICRESP_new)(void);
    void (*OCSP_BASICRESP_free)(void *response);
    void *(*OCSP_cert_to_id)(const void *digest, const void *subject, const void *issuer);
    void (*OCSP_CERTID_free)(void *identifier);
    void *(*OCSP_basic_add1_status)(
        void *response, void *identifier, int status, int reason, void *revoked, void *this_update, void *next_update);
    int (*OCSP_basic_sign)(void *response, void *signer, void *key, const void *digest, void *certificates, unsigned long flags);
    void *(*OCSP_response_create)(int status, void *response);
    void (*OCSP_RESPONSE_free)(void *response);
    int (*i2d_OCSP_RESPONSE)(const void *response, unsigned char **bytes);
    void *(*CRYPTO_malloc)(size_t size, const char *file, int line);
    int (*X509_STORE_add_cert)(void *store, void *certificate);
    int (*RAND_bytes)(unsigned char *bytes, int count);
    void *(*BIO_new)(const void *method);
    const void *(*BIO_s_mem)(void);
    int (*BIO_free)(void *bio);
    int (*BIO_read)(void *bio, void *bytes, int count);
    int (*BIO_write)(void *bio, const void *bytes, int count);
    long (*BIO_ctrl)(void *bio, int command, long number, void *pointer);
    void (*ERR_clear_error)(void);
    unsigned long (*ERR_peek_last_error)(void);
    const char *(*ERR_reason_error_string)(unsigned long error);
    // libssl
    int (*OPENSSL_init_ssl)(uint64_t options, const void *settings);
    const void *(*TLS_server_method)(void);
    void *(*SSL_CTX_new)(const void *method);
    void (*SSL_CTX_free)(void *context);
    long (*SSL_CTX_ctrl)(void *context, int command, long number, void *pointer);
    long (*SSL_CTX_callback_ctrl)(void *context, int command, void (*callback)(void));
    uint64_t (*SSL_CTX_set_options)(void *context, uint64_t options);
    void (*SSL_CTX_set_security_level)(void *context, int level);
    int (*SSL_CTX_set_cipher_list)(void *context, const char *list);
    int (*SSL_CTX_use_certificate)(void *context, void *certificate);
    int (*SSL_CTX_use_PrivateKey)(void *context, void *key);
    int (*SSL_CTX_set_num_tickets)(void *context, size_t count);
    int (*SSL_CTX_set_session_ticket_cb)(
        void *context, int (*generate)(void *stream, void *argument), void *decrypt, void *argument);
    void *(*SSL_get_session)(const void *stream);
    int (*SSL_SESSION_set1_ticket_appdata)(void *session, const void *bytes, size_t size);
    int (*SSL_CTX_set_session_id_context)(void *context, const unsigned char *bytes, unsigned int count);
    void (*SSL_CTX_set_verify)(void *context, int mode, void *callback);
    void *(*SSL_CTX_get_cert_store)(const void *context);
    int (*SSL_CTX_add_client_CA)(void *context, void *certificate);
    void (*SSL_CTX_set_alpn_select_cb)(
        void *context,
        int (*callback)(void *stream, const unsigned char **selected, unsigned char *size, const unsigned char *offered,
            unsigned int offered_size, void *argument),
        void *argument);
    void (*SSL_CTX_set_client_hello_cb)(
        void *context, int (*callback)(void *stream, int *alert, void *argument), void *argument);
    int (*SSL_client_hello_get0_ext)(void *stream, unsigned int type, const unsigned char **bytes, size_t *size);
    long (*SSL_ctrl)(void *stream, int command, long number, void *pointer);
    void *(*SSL_new)(void *context);
    void (*SSL_free)(void *stream);
    void (*SSL_set_bio)(void *stream, void *input, void *output);
    void (*SSL_set_accept_state)(void *stream);
    int (*SSL_set_ex_data)(void *stream, int index, void *value);
    void *(*SSL_get_ex_data)(const void *stream, int index);
    int (*SSL_do_handshake)(void *stream);
    int (*SSL_read)(void *stream, void *bytes, int count);
    int (*SSL_write)(void *stream, const void *bytes, int count);
    int (*SSL_shutdown)(void *stream);
    int (*SSL_get_error)(const void *stream, int result);
    int (*SSL_key_update)(void *stream, int type);
    int (*SSL_renegotiate)(void *stream);
    const char *(*SSL_get_version)(const void *stream);
    const char *(*SSL_get_servername)(const void *stream, int type);
    int (*SSL_session_reused)(const void *stream);
    void *(*SSL_get1_peer_certificate)(const void *stream);
};

__attribute__((visibility("hidden"))) extern struct openssl openssl;

// Every call of OpenSSL stands between these two: once the process has begun to exit, entering never succeeds, because OpenSSL's
// state is freed then.
__attribute__((visibility("hidden"))) bool tlstest_enter(void);
__attribute__((visibility("hidden"))) void tlstest_leave(void);

// Writes OpenSSL's reason for the last failure on this thread.
__attribute__((visibility("hidden"))) void tlstest_reason(char error[TLSTEST_ERROR_SIZE]);

#endif
#endif
