// The parts of zlib's, brotli's and zstd's interfaces that Codings.c relies on. Tests/SystemHeaderCheck compares them with the libraries'
// own headers.
#ifndef FIREWHEEL_CODING_LAYOUTS_H
#define FIREWHEEL_CODING_LAYOUTS_H

#include <stddef.h>

// zlib's z_stream.
struct fwzlib_layout {
    const unsigned char *input;
    unsigned int input_count;
    unsigned long total_input;
    unsigned char *output;
    unsigned int output_count;
    unsigned long total_output;
    const char *message;
    void *state;
    void *allocate;
    void *release;
    void *context;
    int data_type;
    unsigned long checksum;
    unsigned long reserved;
};

enum {
    FWZLIB_OK = 0,
    FWZLIB_STREAM_END = 1,
    FWZLIB_MEMORY_ERROR = -4,
    FWZLIB_BUFFER_ERROR = -5,
    FWZLIB_NO_FLUSH = 0,
    FWZLIB_SYNC_FLUSH = 2,
    FWZLIB_FINISH = 4,
    FWZLIB_DEFLATED = 8,
    FWZLIB_DEFAULT_STRATEGY = 0,
    // Documented, without a name in the header.
    FWZLIB_DEFAULT_MEMORY_LEVEL = 8,
};

enum {
    FWBROTLI_ERROR = 0,
    FWBROTLI_SUCCESS = 1,
    FWBROTLI_NEEDS_INPUT = 2,
    FWBROTLI_NEEDS_OUTPUT = 3,
    // The codes for a lack of memory lie between these two.
    FWBROTLI_FIRST_MEMORY_ERROR = -21,
    FWBROTLI_LAST_MEMORY_ERROR = -30,
};

// zstd's ZSTD_inBuffer and ZSTD_outBuffer.
struct fwzstd_input {
    const void *bytes;
    size_t count;
    size_t position;
};

struct fwzstd_output {
    void *bytes;
    size_t count;
    size_t position;
};

enum {
    FWZSTD_WINDOW_LOG_MAXIMUM = 100,
    FWZSTD_ERROR_PREFIX_UNKNOWN = 10,
    FWZSTD_ERROR_WINDOW_TOO_LARGE = 16,
    FWZSTD_ERROR_MEMORY = 64,
};

#endif
