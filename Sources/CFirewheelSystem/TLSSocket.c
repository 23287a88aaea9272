// The BIO over a socket: OpenSSL's own raises SIGPIPE when the peer has closed the connection.
#include "TLSTable.h"

#if defined(__linux__)

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

// The size of a record's header (RFC 8446 section 5.1).
enum { RECORD_HEADER = 5 };

// Keeps the error of a call that has failed before the carrier, to which it says so, clears the queue.
static void keep_error(fwtls_stream *stream) {
    if (stream->kept_error == 0) stream->kept_error = fwtls_telling_error(stream->tls);
}

// Says what an operation that the carrier could not do has to wait for.
static void await_carrier(fwtls_stream *stream, struct bio_st *bio, ssize_t result) {
    const fwtls *tls = stream->tls;
    if (result == FWTLS_WANTS_READ) {
        tls->BIO_set_flags(bio, FW_BIO_FLAGS_READ | FW_BIO_FLAGS_SHOULD_RETRY);
    } else if (result == FWTLS_WANTS_WRITE) {
        tls->BIO_set_flags(bio, FW_BIO_FLAGS_WRITE | FW_BIO_FLAGS_SHOULD_RETRY);
    } else {
        int system_error = fwtls_stream_problem(stream->carrier).system_error;
        stream->system_error = system_error != 0 ? system_error : EPIPE;
    }
    // Errors that the carrier has reported are not this connection's.
    tls->ERR_clear_error();
}

static int send_bytes(struct bio_st *bio, const char *bytes, size_t count, size_t *sent) {
    const fwtls *tls = fwtls_current();
    fwtls_stream *stream = tls->BIO_get_data(bio);
    tls->BIO_clear_flags(bio, FW_BIO_FLAGS_RWS | FW_BIO_FLAGS_SHOULD_RETRY);
    ssize_t result;
    if (stream->carrier != NULL) {
        keep_error(stream);
        result = fwtls_send(stream->carrier, bytes, count);
        if (result < 0) await_carrier(stream, bio, result);
        *sent = result < 0 ? 0 : (size_t)result;
        return result >= 0;
    }
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

static size_t take_ahead(fwtls_stream *stream, char *buffer, size_t count) {
    size_t taken = count < stream->ahead_count ? count : stream->ahead_count;
    memcpy(buffer, stream->ahead + stream->ahead_start, taken);
    stream->ahead_start += taken;
    stream->ahead_count -= taken;
    return taken;
}

// OpenSSL asks for the header of each record and then for the rest. So the next header is received with the rest of a record, and a small
// record with its header, which costs one system call a record and copies no large one.
static ssize_t receive(fwtls_stream *stream, char *buffer, size_t count) {
    size_t room = !stream->reads_ahead ? 0 : count > RECORD_HEADER ? RECORD_HEADER : sizeof stream->ahead;
    struct iovec parts[] = {{buffer, count}, {stream->ahead, room}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = room > 0 ? 2 : 1};
    ssize_t result;
    do {
        result = recvmsg(stream->descriptor, &message, MSG_DONTWAIT);
    } while (result < 0 && errno == EINTR);
    if (result <= 0) return result;
    size_t total = (size_t)result;
    stream->is_drained = stream->reads_ahead && total < count + room;
    stream->ahead_start = 0;
    stream->ahead_count = total > count ? total - count : 0;
    return (ssize_t)(total - stream->ahead_count);
}

static int receive_from_carrier(fwtls_stream *stream, struct bio_st *bio, char *buffer, size_t count, size_t *received) {
    keep_error(stream);
    ssize_t result = fwtls_receive(stream->carrier, buffer, count);
    if (result > 0) {
        *received = (size_t)result;
        return 1;
    }
    stream->is_empty = result == FWTLS_WANTS_READ;
    stream->is_at_end = result == FWTLS_ENDED || result == FWTLS_TRUNCATED;
    if (stream->is_at_end) {
        stream->tls->ERR_clear_error();
    } else {
        await_carrier(stream, bio, result);
    }
    return 0;
}

static int receive_bytes(struct bio_st *bio, char *buffer, size_t count, size_t *received) {
    const fwtls *tls = fwtls_current();
    fwtls_stream *stream = tls->BIO_get_data(bio);
    tls->BIO_clear_flags(bio, FW_BIO_FLAGS_RWS | FW_BIO_FLAGS_SHOULD_RETRY);
    if (stream->carrier != NULL) return receive_from_carrier(stream, bio, buffer, count, received);
    if (stream->ahead_count > 0) {
        *received = take_ahead(stream, buffer, count);
        return 1;
    }
    ssize_t result = -1;
    errno = EAGAIN;
    if (!stream->is_drained) result = receive(stream, buffer, count);
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
