// The layouts and numbers of libnghttp2 that this target uses. Tests/HTTP2HeaderCheck compares them with the library's header.
#ifndef FIREWHEEL_HTTP2_LAYOUTS_H
#define FIREWHEEL_HTTP2_LAYOUTS_H

#if defined(__linux__)

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct fwnghttp2_info {
    int age;
    int version_number;
    const char *version_text;
    const char *protocol;
};

struct fwnghttp2_name_value {
    unsigned char *name;
    unsigned char *value;
    size_t name_count;
    size_t value_count;
    uint8_t flags;
};

struct fwnghttp2_setting {
    int32_t id;
    uint32_t value;
};

union fwnghttp2_source {
    int descriptor;
    void *pointer;
};

struct fwnghttp2_provider {
    union fwnghttp2_source source;
    ssize_t (*read)(
        void *session, int32_t stream, unsigned char *buffer, size_t limit, uint32_t *flags, union fwnghttp2_source *source, void *context);
};

// Every frame begins with this.
struct fwnghttp2_frame {
    size_t length;
    int32_t stream;
    uint8_t type;
    uint8_t flags;
    uint8_t reserved;
};

struct fwnghttp2_reset {
    struct fwnghttp2_frame head;
    uint32_t code;
};

struct fwnghttp2_go_away {
    struct fwnghttp2_frame head;
    int32_t last_stream;
    uint32_t code;
    unsigned char *text;
    size_t text_count;
    uint8_t reserved;
};

enum {
    FWNGHTTP2_FRAME_DATA = 0,
    FWNGHTTP2_FRAME_HEADERS = 1,
    FWNGHTTP2_FRAME_RESET = 3,
    FWNGHTTP2_FRAME_SETTINGS = 4,
    FWNGHTTP2_FRAME_PING = 6,
    FWNGHTTP2_FRAME_GO_AWAY = 7,

    FWNGHTTP2_FLAG_END_STREAM = 1,
    FWNGHTTP2_FLAG_ACK = 1,

    FWNGHTTP2_SETTING_ENABLE_PUSH = 2,
    FWNGHTTP2_SETTING_STREAMS = 3,
    FWNGHTTP2_SETTING_WINDOW = 4,
    FWNGHTTP2_SETTING_HEADER_LIST_SIZE = 6,

    FWNGHTTP2_DATA_EOF = 1,
    FWNGHTTP2_DATA_NO_END_STREAM = 2,
    FWNGHTTP2_DATA_NO_COPY = 4,

    FWNGHTTP2_NEVER_INDEXED = 1,

    FWNGHTTP2_ERROR_DEFERRED = -508,
    FWNGHTTP2_ERROR_STREAM_FAILURE = -521,
    FWNGHTTP2_ERROR_PAUSE = -526,
    FWNGHTTP2_ERROR_FIELD = -531,
    FWNGHTTP2_ERROR_MESSAGE = -532,
    FWNGHTTP2_ERROR_NO_MEMORY = -901,
    FWNGHTTP2_ERROR_CALLBACK_FAILURE = -902,
    FWNGHTTP2_ERROR_FLOODED = -904,
};

#endif
#endif
