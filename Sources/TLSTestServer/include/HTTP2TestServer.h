// The server side of HTTP/2 for tests, over the system's libnghttp2, which is loaded at run time.
#ifndef HTTP2TESTSERVER_H
#define HTTP2TESTSERVER_H

#if defined(__linux__)

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Loads the library on the first call. Returns NULL if it can be used, or else why not.
const char *http2test_unavailable(void);

// One connection. Used by one thread at a time.
typedef struct http2test_session http2test_session;

enum {
    HTTP2TEST_DATA = 0,
    HTTP2TEST_HEADERS = 1,
    HTTP2TEST_END_STREAM = 1,
    HTTP2TEST_END_HEADERS = 4,
};

// What a body's reader answers besides a count.
enum {
    HTTP2TEST_WAIT = -1,
    HTTP2TEST_END = -2,
    HTTP2TEST_END_WITH_TRAILERS = -3,
};

// Called within `http2test_receive` and `http2test_output`, with the session's context.
struct http2test_callbacks {
    void (*header)(
        void *context, int32_t stream, const uint8_t *name, size_t name_size, const uint8_t *value, size_t value_size);
    void (*data)(void *context, int32_t stream, const uint8_t *bytes, size_t count);
    void (*received)(void *context, int32_t stream, int type, int flags);
    void (*sent)(void *context, int32_t stream, int type, int flags);
    void (*closed)(void *context, int32_t stream, uint32_t code);
    // Sets `is_last` if no more bytes and no trailers follow those that it gives.
    long (*read)(void *context, int32_t stream, uint8_t *buffer, size_t size, bool *is_last);
};

// The layout is nghttp2's; the bytes are copied.
struct http2test_field {
    const uint8_t *name;
    const uint8_t *value;
    size_t name_size;
    size_t value_size;
    uint8_t flags;
};

http2test_session *http2test_session_make(
    const struct http2test_callbacks *callbacks, void *context, uint32_t maximum_streams, uint32_t window);
void http2test_session_free(http2test_session *session);

// Takes in bytes of the client. Returns false if they are not HTTP/2.
bool http2test_receive(http2test_session *session, const void *bytes, size_t count);
// The next bytes for the client, valid until the next call; at most a frame of 16 KiB with its head. Returns 0 for none, below 0 for an
// error.
long http2test_output(http2test_session *session, const uint8_t **bytes);
// Whether the connection has nothing more to read and to write.
bool http2test_is_over(http2test_session *session);

// Without a body the fields end the stream; `http2test_callbacks.read` is asked for a body.
bool http2test_respond(
    http2test_session *session, int32_t stream, const struct http2test_field *fields, size_t count, bool has_body);
bool http2test_send_interim(http2test_session *session, int32_t stream, const struct http2test_field *fields, size_t count);
bool http2test_send_trailers(http2test_session *session, int32_t stream, const struct http2test_field *fields, size_t count);
// Has a body's reader asked again after it had to wait.
void http2test_resume(http2test_session *session, int32_t stream);
void http2test_reset(http2test_session *session, int32_t stream, uint32_t code);
// Sends GOAWAY with the last stream that is answered; later ones are refused.
void http2test_go_away(http2test_session *session);
// Opens windows again: the connection's when bytes have come, the stream's when they have been passed on.
void http2test_consume_connection(http2test_session *session, size_t count);
void http2test_consume_stream(http2test_session *session, int32_t stream, size_t count);

#endif
#endif
