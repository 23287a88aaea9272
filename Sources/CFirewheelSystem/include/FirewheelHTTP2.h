// HTTP/2 framing and HPACK by libnghttp2, behind a table of plain callbacks: a session is fed with received bytes and gives bytes to send.
// Included by CFirewheelSystem.h.
#ifndef FIREWHEELHTTP2_H
#define FIREWHEELHTTP2_H

#if defined(__linux__)

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fwsystem_failure;

typedef struct fwhttp2 fwhttp2;
typedef struct fwhttp2_session fwhttp2_session;

// Loads libnghttp2 by file name, with a least version of 0xMMNNPP. Returns NULL and sets the failure if it cannot be used.
const fwhttp2 *fwhttp2_load(const char *soname, int least_version, struct fwsystem_failure *failure);

// A field to send. Names are in lower case. Both are copied.
struct fwhttp2_field {
    const unsigned char *name;
    const unsigned char *value;
    size_t name_count;
    size_t value_count;
    // FWHTTP2_NEVER_INDEXED or 0.
    uint8_t flags;
};

enum {
    // The field is not put into a compression table, here and by intermediaries (RFC 7541 section 7.1.3).
    FWHTTP2_NEVER_INDEXED = 1,
};

// What a body's source says in answer to `read_body`.
enum {
    // There is more than these bytes.
    FWHTTP2_BODY_MORE = 0,
    // The body and the request end with these bytes.
    FWHTTP2_BODY_END,
    // The body ends with these bytes, and trailer fields follow: they are submitted before the callback returns.
    FWHTTP2_BODY_TRAILERS,
    // There are no bytes now. `fwhttp2_resume` asks again.
    FWHTTP2_BODY_LATER,
};

// Error codes of libnghttp2 that callers tell apart.
enum {
    FWHTTP2_ERROR_NO_MEMORY = -901,
    FWHTTP2_ERROR_FLOODED = -904,
    FWHTTP2_ERROR_CONTINUATIONS = -905,
};

// Called by `fwhttp2_receive` and `fwhttp2_send` with the session's context. A stream is the pointer of its submission; NULL if it is not
// known any more. None of them may call `fwhttp2_receive`, `fwhttp2_send` or `fwhttp2_free`.
struct fwhttp2_callbacks {
    // A header or trailer section begins, has a field, and is complete. Sections of different streams do not mix.
    void (*section_began)(void *context, void *stream);
    // Returns false to reset the stream. `is_suspect` is set for a regular field that RFC 9113 section 8.2.1 does not allow.
    bool (*field)(
        void *context, const unsigned char *name, size_t name_count, const unsigned char *value, size_t value_count, bool is_suspect);
    void (*section_ended)(void *context, void *stream, bool ends_stream);
    void (*data)(void *context, void *stream, const unsigned char *bytes, size_t count);
    void (*data_ended)(void *context, void *stream);
    // The peer has reset the stream; `closed` follows.
    void (*reset)(void *context, void *stream, uint32_t code);
    // A stream's header or trailer section was invalid, so the library resets the stream.
    void (*invalid)(void *context, void *stream, bool ends_stream);
    // The library has forgotten the stream, and nothing more is reported of it.
    void (*closed)(void *context, void *stream, uint32_t code);
    void (*settings)(void *context);
    void (*ping_answered)(void *context);
    void (*go_away)(void *context, int32_t last_stream, uint32_t code, const unsigned char *text, size_t count);

    // Bytes to send.
    void (*output)(void *context, const unsigned char *bytes, size_t count);
    // A stream's request fields, or GOAWAY, were given to `output`. The code is not 0 if the library has found the peer at fault.
    void (*head_sent)(void *context, void *stream);
    void (*go_away_sent)(void *context, uint32_t code, const unsigned char *text, size_t count);
    // How many of the body's next bytes can be taken, up to the limit, and what follows (FWHTTP2_BODY_…).
    size_t (*read_body)(void *context, void *stream, size_t limit, int *next);
    // Takes that many bytes of the body and gives them to the output behind a frame's head.
    void (*write_body)(void *context, void *stream, const unsigned char *frame_head, size_t frame_head_count, size_t count);
};

// The numbers that a session announces in its first frames.
struct fwhttp2_options {
    // The windows of flow control (RFC 9113 section 6.9).
    uint32_t stream_window;
    int32_t connection_window;
    uint32_t header_list_size;
    // The most bytes of a request's fields.
    size_t sent_header_size;
    // The most CONTINUATION frames of a section, each counted as often as its head is cut by the pieces in which bytes are received.
    size_t continuations;
    // The most frames that carry nothing, and how many more of them each second allows.
    uint64_t useless_frames;
    uint64_t useless_frames_per_second;
    // The id of the first stream; 0 for the least.
    int32_t first_stream;
};

// Creates a client's session. The callbacks are copied. Returns NULL if there is no memory.
fwhttp2_session *fwhttp2_create(
    const fwhttp2 *http2, const struct fwhttp2_options *options, const struct fwhttp2_callbacks *callbacks, void *context);
// No callback is called for open streams.
void fwhttp2_free(fwhttp2_session *session);

// Handles received bytes. Returns 0, or a negative error code: the session cannot be used again.
int fwhttp2_receive(fwhttp2_session *session, const unsigned char *bytes, size_t count);
// Gives at least this many bytes to `output`, or all that there are; a frame is not cut. Without bodies it stops where only frames of these
// are left. Returns 0 or a negative error code.
int fwhttp2_send(fwhttp2_session *session, size_t least, bool bodies);
bool fwhttp2_wants_to_send(const fwhttp2_session *session);

// Submits a request. Returns its stream's id, or a negative error code.
int32_t fwhttp2_submit(fwhttp2_session *session, const struct fwhttp2_field *fields, size_t count, bool has_body, void *stream);
// Submits trailer fields within `read_body`. Returns 0 or a negative error code.
int fwhttp2_submit_trailers(fwhttp2_session *session, int32_t stream, const struct fwhttp2_field *fields, size_t count);
// Has `read_body` called again.
void fwhttp2_resume(fwhttp2_session *session, int32_t stream);
void fwhttp2_reset(fwhttp2_session *session, int32_t stream, uint32_t code);
// Says that bytes of a stream's body were used, so that the peer may send as many more. The connection's window needs no such call.
void fwhttp2_consume(fwhttp2_session *session, int32_t stream, size_t count);
void fwhttp2_ping(fwhttp2_session *session);
// Sends GOAWAY; received bytes are ignored from now on.
void fwhttp2_terminate(fwhttp2_session *session, uint32_t code);

// Whether a request may be submitted: no GOAWAY was sent or received, and there are stream ids left.
bool fwhttp2_allows_request(const fwhttp2_session *session);
// The most streams that the peer allows at a time; 100 before its first SETTINGS.
uint32_t fwhttp2_stream_limit(const fwhttp2_session *session);

#endif
#endif
