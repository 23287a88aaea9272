#include "TLSTable.h"

#if defined(__linux__)

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// How many records that are not data one call reads: more wait for the next turn, so that a flood of them holds up no others.
enum { MOST_OTHER_RECORDS = 16 };

static bool expect_name(const fwtls *tls, struct X509_VERIFY_PARAM_st *parameters, const char *name, bool is_address) {
    if (is_address) return tls->X509_VERIFY_PARAM_set1_ip_asc(parameters, name) == 1;
    return tls->X509_VERIFY_PARAM_set1_host(parameters, name, strlen(name)) == 1;
}

static int configure(fwtls_stream *stream, const char *name, bool is_address, const unsigned char *protocols, size_t protocols_count,
                     const fwtls_session *session) {
    const fwtls *tls = stream->tls;
    struct ssl_st *ssl = stream->ssl;
    // The first index is for the application.
    if (tls->SSL_set_ex_data(ssl, 0, stream) != 1) return 0;
    struct X509_VERIFY_PARAM_st *parameters = tls->SSL_get0_param(ssl);
    // Also without a name: name constraints heed them.
    tls->X509_VERIFY_PARAM_set_hostflags(parameters, FWTLS_HOST_FLAGS);
    // If the client is asked for a verdict, it compares the name itself: it may accept certificates for other names.
    if (!stream->asks && !expect_name(tls, parameters, name, is_address)) return 0;
    // RFC 6066 section 3: addresses are not sent.
    if (!is_address && tls->SSL_ctrl(ssl, FW_SSL_CTRL_SET_TLSEXT_HOSTNAME, FW_TLSEXT_NAMETYPE_host_name, (void *)name) != 1) return 0;
    // Returns 0 on success, unlike the others.
    if (protocols_count > 0 && tls->SSL_set_alpn_protos(ssl, protocols, (unsigned int)protocols_count) != 0) return 0;
    if (session != NULL && tls->SSL_set_session(ssl, (struct ssl_session_st *)session) != 1) return 0;
    struct bio_st *bio = tls->BIO_new(tls->method);
    if (bio == NULL) return 0;
    tls->BIO_set_data(bio, stream);
    tls->BIO_set_init(bio, 1);
    tls->SSL_set_bio(ssl, bio, bio);
    tls->SSL_set_connect_state(ssl);
    return 1;
}

fwtls_stream *fwtls_stream_create(
    const fwtls_context *context, int descriptor, fwtls_stream *carrier, const char *name, bool is_address,
    const unsigned char *protocols, size_t protocols_count, const fwtls_session *session) {
    // OpenSSL takes no name for any name, and one that begins with a dot for all names that end with it.
    if (name[0] == 0 || name[0] == '.') return NULL;
    fwtls_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) return NULL;
    const fwtls *tls = context->tls;
    stream->tls = tls;
    stream->descriptor = descriptor;
    stream->carrier = carrier;
    stream->asks = context->asks;
    stream->ssl = tls->SSL_new(context->context);
    if (stream->ssl != NULL && configure(stream, name, is_address, protocols, protocols_count, session)) return stream;
    tls->ERR_clear_error();
    fwtls_stream_free(stream);
    return NULL;
}

bool fwtls_request_status(fwtls_stream *stream) {
    // RFC 6066 section 8.
    stream->wants_status = stream->tls->SSL_ctrl(stream->ssl, FW_SSL_CTRL_SET_TLSEXT_STATUS_REQ_TYPE, FW_TLSEXT_STATUSTYPE_ocsp, NULL) == 1;
    return stream->wants_status;
}

void fwtls_stream_free(fwtls_stream *stream) {
    if (!fwtls_enter()) return;
    const fwtls *tls = stream->tls;
    if (stream->ssl != NULL) tls->SSL_free(stream->ssl);
    if (stream->concerned != NULL) tls->X509_free(stream->concerned);
    for (int index = 0; index < stream->session_count; index++) tls->SSL_SESSION_free(stream->sessions[index]);
    fwtls_leave();
    free(stream->repeated);
    free(stream);
}

// MARK: Bytes

static void begin_call(fwtls_stream *stream) {
    // SSL_get_error looks at the thread's queue of errors, which may hold one of another connection.
    stream->tls->ERR_clear_error();
    stream->system_error = 0;
    stream->is_empty = false;
    stream->kept_error = 0;
}

static int library_of(unsigned long code) { return (int)(code >> FW_ERR_LIB_OFFSET & FW_ERR_LIB_MASK); }

// The first error is the cause, unless libcrypto has reported one that libssl has put into its own terms.
unsigned long fwtls_telling_error(const fwtls *tls) {
    unsigned long first = tls->ERR_peek_error(), last = tls->ERR_peek_last_error();
    return library_of(first) != FW_ERR_LIB_SSL && library_of(last) == FW_ERR_LIB_SSL ? last : first;
}

// The result of a call that has not succeeded.
static int result_of(fwtls_stream *stream, int value) {
    const fwtls *tls = stream->tls;
    // A carrier has cleared the queue, without which SSL_get_error does not know of a failure.
    bool is_kept = stream->kept_error != 0;
    int kind = is_kept ? FW_SSL_ERROR_SSL : tls->SSL_get_error(stream->ssl, value);
    switch (kind) {
    case FW_SSL_ERROR_WANT_READ:
        return FWTLS_WANTS_READ;
    case FW_SSL_ERROR_WANT_WRITE:
        return FWTLS_WANTS_WRITE;
    case FW_SSL_ERROR_WANT_RETRY_VERIFY:
        if (stream->verdict == FWTLS_ASKED) return FWTLS_ASKS;
        break;
    case FW_SSL_ERROR_ZERO_RETURN:
        return FWTLS_ENDED;
    default:
        break;
    }
    unsigned long code = is_kept ? stream->kept_error : fwtls_telling_error(tls);
    int library = library_of(code), reason = (int)(code & FW_ERR_REASON_MASK);
    // The connection may also have refused the alert that follows an error of the protocol, which says nothing.
    int system_error = kind == FW_SSL_ERROR_SYSCALL ? stream->system_error : 0;
    bool is_end = library == FW_ERR_LIB_SSL && reason == FW_SSL_R_UNEXPECTED_EOF_WHILE_READING;
    if (is_end || (kind == FW_SSL_ERROR_SYSCALL && system_error == 0 && stream->is_at_end)) return FWTLS_TRUNCATED;
    stream->problem.system_error = system_error;
    stream->problem.library = library;
    stream->problem.reason = reason;
    stream->problem.text = tls->ERR_reason_error_string(code);
    stream->problem.is_in_certificates = tls->SSL_get_state(stream->ssl) == FW_TLS_ST_CR_CERT;
    tls->ERR_clear_error();
    return FWTLS_FAILED;
}

int fwtls_handshake(fwtls_stream *stream) {
    if (stream->is_complete) return FWTLS_DONE;
    if (stream->receive_end != 0) return stream->receive_end;
    // A call would ask again.
    if (stream->verdict == FWTLS_ASKED) return FWTLS_ASKS;
    begin_call(stream);
    int value = stream->tls->SSL_do_handshake(stream->ssl);
    if (value == 1 && stream->asks_late && stream->verdict == FWTLS_UNKNOWN) {
        stream->verdict = FWTLS_ASKED;
        return FWTLS_ASKS;
    }
    bool is_refused = stream->asks_late && stream->verdict == FWTLS_REFUSED;
    if (value == 1 && !is_refused) {
        stream->is_complete = true;
        return FWTLS_DONE;
    }
    // The server has finished its handshake: it hears that the connection ends.
    if (is_refused) stream->tls->SSL_shutdown(stream->ssl);
    int result = is_refused ? FWTLS_FAILED : result_of(stream, value);
    if (result == FWTLS_WANTS_READ || result == FWTLS_WANTS_WRITE || result == FWTLS_ASKS) return result;
    if (result == FWTLS_ENDED) result = FWTLS_TRUNCATED;
    stream->receive_end = result;
    stream->send_end = FWTLS_FAILED;
    return result;
}

ssize_t fwtls_receive(fwtls_stream *stream, void *buffer, size_t count) {
    stream->has_more = false;
    if (stream->receive_end != 0) return stream->receive_end;
    if (!stream->is_complete || count == 0) return FWTLS_WANTS_READ;
    const fwtls *tls = stream->tls;
    int result = FWTLS_WANTS_READ, other_records = 0;
    size_t filled = 0;
    // Only here: what is received ahead is announced by no socket, so that the caller has to be told.
    stream->reads_ahead = stream->carrier == NULL;
    while (filled < count && other_records < MOST_OTHER_RECORDS) {
        size_t received = 0;
        begin_call(stream);
        int value = tls->SSL_read_ex(stream->ssl, (unsigned char *)buffer + filled, count - filled, &received);
        if (value == 1) {
            filled += received;
            continue;
        }
        result = result_of(stream, value);
        // Without SSL_MODE_AUTO_RETRY this follows every record that is not data.
        if (result != FWTLS_WANTS_READ || stream->is_empty) break;
        other_records++;
    }
    stream->reads_ahead = false;
    stream->is_drained = false;
    bool is_end = result != FWTLS_WANTS_READ && result != FWTLS_WANTS_WRITE;
    if (is_end) stream->receive_end = result;
    if (filled > 0) {
        stream->has_more = result != FWTLS_WANTS_READ || stream->ahead_count > 0 || tls->SSL_pending(stream->ssl) > 0;
        return (ssize_t)filled;
    }
    stream->has_more = !is_end && stream->ahead_count > 0;
    return result;
}

// Keeps the bytes of a call that has to be repeated: OpenSSL may have made a record of them, whose length the next call has to have.
static bool keep_repeated(fwtls_stream *stream, const void *bytes, size_t count) {
    stream->repeated = malloc(count);
    if (stream->repeated == NULL) return false;
    memcpy(stream->repeated, bytes, count);
    stream->repeated_count = count;
    return true;
}

static void drop_repeated(fwtls_stream *stream) {
    free(stream->repeated);
    stream->repeated = NULL;
    stream->repeated_count = 0;
}

ssize_t fwtls_send(fwtls_stream *stream, const void *bytes, size_t count) {
    if (stream->sent_ahead > 0) {
        size_t taken = count < stream->sent_ahead ? count : stream->sent_ahead;
        stream->sent_ahead -= taken;
        return (ssize_t)taken;
    }
    if (stream->send_end != 0) return stream->send_end;
    if (!stream->is_complete) return FWTLS_WANTS_WRITE;
    bool is_repeated = stream->repeated != NULL;
    if (count == 0 && !is_repeated) return 0;
    const void *first = is_repeated ? stream->repeated : bytes;
    size_t size = count < FW_SSL3_RT_MAX_PLAIN_LENGTH ? count : FW_SSL3_RT_MAX_PLAIN_LENGTH;
    if (is_repeated) size = stream->repeated_count;
    size_t sent = 0;
    begin_call(stream);
    int value = stream->tls->SSL_write_ex(stream->ssl, first, size, &sent);
    if (value == 1) {
        if (is_repeated) drop_repeated(stream);
        if (sent <= count) return (ssize_t)sent;
        stream->sent_ahead = sent - count;
        return (ssize_t)count;
    }
    int result = result_of(stream, value);
    if (result == FWTLS_WANTS_READ || result == FWTLS_WANTS_WRITE) {
        if (is_repeated || keep_repeated(stream, bytes, size)) return result;
        stream->problem = (struct fwtls_problem){.system_error = ENOMEM};
    } else {
        if (result != FWTLS_FAILED) stream->problem = (struct fwtls_problem){.system_error = EPIPE};
        if (is_repeated) drop_repeated(stream);
    }
    stream->send_end = FWTLS_FAILED;
    return FWTLS_FAILED;
}

bool fwtls_has_more(const fwtls_stream *stream) {
    return stream->has_more || (stream->carrier != NULL && stream->receive_end == 0 && fwtls_has_more(stream->carrier));
}

void fwtls_send_close_notify(fwtls_stream *stream) {
    bool has_failed = stream->send_end != 0 || stream->receive_end == FWTLS_FAILED || stream->receive_end == FWTLS_TRUNCATED;
    if (!stream->is_complete || has_failed) return;
    begin_call(stream);
    stream->tls->SSL_shutdown(stream->ssl);
    stream->tls->ERR_clear_error();
    stream->send_end = FWTLS_FAILED;
    stream->problem = (struct fwtls_problem){.system_error = EPIPE};
}

struct fwtls_problem fwtls_stream_problem(const fwtls_stream *stream) { return stream->problem; }

// MARK: Facts

const char *fwtls_stream_version(const fwtls_stream *stream) { return stream->tls->SSL_get_version(stream->ssl); }

const char *fwtls_stream_cipher(const fwtls_stream *stream) {
    const struct ssl_cipher_st *cipher = stream->tls->SSL_get_current_cipher(stream->ssl);
    return cipher != NULL ? stream->tls->SSL_CIPHER_standard_name(cipher) : NULL;
}

bool fwtls_stream_is_resumed(const fwtls_stream *stream) {
    return stream->is_complete && stream->tls->SSL_session_reused(stream->ssl) == 1;
}

bool fwtls_stream_has_signed(const fwtls_stream *stream) {
    int algorithm = 0;
    return stream->tls->SSL_ctrl(stream->ssl, FW_SSL_CTRL_GET_SIGNATURE_NID, 0, &algorithm) == 1;
}

const unsigned char *fwtls_stream_protocol(const fwtls_stream *stream, size_t *count) {
    const unsigned char *name = NULL;
    unsigned int length = 0;
    stream->tls->SSL_get0_alpn_selected(stream->ssl, &name, &length);
    *count = length;
    return name;
}

// MARK: Sessions

static struct ssl_session_st *take_oldest_session(fwtls_stream *stream) {
    struct ssl_session_st *session = stream->sessions[0];
    stream->session_count--;
    memmove(stream->sessions, stream->sessions + 1, (size_t)stream->session_count * sizeof *stream->sessions);
    return session;
}

int fwtls_keep_session(struct ssl_st *ssl, struct ssl_session_st *session) {
    const fwtls *tls = fwtls_current();
    fwtls_stream *stream = tls->SSL_get_ex_data(ssl, 0);
    if (stream == NULL) return 0;
    if (stream->session_count == FWTLS_MOST_SESSIONS) tls->SSL_SESSION_free(take_oldest_session(stream));
    stream->sessions[stream->session_count++] = session;
    // The reference is the stream's now.
    return 1;
}

fwtls_session *fwtls_take_session(fwtls_stream *stream) {
    return stream->session_count > 0 ? (fwtls_session *)take_oldest_session(stream) : NULL;
}

#endif
