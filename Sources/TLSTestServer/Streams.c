#include "OpenSSL.h"

#if defined(__linux__)

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Constants of OpenSSL's headers.
enum {
    CTRL_MODE = 33,
    CTRL_SET_SESSION_CACHE_MODE = 44,
    CTRL_SET_SERVER_NAME_CALLBACK = 53,
    CTRL_SET_TICKET_KEYS = 59,
    CTRL_SET_STATUS_CALLBACK = 63,
    CTRL_SET_STATUS_CALLBACK_ARGUMENT = 64,
    CTRL_SET_STATUS = 71,
    CTRL_CHAIN_CERTIFICATE = 89,
    CTRL_SET_MINIMUM_VERSION = 123,
    CTRL_SET_MAXIMUM_VERSION = 124,
    // ENABLE_PARTIAL_WRITE, ACCEPT_MOVING_WRITE_BUFFER, NO_AUTO_CHAIN
    MODES = 0x1 | 0x2 | 0x8,
    CACHE_SERVER = 2,
    VERIFY_PEER_STRICTLY = 1 | 2,
    ERROR_WANTS_READ = 2,
    ERROR_WANTS_WRITE = 3,
    ERROR_ZERO_RETURN = 6,
    CALLBACK_OK = 0,
    CALLBACK_FATAL = 2,
    CALLBACK_NONE = 3,
    CLIENT_HELLO_SUCCESS = 1,
    EXTENSION_SESSION_TICKET = 35,
    EXTENSION_PRE_SHARED_KEY = 41,
    KEY_UPDATE_REQUESTED = 1,
    BIO_CTRL_EOF_RETURN = 130,
};
static const uint64_t OPTION_NO_TICKET = (uint64_t)1 << 14;

struct tlstest_context {
    void *ssl;
    unsigned char protocols[256];
    size_t protocols_size;
    bool forces_protocol;
    bool requires_protocol;
    size_t ticket_data_size;
    unsigned char *status;
    size_t status_size;
};

struct tlstest_stream {
    void *ssl;
    // These belong to `ssl`.
    void *input;
    void *output;
    char server_name[256];
    char protocol[256];
    char version[16];
    char client_subject[256];
    char error[TLSTEST_ERROR_SIZE];
    unsigned char offered[1024];
    size_t offered_size;
    bool is_resumed;
    bool offers_session;
};

// MARK: Contexts

static int select_protocol(
    void *ssl, const unsigned char **selected, unsigned char *size, const unsigned char *offered, unsigned int offered_size,
    void *argument) {
    const tlstest_context *context = argument;
    tlstest_stream *stream = openssl.SSL_get_ex_data(ssl, 0);
    if (stream == NULL) return CALLBACK_FATAL;
    if (offered_size <= sizeof stream->offered) {
        memcpy(stream->offered, offered, offered_size);
        stream->offered_size = offered_size;
    }
    for (size_t own = 0; own < context->protocols_size; own += 1 + context->protocols[own]) {
        const unsigned char *name = context->protocols + own;
        bool is_selected = context->forces_protocol;
        for (unsigned int theirs = 0; theirs < offered_size && !is_selected; theirs += 1 + offered[theirs]) {
            is_selected = offered[theirs] == name[0] && memcmp(offered + theirs + 1, name + 1, name[0]) == 0;
        }
        if (!is_selected) continue;
        *selected = name + 1;
        *size = name[0];
        memcpy(stream->protocol, name + 1, name[0]);
        stream->protocol[name[0]] = '\0';
        return CALLBACK_OK;
    }
    return context->requires_protocol ? CALLBACK_FATAL : CALLBACK_NONE;
}

static int note_server_name(void *ssl, int *alert, void *argument) {
    (void)alert;
    (void)argument;
    tlstest_stream *stream = openssl.SSL_get_ex_data(ssl, 0);
    const char *name = openssl.SSL_get_servername(ssl, 0);
    if (stream == NULL || name == NULL) return CALLBACK_NONE;
    snprintf(stream->server_name, sizeof stream->server_name, "%s", name);
    return CALLBACK_OK;
}

static int add_ticket_data(void *ssl, void *argument) {
    static const unsigned char data[TLSTEST_TICKET_DATA_SIZE];
    return openssl.SSL_SESSION_set1_ticket_appdata(openssl.SSL_get_session(ssl), data, *(const size_t *)argument);
}

static int send_status(void *ssl, void *argument) {
    const tlstest_context *context = argument;
    // The connection frees it.
    unsigned char *copy = openssl.CRYPTO_malloc(context->status_size, __FILE__, __LINE__);
    if (copy == NULL) return CALLBACK_FATAL;
    memcpy(copy, context->status, context->status_size);
    openssl.SSL_ctrl(ssl, CTRL_SET_STATUS, (long)context->status_size, copy);
    return CALLBACK_OK;
}

static int note_client_hello(void *ssl, int *alert, void *argument) {
    (void)alert;
    (void)argument;
    tlstest_stream *stream = openssl.SSL_get_ex_data(ssl, 0);
    if (stream == NULL) return CLIENT_HELLO_SUCCESS;
    const unsigned char *bytes;
    size_t size;
    // A client without a session that could use a ticket sends an empty one (RFC 5077 section 3.2).
    if (openssl.SSL_client_hello_get0_ext(ssl, EXTENSION_SESSION_TICKET, &bytes, &size) == 1 && size > 0) stream->offers_session = true;
    if (openssl.SSL_client_hello_get0_ext(ssl, EXTENSION_PRE_SHARED_KEY, &bytes, &size) == 1) stream->offers_session = true;
    return CLIENT_HELLO_SUCCESS;
}

static bool set_up(
    void *ssl, const struct tlstest_settings *settings, const tlstest_certificate *const *chain, size_t chain_count,
    const tlstest_key *key, const tlstest_certificate *const *authorities, size_t authority_count) {
    static const unsigned char session_context[] = "tests";
    // Weak keys, signatures and versions are what some tests are about.
    openssl.SSL_CTX_set_security_level(ssl, 0);
    openssl.SSL_CTX_ctrl(ssl, CTRL_MODE, MODES, NULL);
    if (openssl.SSL_CTX_set_cipher_list(ssl, "ALL:@SECLEVEL=0") != 1
        || openssl.SSL_CTX_ctrl(ssl, CTRL_SET_MINIMUM_VERSION, settings->minimum_version, NULL) != 1
        || openssl.SSL_CTX_ctrl(ssl, CTRL_SET_MAXIMUM_VERSION, settings->maximum_version, NULL) != 1
        || openssl.SSL_CTX_set_session_id_context(ssl, session_context, sizeof session_context - 1) != 1) {
        return false;
    }
    openssl.SSL_CTX_ctrl(ssl, CTRL_SET_SESSION_CACHE_MODE, settings->has_session_cache ? CACHE_SERVER : 0, NULL);
    if (!settings->has_tickets) openssl.SSL_CTX_set_options(ssl, OPTION_NO_TICKET);
    if (!settings->has_tickets && !settings->has_session_cache) openssl.SSL_CTX_set_num_tickets(ssl, 0);
    if (settings->ticket_count > 0) openssl.SSL_CTX_set_num_tickets(ssl, settings->ticket_count);
    if (settings->ticket_key != NULL
        && openssl.SSL_CTX_ctrl(ssl, CTRL_SET_TICKET_KEYS, TLSTEST_TICKET_KEY_SIZE, (void *)settings->ticket_key) != 1) {
        return false;
    }
    if (chain_count > 0
        && (openssl.SSL_CTX_use_certificate(ssl, (void *)chain[0]) != 1 || openssl.SSL_CTX_use_PrivateKey(ssl, (void *)key) != 1)) {
        return false;
    }
    for (size_t index = 1; index < chain_count; index++) {
        if (openssl.SSL_CTX_ctrl(ssl, CTRL_CHAIN_CERTIFICATE, 1, (void *)chain[index]) != 1) return false;
    }
    for (size_t index = 0; index < authority_count; index++) {
        if (openssl.X509_STORE_add_cert(openssl.SSL_CTX_get_cert_store(ssl), (void *)authorities[index]) != 1
            || openssl.SSL_CTX_add_client_CA(ssl, (void *)authorities[index]) != 1) {
            return false;
        }
    }
    if (authority_count > 0) openssl.SSL_CTX_set_verify(ssl, VERIFY_PEER_STRICTLY, NULL);
    openssl.SSL_CTX_callback_ctrl(ssl, CTRL_SET_SERVER_NAME_CALLBACK, (void (*)(void))note_server_name);
    openssl.SSL_CTX_set_client_hello_cb(ssl, note_client_hello, NULL);
    return true;
}

tlstest_context *tlstest_context_make(
    const struct tlstest_settings *settings, const tlstest_certificate *const *chain, size_t chain_count, const tlstest_key *key,
    const tlstest_certificate *const *authorities, size_t authority_count, char error[TLSTEST_ERROR_SIZE]) {
    snprintf(error, TLSTEST_ERROR_SIZE, "OpenSSL cannot be used");
    tlstest_context *context = calloc(1, sizeof *context);
    if (context == NULL || settings->protocols_size > sizeof context->protocols || !tlstest_enter()) {
        free(context);
        return NULL;
    }
    openssl.ERR_clear_error();
    context->ssl = openssl.SSL_CTX_new(openssl.TLS_server_method());
    context->forces_protocol = settings->forces_protocol;
    context->requires_protocol = settings->requires_protocol;
    context->protocols_size = settings->protocols_size;
    if (settings->protocols_size > 0) memcpy(context->protocols, settings->protocols, settings->protocols_size);
    if (context->ssl == NULL || !set_up(context->ssl, settings, chain, chain_count, key, authorities, authority_count)) {
        tlstest_reason(error);
        openssl.SSL_CTX_free(context->ssl);
        free(context);
        context = NULL;
    } else {
        openssl.SSL_CTX_set_alpn_select_cb(context->ssl, select_protocol, context);
        context->status = settings->status_size > 0 ? malloc(settings->status_size) : NULL;
        if (context->status != NULL) {
            memcpy(context->status, settings->status, settings->status_size);
            context->status_size = settings->status_size;
            openssl.SSL_CTX_callback_ctrl(context->ssl, CTRL_SET_STATUS_CALLBACK, (void (*)(void))send_status);
            openssl.SSL_CTX_ctrl(context->ssl, CTRL_SET_STATUS_CALLBACK_ARGUMENT, 0, context);
        }
        context->ticket_data_size = settings->ticket_data_size;
        if (context->ticket_data_size > TLSTEST_TICKET_DATA_SIZE) context->ticket_data_size = TLSTEST_TICKET_DATA_SIZE;
        if (context->ticket_data_size > 0) {
            openssl.SSL_CTX_set_session_ticket_cb(context->ssl, add_ticket_data, NULL, &context->ticket_data_size);
        }
    }
    tlstest_leave();
    return context;
}

void tlstest_context_free(tlstest_context *context) {
    if (context == NULL || !tlstest_enter()) return;
    openssl.SSL_CTX_free(context->ssl);
    tlstest_leave();
    free(context->status);
    free(context);
}

// MARK: Streams

tlstest_stream *tlstest_stream_make(tlstest_context *context) {
    if (!tlstest_enter()) return NULL;
    tlstest_stream *stream = calloc(1, sizeof *stream);
    void *ssl = openssl.SSL_new(context->ssl);
    void *input = openssl.BIO_new(openssl.BIO_s_mem());
    void *output = openssl.BIO_new(openssl.BIO_s_mem());
    if (stream != NULL && ssl != NULL && input != NULL && output != NULL) {
        // An empty input is not an end.
        openssl.BIO_ctrl(input, BIO_CTRL_EOF_RETURN, -1, NULL);
        openssl.SSL_set_bio(ssl, input, output);
        openssl.SSL_set_accept_state(ssl);
        openssl.SSL_set_ex_data(ssl, 0, stream);
        *stream = (tlstest_stream){.ssl = ssl, .input = input, .output = output};
    } else {
        openssl.SSL_free(ssl);
        openssl.BIO_free(input);
        openssl.BIO_free(output);
        free(stream);
        stream = NULL;
    }
    tlstest_leave();
    return stream;
}

void tlstest_stream_free(tlstest_stream *stream) {
    if (stream == NULL || !tlstest_enter()) return;
    openssl.SSL_free(stream->ssl);
    tlstest_leave();
    free(stream);
}

bool tlstest_stream_feed(tlstest_stream *stream, const void *bytes, size_t count) {
    if (count > INT_MAX || !tlstest_enter()) return false;
    bool is_taken = openssl.BIO_write(stream->input, bytes, (int)count) == (int)count;
    tlstest_leave();
    return is_taken;
}

size_t tlstest_stream_output(tlstest_stream *stream, void *buffer, size_t size) {
    if (size > INT_MAX || !tlstest_enter()) return 0;
    int count = openssl.BIO_read(stream->output, buffer, (int)size);
    tlstest_leave();
    return count > 0 ? (size_t)count : 0;
}

// The meaning of a result of 0 or less. To be called right behind the call that gave it.
static long meaning(tlstest_stream *stream, int result) {
    switch (openssl.SSL_get_error(stream->ssl, result)) {
    case ERROR_WANTS_READ:
    case ERROR_WANTS_WRITE: return TLSTEST_WAITS;
    case ERROR_ZERO_RETURN: return TLSTEST_ENDED;
    default:
        if (stream->error[0] == '\0') tlstest_reason(stream->error);
        return TLSTEST_FAILED;
    }
}

long tlstest_stream_handshake(tlstest_stream *stream) {
    if (!tlstest_enter()) return TLSTEST_FAILED;
    openssl.ERR_clear_error();
    int result = openssl.SSL_do_handshake(stream->ssl);
    long outcome = result == 1 ? 0 : meaning(stream, result);
    // The version is not known before the client's first message.
    if (outcome == 0) {
        snprintf(stream->version, sizeof stream->version, "%s", openssl.SSL_get_version(stream->ssl));
        stream->is_resumed = openssl.SSL_session_reused(stream->ssl) == 1;
        void *certificate = openssl.SSL_get1_peer_certificate(stream->ssl);
        if (certificate != NULL) {
            openssl.X509_NAME_oneline(
                openssl.X509_get_subject_name(certificate), stream->client_subject, (int)sizeof stream->client_subject);
            openssl.X509_free(certificate);
        }
    }
    tlstest_leave();
    return outcome;
}

long tlstest_stream_read(tlstest_stream *stream, void *buffer, size_t size) {
    if (size > INT_MAX || !tlstest_enter()) return TLSTEST_FAILED;
    openssl.ERR_clear_error();
    int result = openssl.SSL_read(stream->ssl, buffer, (int)size);
    long outcome = result > 0 ? result : meaning(stream, result);
    tlstest_leave();
    return outcome;
}

long tlstest_stream_write(tlstest_stream *stream, const void *bytes, size_t count) {
    if (count > INT_MAX || !tlstest_enter()) return TLSTEST_FAILED;
    openssl.ERR_clear_error();
    int result = openssl.SSL_write(stream->ssl, bytes, (int)count);
    long outcome = result > 0 ? result : meaning(stream, result);
    tlstest_leave();
    return outcome;
}

void tlstest_stream_close(tlstest_stream *stream) {
    if (!tlstest_enter()) return;
    openssl.ERR_clear_error();
    openssl.SSL_shutdown(stream->ssl);
    tlstest_leave();
}

bool tlstest_stream_update_keys(tlstest_stream *stream) {
    if (!tlstest_enter()) return false;
    openssl.ERR_clear_error();
    bool is_asked = openssl.SSL_key_update(stream->ssl, KEY_UPDATE_REQUESTED) == 1 && openssl.SSL_do_handshake(stream->ssl) == 1;
    tlstest_leave();
    return is_asked;
}

bool tlstest_stream_renegotiate(tlstest_stream *stream) {
    if (!tlstest_enter()) return false;
    openssl.ERR_clear_error();
    bool is_asked = openssl.SSL_renegotiate(stream->ssl) == 1;
    // Sends HelloRequest and does not wait for the answer.
    if (is_asked) openssl.SSL_do_handshake(stream->ssl);
    tlstest_leave();
    return is_asked;
}

const char *tlstest_stream_version(const tlstest_stream *stream) { return stream->version; }
const char *tlstest_stream_protocol(const tlstest_stream *stream) { return stream->protocol; }
const char *tlstest_stream_server_name(const tlstest_stream *stream) { return stream->server_name; }
const char *tlstest_stream_error(const tlstest_stream *stream) { return stream->error; }
const char *tlstest_stream_client_subject(const tlstest_stream *stream) { return stream->client_subject; }
bool tlstest_stream_is_resumed(const tlstest_stream *stream) { return stream->is_resumed; }
bool tlstest_stream_offers_session(const tlstest_stream *stream) { return stream->offers_session; }

const unsigned char *tlstest_stream_offered(const tlstest_stream *stream, size_t *size) {
    *size = stream->offered_size;
    return stream->offered;
}

#endif
