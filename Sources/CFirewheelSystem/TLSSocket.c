// The BIO over a socket: OpenSSL's own raises SIGPIPE when the peer has closed the connection.
#include "TLSTable.h"

#if defined(__linux__)

#include <errno.h>
#include <sys/socket.h>

static int send_bytes(struct bio_st *bio, const char *bytes, size_t count, size_t *sent) {
    const fwtls *tls = fwtls_current();
    fwtls_stream *stream = tls->BIO_get_data(bio);
    tls->BIO_clear_flags(bio, FW_BIO_FLAGS_RWS | FW_BIO_FLAGS_SHOULD_RETRY);
    ssize_t result;
    do {
        result = send(stream->descriptor, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (result < 0 && errno == EINTR);
    if (result >= 0) {
        *sent = (size_t)result;
        return 1;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
        tls->BIO_set_flags(bio, FW_BIO_FLAGS_WRITE | FW_BIO_FLAGS_SHOULD_RETRY);
    } else {
        stream->system_error = errno;
    }
    return 0;
}

static int receive_bytes(struct bio_st *bio, char *buffer, size_t count, size_t *received) {
    const fwtls *tls = fwtls_current();
    fwtls_stream *stream = tls->BIO_get_data(bio);
    tls->BIO_clear_flags(bio, FW_BIO_FLAGS_RWS | FW_BIO_FLAGS_SHOULD_RETRY);
    ssize_t result;
    do {
        result = recv(stream->descriptor, buffer, count, MSG_DONTWAIT);
    } while (result < 0 && errno == EINTR);
    if (result > 0) {
        *received = (size_t)result;
        return 1;
    }
    if (result == 0) {
        stream->is_at_end = true;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        stream->is_empty = true;
        tls->BIO_set_flags(bio, FW_BIO_FLAGS_READ | FW_BIO_FLAGS_SHOULD_RETRY);
    } else {
        stream->system_error = errno;
    }
    return 0;
}

static long control(struct bio_st *bio, int command, long number, void *pointer) {
    (void)number;
    (void)pointer;
    switch (command) {
    case FW_BIO_CTRL_EOF: {
        // Without this answer the end of the connection would look like a system error.
        const fwtls_stream *stream = fwtls_current()->BIO_get_data(bio);
        return stream->is_at_end;
    }
    case FW_BIO_CTRL_FLUSH:
    case FW_BIO_CTRL_DUP:
        return 1;
    default:
        return 0;
    }
}

struct bio_method_st *fwtls_socket_method(const fwtls *tls) {
    int index = tls->BIO_get_new_index();
    if (index < 0) return NULL;
    struct bio_method_st *method = tls->BIO_meth_new(index | FW_BIO_TYPE_SOURCE_SINK, "firewheel socket");
    if (method == NULL) return NULL;
    tls->BIO_meth_set_write_ex(method, send_bytes);
    tls->BIO_meth_set_read_ex(method, receive_bytes);
    tls->BIO_meth_set_ctrl(method, control);
    return method;
}

#endif
