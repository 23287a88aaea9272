#include "HTTP2TestServer.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

// nghttp2's types and numbers, as far as they are used here.
struct frame_head {
    size_t length;
    int32_t stream;
    uint8_t type;
    uint8_t flags;
    uint8_t reserved;
};

struct settings_entry {
    int32_t identifier;
    uint32_t value;
};

typedef ssize_t read_callback(
    void *session, int32_t stream, uint8_t *buffer, size_t size, uint32_t *flags, void *source, void *context);

struct data_provider {
    void *source;
    read_callback *read;
};

enum {
    DATA_EOF = 1,
    DATA_NO_END_STREAM = 2,
    ERROR_DEFERRED = -508,
    SETTINGS_MAX_CONCURRENT_STREAMS = 3,
    SETTINGS_INITIAL_WINDOW_SIZE = 4,
};

static struct {
    int (*session_callbacks_new)(void **callbacks);
    void (*session_callbacks_del)(void *callbacks);
    void (*session_callbacks_set_on_header_callback)(
        void *callbacks,
        int (*callback)(void *session, const struct frame_head *frame, const uint8_t *name, size_t name_size, const uint8_t *value,
            size_t value_size, uint8_t flags, void *context));
    void (*session_callbacks_set_on_data_chunk_recv_callback)(
        void *callbacks,
        int (*callback)(void *session, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t count, void *context));
    void (*session_callbacks_set_on_frame_recv_callback)(
        void *callbacks, int (*callback)(void *session, const struct frame_head *frame, void *context));
    void (*session_callbacks_set_on_frame_send_callback)(
        void *callbacks, int (*callback)(void *session, const struct frame_head *frame, void *context));
    void (*session_callbacks_set_on_stream_close_callback)(
        void *callbacks, int (*callback)(void *session, int32_t stream, uint32_t code, void *context));
    int (*option_new)(void **option);
    void (*option_del)(void *option);
    void (*option_set_no_auto_window_update)(void *option, int value);
    void (*option_set_max_send_header_block_length)(void *option, size_t value);
    int (*session_server_new2)(void **session, const void *callbacks, void *context, const void *option);
    void (*session_del)(void *session);
    ssize_t (*session_mem_recv)(void *session, const uint8_t *bytes, size_t count);
    ssize_t (*session_mem_send)(void *session, const uint8_t **bytes);
    int (*session_want_read)(void *session);
    int (*session_want_write)(void *session);
    int (*session_resume_data)(void *session, int32_t stream);
    int (*session_consume_connection)(void *session, size_t count);
    int (*session_consume_stream)(void *session, int32_t stream, size_t count);
    int32_t (*session_get_last_proc_stream_id)(void *session);
    int (*submit_settings)(void *session, uint8_t flags, const struct settings_entry *entries, size_t count);
    int (*submit_response)(
        void *session, int32_t stream, const struct http2test_field *fields, size_t count, const struct data_provider *provider);
    int (*submit_headers)(
        void *session, uint8_t flags, int32_t stream, const void *priority, const struct http2test_field *fields, size_t count,
        void *stream_context);
    int (*submit_trailer)(void *session, int32_t stream, const struct http2test_field *fields, size_t count);
    int (*submit_rst_stream)(void *session, uint8_t flags, int32_t stream, uint32_t code);
    int (*submit_goaway)(void *session, uint8_t flags, int32_t last, uint32_t code, const uint8_t *bytes, size_t count);
} nghttp2;

static char failure[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

#define SYMBOL(name) {"nghttp2_" #name, &nghttp2.name}

static void load(void) {
    const struct {
        const char *name;
        void *place;
    } symbols[] = {
        SYMBOL(session_callbacks_new), SYMBOL(session_callbacks_del), SYMBOL(session_callbacks_set_on_header_callback),
        SYMBOL(session_callbacks_set_on_data_chunk_recv_callback), SYMBOL(session_callbacks_set_on_frame_recv_callback),
        SYMBOL(session_callbacks_set_on_frame_send_callback), SYMBOL(session_callbacks_set_on_stream_close_callback),
        SYMBOL(option_new), SYMBOL(option_del), SYMBOL(option_set_no_auto_window_update),
        SYMBOL(option_set_max_send_header_block_length), SYMBOL(session_server_new2),
        SYMBOL(session_del), SYMBOL(session_mem_recv), SYMBOL(session_mem_send), SYMBOL(session_want_read),
        SYMBOL(session_want_write), SYMBOL(session_resume_data), SYMBOL(session_consume_connection),
        SYMBOL(session_consume_stream), SYMBOL(session_get_last_proc_stream_id), SYMBOL(submit_settings), SYMBOL(submit_response),
        SYMBOL(submit_headers), SYMBOL(submit_trailer), SYMBOL(submit_rst_stream), SYMBOL(submit_goaway),
    };
    void *library = dlopen("libnghttp2.so.14", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(failure, sizeof failure, "%s", dlerror());
        return;
    }
    for (size_t index = 0; index < sizeof symbols / sizeof *symbols; index++) {
        void *found = dlsym(library, symbols[index].name);
        if (found == NULL) {
            snprintf(failure, sizeof failure, "%s is missing", symbols[index].name);
            return;
        }
        memcpy(symbols[index].place, &found, sizeof found);
    }
}

const char *http2test_unavailable(void) {
    pthread_once(&once, load);
    return failure[0] == '\0' ? NULL : failure;
}

struct http2test_session {
    void *session;
    struct http2test_callbacks callbacks;
    void *context;
};

// MARK: Callbacks

static int on_header(
    void *session, const struct frame_head *frame, const uint8_t *name, size_t name_size, const uint8_t *value, size_t value_size,
    uint8_t flags, void *context) {
    (void)session;
    (void)flags;
    http2test_session *own = context;
    own->callbacks.header(own->context, frame->stream, name, name_size, value, value_size);
    return 0;
}

static int on_data(void *session, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t count, void *context) {
    (void)session;
    (void)flags;
    http2test_session *own = context;
    own->callbacks.data(own->context, stream, bytes, count);
    return 0;
}

static int on_received(void *session, const struct frame_head *frame, void *context) {
    (void)session;
    http2test_session *own = context;
    own->callbacks.received(own->context, frame->stream, frame->type, frame->flags);
    return 0;
}

static int on_sent(void *session, const struct frame_head *frame, void *context) {
    (void)session;
    http2test_session *own = context;
    own->callbacks.sent(own->context, frame->stream, frame->type, frame->flags);
    return 0;
}

static int on_closed(void *session, int32_t stream, uint32_t code, void *context) {
    (void)session;
    http2test_session *own = context;
    own->callbacks.closed(own->context, stream, code);
    return 0;
}

static ssize_t read_body(
    void *session, int32_t stream, uint8_t *buffer, size_t size, uint32_t *flags, void *source, void *context) {
    (void)session;
    (void)source;
    http2test_session *own = context;
    bool is_last = false;
    long result = own->callbacks.read(own->context, stream, buffer, size, &is_last);
    if (is_last) *flags |= DATA_EOF;
    switch (result) {
    case HTTP2TEST_WAIT: return ERROR_DEFERRED;
    case HTTP2TEST_END: *flags |= DATA_EOF; return 0;
    case HTTP2TEST_END_WITH_TRAILERS: *flags |= DATA_EOF | DATA_NO_END_STREAM; return 0;
    default: return result;
    }
}

// MARK: Sessions

static void *make_callbacks(void) {
    void *callbacks = NULL;
    if (nghttp2.session_callbacks_new(&callbacks) != 0) return NULL;
    nghttp2.session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2.session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2.session_callbacks_set_on_frame_recv_callback(callbacks, on_received);
    nghttp2.session_callbacks_set_on_frame_send_callback(callbacks, on_sent);
    nghttp2.session_callbacks_set_on_stream_close_callback(callbacks, on_closed);
    return callbacks;
}

http2test_session *http2test_session_make(
    const struct http2test_callbacks *callbacks, void *context, uint32_t maximum_streams, uint32_t window) {
    if (http2test_unavailable() != NULL) return NULL;
    http2test_session *own = calloc(1, sizeof *own);
    void *table = make_callbacks();
    void *option = NULL;
    nghttp2.option_new(&option);
    if (own == NULL || table == NULL || option == NULL) {
        free(own);
        own = NULL;
    } else {
        *own = (http2test_session){.callbacks = *callbacks, .context = context};
        nghttp2.option_set_no_auto_window_update(option, 1);
        // A longer block than this would not be sent, without a word.
        nghttp2.option_set_max_send_header_block_length(option, 4 << 20);
        const struct settings_entry entries[] = {
            {SETTINGS_MAX_CONCURRENT_STREAMS, maximum_streams}, {SETTINGS_INITIAL_WINDOW_SIZE, window},
        };
        if (nghttp2.session_server_new2(&own->session, table, own, option) != 0) {
            free(own);
            own = NULL;
        } else {
            nghttp2.submit_settings(own->session, 0, entries, 2);
        }
    }
    if (option != NULL) nghttp2.option_del(option);
    if (table != NULL) nghttp2.session_callbacks_del(table);
    return own;
}

void http2test_session_free(http2test_session *session) {
    if (session == NULL) return;
    nghttp2.session_del(session->session);
    free(session);
}

bool http2test_receive(http2test_session *session, const void *bytes, size_t count) {
    return nghttp2.session_mem_recv(session->session, bytes, count) == (ssize_t)count;
}

long http2test_output(http2test_session *session, const uint8_t **bytes) {
    return nghttp2.session_mem_send(session->session, bytes);
}

bool http2test_is_over(http2test_session *session) {
    return nghttp2.session_want_read(session->session) == 0 && nghttp2.session_want_write(session->session) == 0;
}

bool http2test_respond(
    http2test_session *session, int32_t stream, const struct http2test_field *fields, size_t count, bool has_body) {
    const struct data_provider provider = {.read = read_body};
    return nghttp2.submit_response(session->session, stream, fields, count, has_body ? &provider : NULL) == 0;
}

bool http2test_send_interim(http2test_session *session, int32_t stream, const struct http2test_field *fields, size_t count) {
    return nghttp2.submit_headers(session->session, 0, stream, NULL, fields, count, NULL) == 0;
}

bool http2test_send_trailers(http2test_session *session, int32_t stream, const struct http2test_field *fields, size_t count) {
    return nghttp2.submit_trailer(session->session, stream, fields, count) == 0;
}

void http2test_resume(http2test_session *session, int32_t stream) { nghttp2.session_resume_data(session->session, stream); }

void http2test_reset(http2test_session *session, int32_t stream, uint32_t code) {
    nghttp2.submit_rst_stream(session->session, 0, stream, code);
}

void http2test_go_away(http2test_session *session) {
    nghttp2.submit_goaway(session->session, 0, nghttp2.session_get_last_proc_stream_id(session->session), 0, NULL, 0);
}

void http2test_consume_connection(http2test_session *session, size_t count) {
    nghttp2.session_consume_connection(session->session, count);
}

void http2test_consume_stream(http2test_session *session, int32_t stream, size_t count) {
    nghttp2.session_consume_stream(session->session, stream, count);
}

#endif
