// The functions and constants of OpenSSL 3 that the TLS files use. Tests/TLSHeaderCheck compares them with OpenSSL's own headers: the
// structures have OpenSSL's tags, so that the types of functions can be compared.
#ifndef FIREWHEEL_TLSFUNCTIONS_H
#define FIREWHEEL_TLSFUNCTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct asn1_string_st;
struct bio_method_st;
struct bio_st;
struct engine_st;
struct evp_md_ctx_st;
struct evp_md_st;
struct evp_pkey_ctx_st;
struct evp_pkey_st;
struct ocsp_basic_response_st;
struct ocsp_cert_id_st;
struct ocsp_response_st;
struct ossl_init_settings_st;
struct ossl_lib_ctx_st;
struct ossl_provider_st;
struct pkcs7_st;
struct pkcs8_priv_key_info_st;
struct PKCS12_SAFEBAG_st;
struct PKCS12_st;
struct ssl_cipher_st;
struct ssl_ctx_st;
struct ssl_method_st;
struct ssl_session_st;
struct ssl_st;
struct stack_st;
struct stack_st_PKCS7;
struct stack_st_PKCS12_SAFEBAG;
struct stack_st_X509;
struct stack_st_GENERAL_NAME;
struct GENERAL_NAME_st;
struct X509_extension_st;
struct X509_crl_st;
struct X509_algor_st;
struct X509_sig_st;
struct X509_name_st;
struct X509_pubkey_st;
struct x509_st;
struct x509_store_ctx_st;
struct x509_store_st;
struct X509_VERIFY_PARAM_st;

#define FWTLS_SSL_FUNCTIONS(X)                                                                                               \
    X(int, OPENSSL_init_ssl, (uint64_t, const struct ossl_init_settings_st *))                                               \
    X(const struct ssl_method_st *, TLS_client_method, (void))                                                               \
    X(struct ssl_ctx_st *, SSL_CTX_new, (const struct ssl_method_st *))                                                      \
    X(void, SSL_CTX_free, (struct ssl_ctx_st *))                                                                             \
    X(long, SSL_CTX_ctrl, (struct ssl_ctx_st *, int, long, void *))                                                          \
    X(uint64_t, SSL_CTX_set_options, (struct ssl_ctx_st *, uint64_t))                                                        \
    X(uint64_t, SSL_CTX_clear_options, (struct ssl_ctx_st *, uint64_t))                                                      \
    X(void, SSL_CTX_set_verify, (struct ssl_ctx_st *, int, int (*)(int, struct x509_store_ctx_st *)))                        \
    X(void, SSL_CTX_set_cert_verify_callback,                                                                                \
      (struct ssl_ctx_st *, int (*)(struct x509_store_ctx_st *, void *), void *))                                            \
    X(void, SSL_CTX_set1_cert_store, (struct ssl_ctx_st *, struct x509_store_st *))                                          \
    X(int, SSL_CTX_use_certificate, (struct ssl_ctx_st *, struct x509_st *))                                                 \
    X(int, SSL_CTX_use_PrivateKey, (struct ssl_ctx_st *, struct evp_pkey_st *))                                              \
    X(struct X509_VERIFY_PARAM_st *, SSL_CTX_get0_param, (struct ssl_ctx_st *))                                              \
    X(int, SSL_CTX_get_security_level, (const struct ssl_ctx_st *))                                                          \
    X(void, SSL_CTX_sess_set_new_cb, (struct ssl_ctx_st *, int (*)(struct ssl_st *, struct ssl_session_st *)))               \
    X(struct ssl_st *, SSL_new, (struct ssl_ctx_st *))                                                                       \
    X(void, SSL_free, (struct ssl_st *))                                                                                     \
    X(void, SSL_set_bio, (struct ssl_st *, struct bio_st *, struct bio_st *))                                                \
    X(void, SSL_set_connect_state, (struct ssl_st *))                                                                        \
    X(long, SSL_ctrl, (struct ssl_st *, int, long, void *))                                                                  \
    X(struct X509_VERIFY_PARAM_st *, SSL_get0_param, (struct ssl_st *))                                                      \
    X(int, SSL_set_alpn_protos, (struct ssl_st *, const unsigned char *, unsigned int))                                      \
    X(void, SSL_get0_alpn_selected, (const struct ssl_st *, const unsigned char **, unsigned int *))                         \
    X(int, SSL_set_ex_data, (struct ssl_st *, int, void *))                                                                  \
    X(void *, SSL_get_ex_data, (const struct ssl_st *, int))                                                                 \
    X(int, SSL_get_ex_data_X509_STORE_CTX_idx, (void))                                                                       \
    X(int, SSL_do_handshake, (struct ssl_st *))                                                                              \
    X(int, SSL_read_ex, (struct ssl_st *, void *, size_t, size_t *))                                                         \
    X(int, SSL_write_ex, (struct ssl_st *, const void *, size_t, size_t *))                                                  \
    X(int, SSL_shutdown, (struct ssl_st *))                                                                                  \
    X(int, SSL_get_error, (const struct ssl_st *, int))                                                                      \
    X(unsigned int, SSL_get_state, (const struct ssl_st *))                                                                  \
    X(int, SSL_pending, (const struct ssl_st *))                                                                             \
    X(const char *, SSL_get_version, (const struct ssl_st *))                                                                \
    X(const struct ssl_cipher_st *, SSL_get_current_cipher, (const struct ssl_st *))                                         \
    X(struct stack_st_X509 *, SSL_get_peer_cert_chain, (const struct ssl_st *))                                              \
    X(const char *, SSL_CIPHER_standard_name, (const struct ssl_cipher_st *))                                                \
    X(struct stack_st_X509 *, SSL_get0_verified_chain, (const struct ssl_st *))                                              \
    X(int, SSL_set_session, (struct ssl_st *, struct ssl_session_st *))                                                      \
    X(int, SSL_session_reused, (const struct ssl_st *))                                                                      \
    X(int, SSL_version, (const struct ssl_st *))                                                                             \
    X(void, SSL_SESSION_free, (struct ssl_session_st *))                                                                     \
    X(int, SSL_SESSION_is_resumable, (const struct ssl_session_st *))                                                        \
    X(int, SSL_SESSION_get_protocol_version, (const struct ssl_session_st *))                                                \
    X(long, SSL_SESSION_get_time, (const struct ssl_session_st *))                                                           \
    X(long, SSL_SESSION_get_timeout, (const struct ssl_session_st *))                                                        \
    X(unsigned long, SSL_SESSION_get_ticket_lifetime_hint, (const struct ssl_session_st *))

#define FWTLS_CRYPTO_FUNCTIONS(X)                                                                                            \
    X(unsigned long, OpenSSL_version_num, (void))                                                                            \
    X(void, ERR_clear_error, (void))                                                                                         \
    X(unsigned long, ERR_get_error, (void))                                                                                  \
    X(unsigned long, ERR_peek_error, (void))                                                                                 \
    X(unsigned long, ERR_peek_last_error, (void))                                                                            \
    X(const char *, ERR_reason_error_string, (unsigned long))                                                                \
    X(int, BIO_get_new_index, (void))                                                                                        \
    X(struct bio_method_st *, BIO_meth_new, (int, const char *))                                                             \
    X(int, BIO_meth_set_write_ex, (struct bio_method_st *, int (*)(struct bio_st *, const char *, size_t, size_t *)))        \
    X(int, BIO_meth_set_read_ex, (struct bio_method_st *, int (*)(struct bio_st *, char *, size_t, size_t *)))               \
    X(int, BIO_meth_set_ctrl, (struct bio_method_st *, long (*)(struct bio_st *, int, long, void *)))                        \
    X(struct bio_st *, BIO_new, (const struct bio_method_st *))                                                              \
    X(struct bio_st *, BIO_new_mem_buf, (const void *, int))                                                                 \
    X(const struct bio_method_st *, BIO_s_mem, (void))                                                                       \
    X(int, BIO_free, (struct bio_st *))                                                                                      \
    X(int, BIO_read, (struct bio_st *, void *, int))                                                                         \
    X(long, BIO_ctrl, (struct bio_st *, int, long, void *))                                                                  \
    X(void, BIO_set_data, (struct bio_st *, void *))                                                                         \
    X(void *, BIO_get_data, (struct bio_st *))                                                                               \
    X(void, BIO_set_init, (struct bio_st *, int))                                                                            \
    X(void, BIO_set_flags, (struct bio_st *, int))                                                                           \
    X(void, BIO_clear_flags, (struct bio_st *, int))                                                                         \
    X(struct x509_store_st *, X509_STORE_new, (void))                                                                        \
    X(void, X509_STORE_free, (struct x509_store_st *))                                                                       \
    X(int, X509_STORE_add_cert, (struct x509_store_st *, struct x509_st *))                                                  \
    X(void, EVP_PKEY_free, (struct evp_pkey_st *))                                                                           \
    X(int, i2d_PrivateKey, (const struct evp_pkey_st *, unsigned char **))                                                   \
    X(struct evp_pkey_st *, d2i_AutoPrivateKey, (struct evp_pkey_st **, const unsigned char **, long))                       \
    X(struct evp_pkey_st *, PEM_read_bio_PrivateKey,                                                                         \
      (struct bio_st *, struct evp_pkey_st **, int (*)(char *, int, int, void *), void *))                                   \
    X(int, X509_check_private_key, (const struct x509_st *, const struct evp_pkey_st *))                                     \
    X(int, X509_get_ext_by_NID, (const struct x509_st *, int, int))                                                          \
    X(void, OPENSSL_sk_free, (struct stack_st *))                                                                            \
    X(const struct evp_md_st *, EVP_sha1, (void))                                                                            \
    X(const struct evp_md_st *, EVP_sha256, (void))                                                                          \
    X(struct ocsp_response_st *, d2i_OCSP_RESPONSE, (struct ocsp_response_st **, const unsigned char **, long))              \
    X(void, OCSP_RESPONSE_free, (struct ocsp_response_st *))                                                                 \
    X(int, OCSP_response_status, (struct ocsp_response_st *))                                                                \
    X(struct ocsp_basic_response_st *, OCSP_response_get1_basic, (struct ocsp_response_st *))                                \
    X(void, OCSP_BASICRESP_free, (struct ocsp_basic_response_st *))                                                          \
    X(int, OCSP_basic_verify,                                                                                                \
      (struct ocsp_basic_response_st *, struct stack_st_X509 *, struct x509_store_st *, unsigned long))                      \
    X(struct ocsp_cert_id_st *, OCSP_cert_to_id,                                                                             \
      (const struct evp_md_st *, const struct x509_st *, const struct x509_st *))                                            \
    X(void, OCSP_CERTID_free, (struct ocsp_cert_id_st *))                                                                    \
    X(int, OCSP_resp_find_status,                                                                                            \
      (struct ocsp_basic_response_st *, struct ocsp_cert_id_st *, int *, int *, struct asn1_string_st **,                    \
       struct asn1_string_st **, struct asn1_string_st **))                                                                  \
    X(int, OCSP_check_validity, (struct asn1_string_st *, struct asn1_string_st *, long, long))                              \
    X(int, X509_check_issued, (struct x509_st *, struct x509_st *))                                                          \
    X(struct evp_pkey_st *, X509_get0_pubkey, (const struct x509_st *))                                                      \
    X(struct evp_md_ctx_st *, EVP_MD_CTX_new, (void))                                                                        \
    X(void, EVP_MD_CTX_free, (struct evp_md_ctx_st *))                                                                       \
    X(int, EVP_DigestSignInit,                                                                                               \
      (struct evp_md_ctx_st *, struct evp_pkey_ctx_st **, const struct evp_md_st *, struct engine_st *, struct evp_pkey_st *))\
    X(int, EVP_DigestSign, (struct evp_md_ctx_st *, unsigned char *, size_t *, const unsigned char *, size_t))               \
    X(int, EVP_DigestVerifyInit,                                                                                             \
      (struct evp_md_ctx_st *, struct evp_pkey_ctx_st **, const struct evp_md_st *, struct engine_st *, struct evp_pkey_st *))\
    X(int, EVP_DigestVerify, (struct evp_md_ctx_st *, const unsigned char *, size_t, const unsigned char *, size_t))         \
    X(struct X509_sig_st *, d2i_X509_SIG, (struct X509_sig_st **, const unsigned char **, long))                             \
    X(void, X509_SIG_free, (struct X509_sig_st *))                                                                           \
    X(void, X509_SIG_get0,                                                                                                   \
      (const struct X509_sig_st *, const struct X509_algor_st **, const struct asn1_string_st **))                           \
    X(int, i2d_X509_ALGOR, (const struct X509_algor_st *, unsigned char **))                                                 \
    X(struct pkcs8_priv_key_info_st *, PKCS8_decrypt, (const struct X509_sig_st *, const char *, int))                       \
    X(void, PKCS8_PRIV_KEY_INFO_free, (struct pkcs8_priv_key_info_st *))                                                     \
    X(struct evp_pkey_st *, EVP_PKCS82PKEY, (const struct pkcs8_priv_key_info_st *))                                         \
    X(int, PKCS12_mac_present, (const struct PKCS12_st *))                                                                   \
    X(struct stack_st_PKCS7 *, PKCS12_unpack_authsafes, (const struct PKCS12_st *))                                          \
    X(struct stack_st_PKCS12_SAFEBAG *, PKCS12_unpack_p7data, (struct pkcs7_st *))                                           \
    X(struct stack_st_PKCS12_SAFEBAG *, PKCS12_unpack_p7encdata, (struct pkcs7_st *, const char *, int))                     \
    X(int, PKCS12_SAFEBAG_get_nid, (const struct PKCS12_SAFEBAG_st *))                                                       \
    X(int, i2d_PKCS12_SAFEBAG, (const struct PKCS12_SAFEBAG_st *, unsigned char **))                                         \
    X(void, PKCS12_SAFEBAG_free, (struct PKCS12_SAFEBAG_st *))                                                               \
    X(int, i2d_PKCS7, (const struct pkcs7_st *, unsigned char **))                                                           \
    X(void, PKCS7_free, (struct pkcs7_st *))                                                                                 \
    X(struct PKCS12_st *, PKCS12_init_ex, (int, struct ossl_lib_ctx_st *, const char *))                                     \
    X(struct PKCS12_st *, d2i_PKCS12, (struct PKCS12_st **, const unsigned char **, long))                                   \
    X(void, PKCS12_free, (struct PKCS12_st *))                                                                               \
    X(int, PKCS12_parse,                                                                                                     \
      (struct PKCS12_st *, const char *, struct evp_pkey_st **, struct x509_st **, struct stack_st_X509 **))                 \
    X(int, PKCS12_verify_mac, (struct PKCS12_st *, const char *, int))                                                       \
    X(void, PKCS12_get0_mac,                                                                                                 \
      (const struct asn1_string_st **, const struct X509_algor_st **, const struct asn1_string_st **,                        \
       const struct asn1_string_st **, const struct PKCS12_st *))                                                            \
    X(long, ASN1_INTEGER_get, (const struct asn1_string_st *))                                                               \
    X(struct ossl_lib_ctx_st *, OSSL_LIB_CTX_new, (void))                                                                    \
    X(void, OSSL_LIB_CTX_free, (struct ossl_lib_ctx_st *))                                                                   \
    X(struct ossl_provider_st *, OSSL_PROVIDER_load, (struct ossl_lib_ctx_st *, const char *))                               \
    X(int, OSSL_PROVIDER_unload, (struct ossl_provider_st *))                                                                \
    X(void, CRYPTO_free, (void *, const char *, int))                                                                        \
    X(void, CRYPTO_clear_free, (void *, size_t, const char *, int))                                                          \
    X(int, X509_STORE_add_crl, (struct x509_store_st *, struct X509_crl_st *))                                               \
    X(int, X509_check_host, (struct x509_st *, const char *, size_t, unsigned int, char **))                                 \
    X(int, X509_check_ip_asc, (struct x509_st *, const char *, unsigned int))                                                \
    X(struct x509_store_ctx_st *, X509_STORE_CTX_new, (void))                                                                \
    X(void, X509_STORE_CTX_free, (struct x509_store_ctx_st *))                                                               \
    X(int, X509_STORE_CTX_init,                                                                                              \
      (struct x509_store_ctx_st *, struct x509_store_st *, struct x509_st *, struct stack_st_X509 *))                        \
    X(int, X509_STORE_CTX_set_default, (struct x509_store_ctx_st *, const char *))                                           \
    X(void, X509_STORE_CTX_set_verify_cb,                                                                                    \
      (struct x509_store_ctx_st *, int (*)(int, struct x509_store_ctx_st *)))                                                \
    X(struct X509_VERIFY_PARAM_st *, X509_STORE_CTX_get0_param, (const struct x509_store_ctx_st *))                          \
    X(void, X509_VERIFY_PARAM_set_auth_level, (struct X509_VERIFY_PARAM_st *, int))                                          \
    X(struct stack_st *, OPENSSL_sk_new_null, (void))                                                                        \
    X(int, OPENSSL_sk_push, (struct stack_st *, const void *))                                                               \
    X(struct X509_crl_st *, d2i_X509_CRL, (struct X509_crl_st **, const unsigned char **, long))                             \
    X(void, X509_CRL_free, (struct X509_crl_st *))                                                                           \
    X(const struct asn1_string_st *, X509_CRL_get0_lastUpdate, (const struct X509_crl_st *))                                 \
    X(int, X509_CRL_get_ext_by_NID, (const struct X509_crl_st *, int, int))                                                  \
    X(struct X509_extension_st *, X509_CRL_get_ext, (const struct X509_crl_st *, int))                                       \
    X(struct asn1_string_st *, X509_EXTENSION_get_data, (struct X509_extension_st *))                                        \
    X(const struct asn1_string_st *, X509_CRL_get0_nextUpdate, (const struct X509_crl_st *))                                 \
    X(struct x509_st *, PEM_read_bio_X509_AUX,                                                                               \
      (struct bio_st *, struct x509_st **, int (*)(char *, int, int, void *), void *))                                       \
    X(void, X509_free, (struct x509_st *))                                                                                   \
    X(int, X509_up_ref, (struct x509_st *))                                                                                  \
    X(int, X509_VERIFY_PARAM_set_flags, (struct X509_VERIFY_PARAM_st *, unsigned long))                                      \
    X(void, X509_VERIFY_PARAM_set_hostflags, (struct X509_VERIFY_PARAM_st *, unsigned int))                                  \
    X(int, X509_VERIFY_PARAM_set1_ip_asc, (struct X509_VERIFY_PARAM_st *, const char *))                                     \
    X(int, X509_VERIFY_PARAM_set1_host, (struct X509_VERIFY_PARAM_st *, const char *, size_t))                               \
    X(int, X509_verify_cert, (struct x509_store_ctx_st *))                                                                   \
    X(const char *, X509_verify_cert_error_string, (long))                                                                   \
    X(void *, X509_STORE_CTX_get_ex_data, (const struct x509_store_ctx_st *, int))                                           \
    X(int, X509_STORE_CTX_get_error, (const struct x509_store_ctx_st *))                                                     \
    X(void, X509_STORE_CTX_set_error, (struct x509_store_ctx_st *, int))                                                     \
    X(int, X509_STORE_CTX_get_error_depth, (const struct x509_store_ctx_st *))                                               \
    X(struct x509_st *, X509_STORE_CTX_get_current_cert, (const struct x509_store_ctx_st *))                                 \
    X(struct stack_st_X509 *, X509_STORE_CTX_get0_untrusted, (const struct x509_store_ctx_st *))                             \
    X(struct x509_st *, X509_STORE_CTX_get0_cert, (const struct x509_store_ctx_st *))                                        \
    X(struct X509_name_st *, X509_get_subject_name, (const struct x509_st *))                                                \
    X(struct X509_name_st *, X509_get_issuer_name, (const struct x509_st *))                                                 \
    X(int, X509_NAME_print_ex, (struct bio_st *, const struct X509_name_st *, int, unsigned long))                           \
    X(const struct asn1_string_st *, X509_get0_notBefore, (const struct x509_st *))                                          \
    X(const struct asn1_string_st *, X509_get0_notAfter, (const struct x509_st *))                                           \
    X(int, ASN1_TIME_to_tm, (const struct asn1_string_st *, struct tm *))                                                    \
    X(int, i2d_X509, (const struct x509_st *, unsigned char **))                                                             \
    X(struct x509_st *, d2i_X509, (struct x509_st **, const unsigned char **, long))                                         \
    X(const struct asn1_string_st *, X509_get0_serialNumber, (const struct x509_st *))                                       \
    X(struct X509_pubkey_st *, X509_get_X509_PUBKEY, (const struct x509_st *))                                               \
    X(int, i2d_X509_PUBKEY, (const struct X509_pubkey_st *, unsigned char **))                                               \
    X(void *, X509_get_ext_d2i, (const struct x509_st *, int, int *, int *))                                                 \
    X(void *, GENERAL_NAME_get0_value, (const struct GENERAL_NAME_st *, int *))                                              \
    X(void, GENERAL_NAMES_free, (struct stack_st_GENERAL_NAME *))                                                            \
    X(const unsigned char *, ASN1_STRING_get0_data, (const struct asn1_string_st *))                                         \
    X(int, ASN1_STRING_length, (const struct asn1_string_st *))                                                              \
    X(int, ASN1_STRING_type, (const struct asn1_string_st *))                                                                \
    X(int, OPENSSL_sk_num, (const struct stack_st *))                                                                        \
    X(void, OPENSSL_sk_pop_free, (struct stack_st *, void (*)(void *)))                                                      \
    X(void *, OPENSSL_sk_value, (const struct stack_st *, int))                                                              \
    X(const char *, X509_get_default_cert_file, (void))                                                                      \
    X(const char *, X509_get_default_cert_dir, (void))                                                                       \
    X(const char *, X509_get_default_cert_file_env, (void))                                                                  \
    X(const char *, X509_get_default_cert_dir_env, (void))

#define FWTLS_CONSTANTS(X)                                                                                                   \
    X(SSL_ERROR_SSL, 1)                                                                                                      \
    X(SSL_ERROR_WANT_READ, 2)                                                                                                \
    X(SSL_ERROR_WANT_WRITE, 3)                                                                                               \
    X(SSL_ERROR_SYSCALL, 5)                                                                                                  \
    X(SSL_ERROR_ZERO_RETURN, 6)                                                                                              \
    X(SSL_ERROR_WANT_RETRY_VERIFY, 12)                                                                                       \
    X(SSL_CTRL_MODE, 33)                                                                                                     \
    X(SSL_CTRL_SET_SESS_CACHE_MODE, 44)                                                                                      \
    X(SSL_CTRL_SET_TLSEXT_HOSTNAME, 55)                                                                                      \
    X(SSL_CTRL_SET_TLSEXT_STATUS_REQ_TYPE, 65)                                                                               \
    X(SSL_CTRL_GET_TLSEXT_STATUS_REQ_OCSP_RESP, 70)                                                                          \
    X(SSL_CTRL_CLEAR_MODE, 78)                                                                                               \
    X(SSL_CTRL_SET_MIN_PROTO_VERSION, 123)                                                                                   \
    X(SSL_CTRL_CHAIN_CERT, 89)                                                                                               \
    X(SSL_CTRL_SET_MAX_PROTO_VERSION, 124)                                                                                   \
    X(SSL_CTRL_GET_MIN_PROTO_VERSION, 130)                                                                                   \
    X(SSL_CTRL_GET_MAX_PROTO_VERSION, 131)                                                                                   \
    X(SSL_CTRL_GET_SIGNATURE_NID, 132)                                                                                       \
    X(SSL_CTRL_SET_RETRY_VERIFY, 136)                                                                                        \
    X(SSL_MODE_ENABLE_PARTIAL_WRITE, 0x01)                                                                                   \
    X(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER, 0x02)                                                                             \
    X(SSL_MODE_AUTO_RETRY, 0x04)                                                                                             \
    X(SSL_MODE_NO_AUTO_CHAIN, 0x08)                                                                                          \
    X(SSL_MODE_RELEASE_BUFFERS, 0x10)                                                                                        \
    X(SSL_SESS_CACHE_CLIENT, 0x0001)                                                                                         \
    X(SSL_SESS_CACHE_NO_INTERNAL, 0x0300)                                                                                    \
    X(SSL_OP_IGNORE_UNEXPECTED_EOF, 1 << 7)                                                                                  \
    X(SSL_OP_NO_COMPRESSION, 1 << 17)                                                                                        \
    X(SSL_OP_NO_RENEGOTIATION, 1 << 30)                                                                                      \
    X(SSL_VERIFY_PEER, 1)                                                                                                    \
    X(TLSEXT_NAMETYPE_host_name, 0)                                                                                          \
    X(TLSEXT_STATUSTYPE_ocsp, 1)                                                                                             \
    X(TLS1_3_VERSION, 0x0304)                                                                                                \
    X(TLS_ST_CR_CERT, 4)                                                                                                     \
    X(SSL3_RT_MAX_PLAIN_LENGTH, 16384)                                                                                       \
    X(SSL_R_UNEXPECTED_EOF_WHILE_READING, 294)                                                                               \
    X(BIO_CTRL_EOF, 2)                                                                                                       \
    X(BIO_CTRL_INFO, 3)                                                                                                      \
    X(BIO_CTRL_FLUSH, 11)                                                                                                    \
    X(BIO_CTRL_DUP, 12)                                                                                                      \
    X(BIO_FLAGS_READ, 0x01)                                                                                                  \
    X(BIO_FLAGS_WRITE, 0x02)                                                                                                 \
    X(BIO_FLAGS_RWS, 0x07)                                                                                                   \
    X(BIO_FLAGS_SHOULD_RETRY, 0x08)                                                                                          \
    X(BIO_TYPE_SOURCE_SINK, 0x0400)                                                                                          \
    X(NID_delta_crl, 140)                                                                                                    \
    X(NID_issuing_distribution_point, 770)                                                                                   \
    X(NID_pkcs7_data, 21)                                                                                                    \
    X(NID_tlsfeature, 1020)                                                                                                  \
    X(OCSP_PARTIAL_CHAIN, 0x1000)                                                                                            \
    X(OCSP_RESPONSE_STATUS_SUCCESSFUL, 0)                                                                                    \
    X(V_OCSP_CERTSTATUS_GOOD, 0)                                                                                             \
    X(V_OCSP_CERTSTATUS_REVOKED, 1)                                                                                          \
    X(NID_keyBag, 150)                                                                                                       \
    X(NID_pkcs8ShroudedKeyBag, 151)                                                                                          \
    X(NID_subject_alt_name, 85)                                                                                              \
    X(GEN_DNS, 2)                                                                                                            \
    X(GEN_IPADD, 7)                                                                                                          \
    X(V_ASN1_NEG_INTEGER, 0x102)                                                                                             \
    X(ERR_LIB_EVP, 6)                                                                                                        \
    X(ERR_LIB_PEM, 9)                                                                                                        \
    X(ERR_LIB_SSL, 20)                                                                                                       \
    X(ERR_LIB_OFFSET, 23)                                                                                                    \
    X(ERR_LIB_MASK, 0xFF)                                                                                                    \
    X(ERR_REASON_MASK, 0x7FFFFF)                                                                                             \
    X(EVP_R_UNKNOWN_PBE_ALGORITHM, 121)                                                                                      \
    X(EVP_R_UNSUPPORTED_ALGORITHM, 156)                                                                                      \
    X(ERR_R_UNSUPPORTED, 0x8010C)                                                                                            \
    X(PEM_R_NO_START_LINE, 108)                                                                                              \
    X(X509_V_OK, 0)                                                                                                          \
    X(X509_V_ERR_UNSPECIFIED, 1)                                                                                             \
    X(X509_V_ERR_UNABLE_TO_GET_CRL, 3)                                                                                       \
    X(X509_V_ERR_CRL_NOT_YET_VALID, 11)                                                                                      \
    X(X509_V_ERR_CRL_HAS_EXPIRED, 12)                                                                                        \
    X(X509_V_ERR_APPLICATION_VERIFICATION, 50)                                                                               \
    X(X509_V_FLAG_CRL_CHECK, 0x4)                                                                                            \
    X(X509_V_FLAG_CRL_CHECK_ALL, 0x8)                                                                                        \
    X(X509_V_FLAG_PARTIAL_CHAIN, 0x80000)                                                                                    \
    X(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS, 0x4)                                                                             \
    X(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, 0x20)

// XN_FLAG_RFC2253 without ASN1_STRFLGS_ESC_MSB, so that names stay in UTF-8.
#define FWTLS_NAME_FLAGS 0x1110313

#endif
