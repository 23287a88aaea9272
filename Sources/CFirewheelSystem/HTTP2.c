#include "HTTP2Layouts.h"
#include "Loader.h"

#if defined(__linux__)

#include <stdlib.h>
#include <string.h>

struct fwhttp2 {
    struct fwnghttp2_info *(*version)(int least);

    int (*callbacks_new)(void **callbacks);
    void (*callbacks_free)(void *callbacks);
    void (*on_frame)(void *callbacks, int (*callback)(void *, const void *, void *));
    void (*on_frame_sent)(void *callbacks, int (*callback)(void *, const void *, void *));
    void (*on_invalid_frame)(void *callbacks, int (*callback)(void *, const void *, int, void *));
    void (*on_section)(void *callbacks, int (*callback)(void *, const void *, void *));
    void (*on_field)(
        void *callbacks,
        int (*callback)(void *, const void *, const unsigned char *, size_t, const unsigned char *, size_t, uint8_t, void *));
    void (*on_invalid_field)(
        void *callbacks,
        int (*callback)(void *, const void *, const unsigned char *, size_t, const unsigned char *, size_t, uint8_t, void *));
    void (*on_data)(void *callbacks, int (*callback)(void *, uint8_t, int32_t, const unsigned char *, size_t, void *));
    void (*on_closed)(void *callbacks, int (*callback)(void *, int32_t, uint32_t, void *));
    void (*send_data)(
        void *callbacks,
        int (*callback)(void *, const void *, const unsigned char *, size_t, union fwnghttp2_source *, void *));

    int (*option_new)(void **option);
    void (*option_free)(void *option);
    void (*no_automatic_windows)(void *option, int value);
    void (*sent_header_size)(void *option, size_t size);
    // NULL in releases without such limits.
    void (*continuations)(void *option, size_t count);
    void (*useless_frames)(void *option, uint64_t burst, uint64_t rate);

    int (*session_new)(void **session, const void *callbacks, void *context, const void *option);
    void (*session_free)(void *session);
    ssize_t (*receive)(void *session, const unsigned char *bytes, size_t count);
    ssize_t (*send)(void *session, const unsigned char **bytes);
    int (*wants_to_send)(void *session);
    size_t (*queued)(void *session);
    void *(*stream)(void *session, int32_t stream);
    int (*allows_request)(void *session);
    uint32_t (*remote_setting)(void *session, int setting);
    int (*set_next_stream)(void *session, int32_t stream);
    int (*set_window)(void *session, uint8_t flags, int32_t stream, int32_t size);
    int (*consume_connection)(void *session, size_t count);
    int (*consume_stream)(void *session, int32_t stream, size_t count);
    int (*terminate)(void *session, uint32_t code);
    int (*resume)(void *session, int32_t stream);

    int (*submit_settings)(void *session, uint8_t flags, const struct fwnghttp2_setting *settings, size_t count);
    int32_t (*submit_request)(
        void *session, const void *priority, const struct fwnghttp2_name_value *fields, size_t count,
        const struct fwnghttp2_provider *body, void *stream);
    int (*submit_trailers)(void *session, int32_t stream, const struct fwnghttp2_name_value *fields, size_t count);
    int (*submit_reset)(void *session, uint8_t flags, int32_t stream, uint32_t code);
    int (*submit_ping)(void *session, uint8_t flags, const unsigned char *payload);

    // Set up once, because each session takes a copy.
    void *callbacks;
};

struct fwhttp2_session {
    const fwhttp2 *http2;
    void *session;
    struct fwhttp2_callbacks callbacks;
    void *context;
    // How many bytes `fwhttp2_send` is still to give.
    size_t room;
};

_Static_assert(sizeof(struct fwhttp2_field) == sizeof(struct fwnghttp2_name_value), "fields are passed on as they are");
_Static_assert((int)FWHTTP2_NEVER_INDEXED == (int)FWNGHTTP2_NEVER_INDEXED, "flags are passed on as they are");
_Static_assert((int)FWHTTP2_ERROR_NO_MEMORY == (int)FWNGHTTP2_ERROR_NO_MEMORY, "errors are passed on as they are");
_Static_assert((int)FWHTTP2_ERROR_FLOODED == (int)FWNGHTTP2_ERROR_FLOODED, "errors are passed on as they are");

// MARK: Callbacks of the library

static void *stream_of(struct fwhttp2_session *self, int32_t stream) {
    return stream > 0 ? self->http2->stream(self->session, stream) : NULL;
}

static int frame_received(void *session, const void *bytes, void *context) {
    (void)session;
    struct fwhttp2_session *self = context;
    const struct fwnghttp2_frame *frame = bytes;
    const bool ends_stream = (frame->flags & FWNGHTTP2_FLAG_END_STREAM) != 0;
    switch (frame->type) {
    case FWNGHTTP2_FRAME_DATA:
        if (ends_stream) self->callbacks.data_ended(self->context, stream_of(self, frame->stream));
        break;
    case FWNGHTTP2_FRAME_HEADERS:
        self->callbacks.section_ended(self->context, stream_of(self, frame->stream), ends_stream);
        break;
    case FWNGHTTP2_FRAME_RESET:
        self->callbacks.reset(self->context, stream_of(self, frame->stream), ((const struct fwnghttp2_reset *)bytes)->code);
        break;
    case FWNGHTTP2_FRAME_SETTINGS:
        if (!(frame->flags & FWNGHTTP2_FLAG_ACK)) self->callbacks.settings(self->context);
        break;
    case FWNGHTTP2_FRAME_PING:
        if (frame->flags & FWNGHTTP2_FLAG_ACK) self->callbacks.ping_answered(self->context);
        break;
    case FWNGHTTP2_FRAME_GO_AWAY: {
        const struct fwnghttp2_go_away *away = bytes;
        self->callbacks.go_away(self->context, away->last_stream, away->code, away->text, away->text_count);
        break;
    }
    default:
        break;
    }
    return 0;
}

static int frame_sent(void *session, const void *bytes, void *context) {
    (void)session;
    struct fwhttp2_session *self = context;
    const struct fwnghttp2_frame *frame = bytes;
    if (frame->type == FWNGHTTP2_FRAME_HEADERS) {
        self->callbacks.head_sent(self->context, stream_of(self, frame->stream));
    } else if (frame->type == FWNGHTTP2_FRAME_GO_AWAY) {
        const struct fwnghttp2_go_away *away = bytes;
        self->callbacks.go_away_sent(self->context, away->code, away->text, away->text_count);
    }
    return 0;
}

static int frame_invalid(void *session, const void *bytes, int error, void *context) {
    (void)session;
    struct fwhttp2_session *self = context;
    // All other errors end the connection, or the stream as soon as its reset is sent.
    if (error != FWNGHTTP2_ERROR_FIELD && error != FWNGHTTP2_ERROR_MESSAGE) return 0;
    const struct fwnghttp2_frame *frame = bytes;
    void *stream = stream_of(self, frame->stream);
    if (stream != NULL) self->callbacks.invalid(self->context, stream, (frame->flags & FWNGHTTP2_FLAG_END_STREAM) != 0);
    return 0;
}

static int section_began(void *session, const void *bytes, void *context) {
    (void)session;
    struct fwhttp2_session *self = context;
    self->callbacks.section_began(self->context, stream_of(self, ((const struct fwnghttp2_frame *)bytes)->stream));
    return 0;
}

static int field_received(
    void *session, const void *bytes, const unsigned char *name, size_t name_count, const unsigned char *value, size_t value_count,
    uint8_t flags, void *context) {
    (void)session;
    (void)bytes;
    (void)flags;
    struct fwhttp2_session *self = context;
    const bool goes_on = self->callbacks.field(self->context, name, name_count, value, value_count, false);
    return goes_on ? 0 : FWNGHTTP2_ERROR_STREAM_FAILURE;
}

static int field_invalid(
    void *session, const void *bytes, const unsigned char *name, size_t name_count, const unsigned char *value, size_t value_count,
    uint8_t flags, void *context) {
    (void)session;
    (void)bytes;
    (void)flags;
    struct fwhttp2_session *self = context;
    const bool goes_on = self->callbacks.field(self->context, name, name_count, value, value_count, true);
    return goes_on ? 0 : FWNGHTTP2_ERROR_STREAM_FAILURE;
}

static int data_received(
    void *session, uint8_t flags, int32_t stream, const unsigned char *bytes, size_t count, void *context) {
    (void)flags;
    struct fwhttp2_session *self = context;
    // At once, so that a stream that nobody reads takes no more than its own window.
    const int result = self->http2->consume_connection(session, count);
    if (result < 0) return FWNGHTTP2_ERROR_CALLBACK_FAILURE;
    self->callbacks.data(self->context, stream_of(self, stream), bytes, count);
    return 0;
}

static int stream_closed(void *session, int32_t stream, uint32_t code, void *context) {
    (void)session;
    struct fwhttp2_session *self = context;
    void *pointer = stream_of(self, stream);
    if (pointer != NULL) self->callbacks.closed(self->context, pointer, code);
    return 0;
}

static ssize_t body_read(
    void *session, int32_t stream, unsigned char *buffer, size_t limit, uint32_t *flags, union fwnghttp2_source *source, void *context) {
    (void)session;
    (void)stream;
    (void)buffer;
    struct fwhttp2_session *self = context;
    int next = FWHTTP2_BODY_LATER;
    const size_t count = self->callbacks.read_body(self->context, source->pointer, limit, &next);
    if (next == FWHTTP2_BODY_LATER) return FWNGHTTP2_ERROR_DEFERRED;
    // The bytes go to the output directly, by `send_data`.
    *flags = FWNGHTTP2_DATA_NO_COPY;
    if (next != FWHTTP2_BODY_MORE) *flags |= FWNGHTTP2_DATA_EOF;
    if (next == FWHTTP2_BODY_TRAILERS) *flags |= FWNGHTTP2_DATA_NO_END_STREAM;
    return (ssize_t)count;
}

static int body_written(
    void *session, const void *bytes, const unsigned char *frame_head, size_t count, union fwnghttp2_source *source, void *context) {
    (void)session;
    (void)bytes;
    static const size_t frame_head_count = 9;
    struct fwhttp2_session *self = context;
    self->callbacks.write_body(self->context, source->pointer, frame_head, frame_head_count, count);
    const size_t written = frame_head_count + count;
    self->room = self->room > written ? self->room - written : 0;
    // Otherwise the library would go on to the end of the body.
    return self->room == 0 ? FWNGHTTP2_ERROR_PAUSE : 0;
}

// MARK: Loading

const fwhttp2 *fwhttp2_load(const char *soname, int least_version, struct fwsystem_failure *failure) {
    struct fwhttp2 *http2 = fwsystem_table(sizeof *http2, failure);
    if (http2 == NULL) return NULL;
    const struct fwsystem_symbol symbols[] = {
        {"nghttp2_version", &http2->version},
        {"nghttp2_session_callbacks_new", &http2->callbacks_new},
        {"nghttp2_session_callbacks_del", &http2->callbacks_free},
        {"nghttp2_session_callbacks_set_on_frame_recv_callback", &http2->on_frame},
        {"nghttp2_session_callbacks_set_on_frame_send_callback", &http2->on_frame_sent},
        {"nghttp2_session_callbacks_set_on_invalid_frame_recv_callback", &http2->on_invalid_frame},
        {"nghttp2_session_callbacks_set_on_begin_headers_callback", &http2->on_section},
        {"nghttp2_session_callbacks_set_on_header_callback", &http2->on_field},
        {"nghttp2_session_callbacks_set_on_invalid_header_callback", &http2->on_invalid_field},
        {"nghttp2_session_callbacks_set_on_data_chunk_recv_callback", &http2->on_data},
        {"nghttp2_session_callbacks_set_on_stream_close_callback", &http2->on_closed},
        {"nghttp2_session_callbacks_set_send_data_callback", &http2->send_data},
        {"nghttp2_option_new", &http2->option_new},
        {"nghttp2_option_del", &http2->option_free},
        {"nghttp2_option_set_no_auto_window_update", &http2->no_automatic_windows},
        {"nghttp2_option_set_max_send_header_block_length", &http2->sent_header_size},
        {"nghttp2_session_client_new2", &http2->session_new},
        {"nghttp2_session_del", &http2->session_free},
        {"nghttp2_session_mem_recv", &http2->receive},
        {"nghttp2_session_mem_send", &http2->send},
        {"nghttp2_session_want_write", &http2->wants_to_send},
        {"nghttp2_session_get_outbound_queue_size", &http2->queued},
        {"nghttp2_session_get_stream_user_data", &http2->stream},
        {"nghttp2_session_check_request_allowed", &http2->allows_request},
        {"nghttp2_session_get_remote_settings", &http2->remote_setting},
        {"nghttp2_session_set_next_stream_id", &http2->set_next_stream},
        {"nghttp2_session_set_local_window_size", &http2->set_window},
        {"nghttp2_session_consume_connection", &http2->consume_connection},
        {"nghttp2_session_consume_stream", &http2->consume_stream},
        {"nghttp2_session_terminate_session", &http2->terminate},
        {"nghttp2_session_resume_data", &http2->resume},
        {"nghttp2_submit_settings", &http2->submit_settings},
        {"nghttp2_submit_request", &http2->submit_request},
        {"nghttp2_submit_trailer", &http2->submit_trailers},
        {"nghttp2_submit_rst_stream", &http2->submit_reset},
        {"nghttp2_submit_ping", &http2->submit_ping},
    };
    if (!fwsystem_load(soname, symbols, sizeof symbols / sizeof *symbols, failure)) {
        free(http2);
        return NULL;
    }
    // Releases with a limit, and security updates that brought it, have its function.
    const struct fwsystem_symbol optional[] = {
        {"nghttp2_option_set_max_continuations", &http2->continuations},
        {"nghttp2_option_set_glitch_rate_limit", &http2->useless_frames},
    };
    struct fwsystem_failure ignored;
    for (size_t index = 0; index < sizeof optional / sizeof *optional; index++) fwsystem_load(soname, &optional[index], 1, &ignored);
    const struct fwnghttp2_info *info = http2->version(0);
    if (info == NULL || info->version_number < least_version) {
        fwsystem_fail(failure, FWSYSTEM_OLD_VERSION, info != NULL ? info->version_text : "unknown");
        free(http2);
        return NULL;
    }
    if (http2->callbacks_new(&http2->callbacks) != 0) {
        fwsystem_fail(failure, FWSYSTEM_NO_MEMORY, "out of memory");
        free(http2);
        return NULL;
    }
    http2->on_frame(http2->callbacks, frame_received);
    http2->on_frame_sent(http2->callbacks, frame_sent);
    http2->on_invalid_frame(http2->callbacks, frame_invalid);
    http2->on_section(http2->callbacks, section_began);
    http2->on_field(http2->callbacks, field_received);
    http2->on_invalid_field(http2->callbacks, field_invalid);
    http2->on_data(http2->callbacks, data_received);
    http2->on_closed(http2->callbacks, stream_closed);
    http2->send_data(http2->callbacks, body_written);
    return http2;
}

// MARK: Sessions

static bool begin(struct fwhttp2_session *self, const struct fwhttp2_options *options) {
    const fwhttp2 *http2 = self->http2;
    void *option = NULL;
    if (http2->option_new(&option) != 0) return false;
    http2->no_automatic_windows(option, 1);
    http2->sent_header_size(option, options->sent_header_size);
    if (http2->continuations != NULL) http2->continuations(option, options->continuations);
    if (http2->useless_frames != NULL) http2->useless_frames(option, options->useless_frames, options->useless_frames_per_second);
    const int result = http2->session_new(&self->session, http2->callbacks, self, option);
    http2->option_free(option);
    if (result != 0) return false;
    const struct fwnghttp2_setting settings[] = {
        {FWNGHTTP2_SETTING_ENABLE_PUSH, 0},
        {FWNGHTTP2_SETTING_WINDOW, options->stream_window},
        {FWNGHTTP2_SETTING_HEADER_LIST_SIZE, options->header_list_size},
    };
    if (http2->submit_settings(self->session, 0, settings, sizeof settings / sizeof *settings) != 0) return false;
    if (http2->set_window(self->session, 0, 0, options->connection_window) != 0) return false;
    return options->first_stream == 0 || http2->set_next_stream(self->session, options->first_stream) == 0;
}

fwhttp2_session *fwhttp2_create(
    const fwhttp2 *http2, const struct fwhttp2_options *options, const struct fwhttp2_callbacks *callbacks, void *context) {
    struct fwhttp2_session *self = calloc(1, sizeof *self);
    if (self == NULL) return NULL;
    self->http2 = http2;
    self->callbacks = *callbacks;
    self->context = context;
    if (begin(self, options)) return self;
    fwhttp2_free(self);
    return NULL;
}

void fwhttp2_free(fwhttp2_session *self) {
    self->http2->session_free(self->session);
    free(self);
}

int fwhttp2_receive(fwhttp2_session *self, const unsigned char *bytes, size_t count) {
    const ssize_t result = self->http2->receive(self->session, bytes, count);
    return result < 0 ? (int)result : 0;
}

int fwhttp2_send(fwhttp2_session *self, size_t least, bool bodies) {
    self->room = least;
    // The queue has no DATA, which is made when it is empty.
    while (self->room > 0 && (bodies || self->http2->queued(self->session) > 0)) {
        const unsigned char *bytes = NULL;
        const ssize_t count = self->http2->send(self->session, &bytes);
        if (count < 0) return (int)count;
        if (count == 0) return 0;
        self->callbacks.output(self->context, bytes, (size_t)count);
        self->room = self->room > (size_t)count ? self->room - (size_t)count : 0;
    }
    return 0;
}

bool fwhttp2_wants_to_send(const fwhttp2_session *self) { return self->http2->wants_to_send(self->session) != 0; }

int32_t fwhttp2_submit(fwhttp2_session *self, const struct fwhttp2_field *fields, size_t count, bool has_body, void *stream) {
    const struct fwnghttp2_provider body = {{.pointer = stream}, body_read};
    return self->http2->submit_request(
        self->session, NULL, (const struct fwnghttp2_name_value *)fields, count, has_body ? &body : NULL, stream);
}

int fwhttp2_submit_trailers(fwhttp2_session *self, int32_t stream, const struct fwhttp2_field *fields, size_t count) {
    return self->http2->submit_trailers(self->session, stream, (const struct fwnghttp2_name_value *)fields, count);
}

// The only failure of these is that there is no memory, which the next call of the session reports, or that the stream is gone.
void fwhttp2_resume(fwhttp2_session *self, int32_t stream) { self->http2->resume(self->session, stream); }
void fwhttp2_reset(fwhttp2_session *self, int32_t stream, uint32_t code) { self->http2->submit_reset(self->session, 0, stream, code); }
void fwhttp2_consume(fwhttp2_session *self, int32_t stream, size_t count) { self->http2->consume_stream(self->session, stream, count); }
void fwhttp2_ping(fwhttp2_session *self) { self->http2->submit_ping(self->session, 0, NULL); }
void fwhttp2_terminate(fwhttp2_session *self, uint32_t code) { self->http2->terminate(self->session, code); }

bool fwhttp2_allows_request(const fwhttp2_session *self) { return self->http2->allows_request(self->session) != 0; }

uint32_t fwhttp2_stream_limit(const fwhttp2_session *self) {
    return self->http2->remote_setting(self->session, FWNGHTTP2_SETTING_STREAMS);
}

#endif
