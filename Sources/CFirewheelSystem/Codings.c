#include "CodingLayouts.h"
#include "Loader.h"

#if defined(__linux__)

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Whether a version of the form 0xMMNNPP is recent enough; otherwise sets the failure.
static bool is_recent(unsigned long version, unsigned long least_version, struct fwsystem_failure *failure) {
    if (version >= least_version) return true;
    char text[64];
    snprintf(text, sizeof text, "%lu.%lu.%lu", version >> 16, version >> 8 & 0xFF, version & 0xFF);
    fwsystem_fail(failure, FWSYSTEM_OLD_VERSION, text);
    return false;
}

static void advance(struct fwcoding_buffers *buffers, size_t consumed, size_t written) {
    // No offset is added to NULL, which stands for no input.
    if (consumed > 0) buffers->input += consumed;
    buffers->input_count -= consumed;
    buffers->output += written;
    buffers->output_count -= written;
}

// MARK: zlib

struct fwzlib {
    const char *(*version)(void);
    int (*initialise)(struct fwzlib_layout *stream, int format, const char *version, int size);
    int (*inflate)(struct fwzlib_layout *stream, int flush);
    int (*reset)(struct fwzlib_layout *stream);
    int (*reset_keeping_window)(struct fwzlib_layout *stream);
    int (*end)(struct fwzlib_layout *stream);
    int (*initialise_deflate)(
        struct fwzlib_layout *stream, int level, int method, int format, int memory_level, int strategy, const char *version, int size);
    int (*deflate)(struct fwzlib_layout *stream, int flush);
    int (*reset_deflate)(struct fwzlib_layout *stream);
    int (*end_deflate)(struct fwzlib_layout *stream);
};

struct fwzlib_decoder {
    const fwzlib *zlib;
    struct fwzlib_layout stream;
};

struct fwzlib_encoder {
    const fwzlib *zlib;
    struct fwzlib_layout stream;
};

// zlib compares the first character of the version, and the size of the stream, with its own.
static const char zlib_version[] = "1.2.11";

const fwzlib *fwzlib_load(const char *soname, unsigned long least_version, struct fwsystem_failure *failure) {
    struct fwzlib *zlib = fwsystem_table(sizeof *zlib, failure);
    if (zlib == NULL) return NULL;
    const struct fwsystem_symbol symbols[] = {
        {"zlibVersion", &zlib->version},
        {"inflateInit2_", &zlib->initialise},
        {"inflate", &zlib->inflate},
        {"inflateReset", &zlib->reset},
        {"inflateResetKeep", &zlib->reset_keeping_window},
        {"inflateEnd", &zlib->end},
        {"deflateInit2_", &zlib->initialise_deflate},
        {"deflate", &zlib->deflate},
        {"deflateReset", &zlib->reset_deflate},
        {"deflateEnd", &zlib->end_deflate},
    };
    if (!fwsystem_load(soname, symbols, sizeof symbols / sizeof *symbols, failure)) {
        free(zlib);
        return NULL;
    }
    unsigned int major = 0, minor = 0, patch = 0;
    sscanf(zlib->version(), "%3u.%3u.%3u", &major, &minor, &patch);
    if (!is_recent((unsigned long)major << 16 | minor << 8 | patch, least_version, failure)) {
        free(zlib);
        return NULL;
    }
    return zlib;
}

fwzlib_decoder *fwzlib_create(const fwzlib *zlib, int format) {
    fwzlib_decoder *decoder = calloc(1, sizeof *decoder);
    if (decoder == NULL) return NULL;
    decoder->zlib = zlib;
    if (zlib->initialise(&decoder->stream, format, zlib_version, (int)sizeof decoder->stream) != FWZLIB_OK) {
        free(decoder);
        return NULL;
    }
    return decoder;
}

// Runs zlib's inflate or deflate. The counts are limited to INT_MAX.
static int zlib_step(
    int (*step)(struct fwzlib_layout *stream, int flush), struct fwzlib_layout *stream, int flush, struct fwcoding_buffers *buffers) {
    unsigned int input_count = buffers->input_count < INT_MAX ? (unsigned int)buffers->input_count : INT_MAX;
    unsigned int output_count = buffers->output_count < INT_MAX ? (unsigned int)buffers->output_count : INT_MAX;
    // zlib refuses NULL even where there are no bytes.
    static const unsigned char nothing;
    stream->input = buffers->input != NULL ? buffers->input : &nothing;
    stream->input_count = input_count;
    stream->output = buffers->output;
    stream->output_count = output_count;
    int result = step(stream, flush);
    advance(buffers, input_count - stream->input_count, output_count - stream->output_count);
    stream->input = NULL;
    stream->output = NULL;
    switch (result) {
    case FWZLIB_OK:
    case FWZLIB_BUFFER_ERROR:
        return FWCODING_MORE;
    case FWZLIB_STREAM_END:
        return FWCODING_END;
    case FWZLIB_MEMORY_ERROR:
        return FWCODING_NO_MEMORY;
    default:
        return FWCODING_BAD;
    }
}

int fwzlib_step(fwzlib_decoder *decoder, struct fwcoding_buffers *buffers) {
    return zlib_step(decoder->zlib->inflate, &decoder->stream, FWZLIB_SYNC_FLUSH, buffers);
}

bool fwzlib_reset(fwzlib_decoder *decoder) { return decoder->zlib->reset(&decoder->stream) == FWZLIB_OK; }

bool fwzlib_continue(fwzlib_decoder *decoder) { return decoder->zlib->reset_keeping_window(&decoder->stream) == FWZLIB_OK; }

bool fwzlib_is_between_blocks(const fwzlib_decoder *decoder) {
    // zlib.h, inflate: bit 7 is set after the end of a block, and the low bits count the bits that were not used.
    return (decoder->stream.data_type & (1 << 7 | 0x3F)) == 1 << 7;
}

void fwzlib_free(fwzlib_decoder *decoder) {
    decoder->zlib->end(&decoder->stream);
    free(decoder);
}

fwzlib_encoder *fwzlib_encoder_create(const fwzlib *zlib, int level, int window_bits) {
    fwzlib_encoder *encoder = calloc(1, sizeof *encoder);
    if (encoder == NULL) return NULL;
    encoder->zlib = zlib;
    int result = zlib->initialise_deflate(
        &encoder->stream, level, FWZLIB_DEFLATED, -window_bits, FWZLIB_DEFAULT_MEMORY_LEVEL, FWZLIB_DEFAULT_STRATEGY, zlib_version,
        (int)sizeof encoder->stream);
    if (result != FWZLIB_OK) {
        free(encoder);
        return NULL;
    }
    return encoder;
}

int fwzlib_encoder_step(fwzlib_encoder *encoder, struct fwcoding_buffers *buffers, int follows) {
    int flush = follows == FWZLIB_ENDS ? FWZLIB_FINISH : follows == FWZLIB_WAITS ? FWZLIB_SYNC_FLUSH : FWZLIB_NO_FLUSH;
    // More than a step can take is not all the rest.
    if (buffers->input_count > INT_MAX) flush = FWZLIB_NO_FLUSH;
    return zlib_step(encoder->zlib->deflate, &encoder->stream, flush, buffers);
}

bool fwzlib_encoder_reset(fwzlib_encoder *encoder) { return encoder->zlib->reset_deflate(&encoder->stream) == FWZLIB_OK; }

void fwzlib_encoder_free(fwzlib_encoder *encoder) {
    encoder->zlib->end_deflate(&encoder->stream);
    free(encoder);
}

// MARK: brotli

struct fwbrotli {
    unsigned int (*version)(void);
    void *(*create)(void *allocate, void *release, void *context);
    int (*decompress)(
        void *state, size_t *input_count, const unsigned char **input, size_t *output_count, unsigned char **output, size_t *total_output);
    int (*error_code)(const void *state);
    void (*destroy)(void *state);
};

struct fwbrotli_decoder {
    const fwbrotli *brotli;
    void *state;
};

const fwbrotli *fwbrotli_load(const char *soname, unsigned long least_version, struct fwsystem_failure *failure) {
    struct fwbrotli *brotli = fwsystem_table(sizeof *brotli, failure);
    if (brotli == NULL) return NULL;
    const struct fwsystem_symbol symbols[] = {
        {"BrotliDecoderVersion", &brotli->version},
        {"BrotliDecoderCreateInstance", &brotli->create},
        {"BrotliDecoderDecompressStream", &brotli->decompress},
        {"BrotliDecoderGetErrorCode", &brotli->error_code},
        {"BrotliDecoderDestroyInstance", &brotli->destroy},
    };
    if (!fwsystem_load(soname, symbols, sizeof symbols / sizeof *symbols, failure)) {
        free(brotli);
        return NULL;
    }
    // brotli's own form is 0xMMNNNPPP.
    unsigned long version = brotli->version();
    if (!is_recent(version >> 24 << 16 | (version >> 12 & 0xFF) << 8 | (version & 0xFF), least_version, failure)) {
        free(brotli);
        return NULL;
    }
    return brotli;
}

fwbrotli_decoder *fwbrotli_create(const fwbrotli *brotli) {
    fwbrotli_decoder *decoder = calloc(1, sizeof *decoder);
    if (decoder == NULL) return NULL;
    decoder->brotli = brotli;
    decoder->state = brotli->create(NULL, NULL, NULL);
    if (decoder->state == NULL) {
        free(decoder);
        return NULL;
    }
    return decoder;
}

int fwbrotli_step(fwbrotli_decoder *decoder, struct fwcoding_buffers *buffers) {
    const fwbrotli *brotli = decoder->brotli;
    switch (brotli->decompress(
        decoder->state, &buffers->input_count, &buffers->input, &buffers->output_count, &buffers->output, NULL)) {
    case FWBROTLI_SUCCESS:
        return FWCODING_END;
    case FWBROTLI_NEEDS_INPUT:
    case FWBROTLI_NEEDS_OUTPUT:
        return FWCODING_MORE;
    default:
        break;
    }
    int code = brotli->error_code(decoder->state);
    return code <= FWBROTLI_FIRST_MEMORY_ERROR && code >= FWBROTLI_LAST_MEMORY_ERROR ? FWCODING_NO_MEMORY : FWCODING_BAD;
}

void fwbrotli_free(fwbrotli_decoder *decoder) {
    decoder->brotli->destroy(decoder->state);
    free(decoder);
}

// MARK: zstd

struct fwzstd {
    unsigned int (*version)(void);
    void *(*create)(void);
    size_t (*set_parameter)(void *context, int parameter, int value);
    size_t (*decompress)(void *context, struct fwzstd_output *output, struct fwzstd_input *input);
    unsigned int (*is_error)(size_t result);
    int (*error_code)(size_t result);
    size_t (*release)(void *context);
};

struct fwzstd_decoder {
    const fwzstd *zstd;
    void *context;
};

const fwzstd *fwzstd_load(const char *soname, unsigned long least_version, struct fwsystem_failure *failure) {
    struct fwzstd *zstd = fwsystem_table(sizeof *zstd, failure);
    if (zstd == NULL) return NULL;
    const struct fwsystem_symbol symbols[] = {
        {"ZSTD_versionNumber", &zstd->version},        {"ZSTD_createDCtx", &zstd->create},
        {"ZSTD_DCtx_setParameter", &zstd->set_parameter}, {"ZSTD_decompressStream", &zstd->decompress},
        {"ZSTD_isError", &zstd->is_error},             {"ZSTD_getErrorCode", &zstd->error_code},
        {"ZSTD_freeDCtx", &zstd->release},
    };
    if (!fwsystem_load(soname, symbols, sizeof symbols / sizeof *symbols, failure)) {
        free(zstd);
        return NULL;
    }
    // zstd's own form is decimal: MMNNPP.
    unsigned long version = zstd->version();
    if (!is_recent(version / 10000 << 16 | version / 100 % 100 << 8 | version % 100, least_version, failure)) {
        free(zstd);
        return NULL;
    }
    return zstd;
}

fwzstd_decoder *fwzstd_create(const fwzstd *zstd, int window_log) {
    fwzstd_decoder *decoder = calloc(1, sizeof *decoder);
    if (decoder == NULL) return NULL;
    decoder->zstd = zstd;
    decoder->context = zstd->create();
    if (decoder->context == NULL) {
        free(decoder);
        return NULL;
    }
    if (zstd->is_error(zstd->set_parameter(decoder->context, FWZSTD_WINDOW_LOG_MAXIMUM, window_log))) {
        fwzstd_free(decoder);
        return NULL;
    }
    return decoder;
}

int fwzstd_step(fwzstd_decoder *decoder, struct fwcoding_buffers *buffers) {
    const fwzstd *zstd = decoder->zstd;
    struct fwzstd_input input = {buffers->input, buffers->input_count, 0};
    struct fwzstd_output output = {buffers->output, buffers->output_count, 0};
    size_t result = zstd->decompress(decoder->context, &output, &input);
    advance(buffers, input.position, output.position);
    if (!zstd->is_error(result)) return result == 0 ? FWCODING_END : FWCODING_MORE;
    switch (zstd->error_code(result)) {
    case FWZSTD_ERROR_PREFIX_UNKNOWN:
        return FWCODING_NO_FRAME;
    case FWZSTD_ERROR_WINDOW_TOO_LARGE:
        return FWCODING_LARGE_WINDOW;
    case FWZSTD_ERROR_MEMORY:
        return FWCODING_NO_MEMORY;
    default:
        return FWCODING_BAD;
    }
}

void fwzstd_free(fwzstd_decoder *decoder) {
    decoder->zstd->release(decoder->context);
    free(decoder);
}

#endif
