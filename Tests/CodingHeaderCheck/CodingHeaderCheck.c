// Compares what CFirewheelSystem declares of zlib, brotli and zstd with their own headers at compile time, where those are installed.
#include "CodingHeaderCheck.h"

#if defined(__linux__) && defined(__has_include)
#include "../../Sources/CFirewheelSystem/CodingLayouts.h"
#if __has_include(<zlib.h>)
#include <zlib.h>
#define HAS_ZLIB 1
#endif
#if __has_include(<brotli/decode.h>)
#include <brotli/decode.h>
#define HAS_BROTLI 1
#endif
#if __has_include(<zstd.h>) && __has_include(<zstd_errors.h>)
#include <zstd.h>
#include <zstd_errors.h>
#define HAS_ZSTD 1
#endif
#endif

#define SAME(ours, theirs) _Static_assert((long long)(ours) == (long long)(theirs), #theirs)
#define SAME_PLACE(our_type, ours, their_type, theirs)                                                                       \
    _Static_assert(offsetof(our_type, ours) == offsetof(their_type, theirs), #theirs);                                       \
    _Static_assert(sizeof(((our_type *)0)->ours) == sizeof(((their_type *)0)->theirs), #theirs)
#define SAME_TYPE(function, type) _Static_assert(__builtin_types_compatible_p(__typeof__(&function), type), #function)

#if defined(HAS_ZLIB)
SAME(sizeof(struct fwzlib_layout), sizeof(z_stream));
SAME_PLACE(struct fwzlib_layout, input, z_stream, next_in);
SAME_PLACE(struct fwzlib_layout, input_count, z_stream, avail_in);
SAME_PLACE(struct fwzlib_layout, total_input, z_stream, total_in);
SAME_PLACE(struct fwzlib_layout, output, z_stream, next_out);
SAME_PLACE(struct fwzlib_layout, output_count, z_stream, avail_out);
SAME_PLACE(struct fwzlib_layout, total_output, z_stream, total_out);
SAME_PLACE(struct fwzlib_layout, message, z_stream, msg);
SAME_PLACE(struct fwzlib_layout, state, z_stream, state);
SAME_PLACE(struct fwzlib_layout, allocate, z_stream, zalloc);
SAME_PLACE(struct fwzlib_layout, release, z_stream, zfree);
SAME_PLACE(struct fwzlib_layout, context, z_stream, opaque);
SAME_PLACE(struct fwzlib_layout, data_type, z_stream, data_type);
SAME_PLACE(struct fwzlib_layout, checksum, z_stream, adler);
SAME_PLACE(struct fwzlib_layout, reserved, z_stream, reserved);
SAME(FWZLIB_OK, Z_OK);
SAME(FWZLIB_STREAM_END, Z_STREAM_END);
SAME(FWZLIB_MEMORY_ERROR, Z_MEM_ERROR);
SAME(FWZLIB_BUFFER_ERROR, Z_BUF_ERROR);
SAME(FWZLIB_NO_FLUSH, Z_NO_FLUSH);
SAME(FWZLIB_SYNC_FLUSH, Z_SYNC_FLUSH);
SAME(FWZLIB_FINISH, Z_FINISH);
SAME(FWZLIB_DEFLATED, Z_DEFLATED);
SAME(FWZLIB_DEFAULT_STRATEGY, Z_DEFAULT_STRATEGY);
SAME(ZLIB_VERSION[0], '1');
SAME_TYPE(zlibVersion, const char *(*)(void));
SAME_TYPE(inflateInit2_, int (*)(z_stream *, int, const char *, int));
SAME_TYPE(inflate, int (*)(z_stream *, int));
SAME_TYPE(inflateReset, int (*)(z_stream *));
SAME_TYPE(inflateResetKeep, int (*)(z_stream *));
SAME_TYPE(inflateEnd, int (*)(z_stream *));
SAME_TYPE(deflateInit2_, int (*)(z_stream *, int, int, int, int, int, const char *, int));
SAME_TYPE(deflate, int (*)(z_stream *, int));
SAME_TYPE(deflateReset, int (*)(z_stream *));
SAME_TYPE(deflateEnd, int (*)(z_stream *));
bool coding_header_check_has_zlib(void) { return true; }
#else
bool coding_header_check_has_zlib(void) { return false; }
#endif

#if defined(HAS_BROTLI)
SAME(FWBROTLI_ERROR, BROTLI_DECODER_RESULT_ERROR);
SAME(FWBROTLI_SUCCESS, BROTLI_DECODER_RESULT_SUCCESS);
SAME(FWBROTLI_NEEDS_INPUT, BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT);
SAME(FWBROTLI_NEEDS_OUTPUT, BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT);
SAME(FWBROTLI_FIRST_MEMORY_ERROR, BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES);
SAME(FWBROTLI_LAST_MEMORY_ERROR, BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES);
SAME(sizeof(BrotliDecoderResult), sizeof(int));
SAME(sizeof(BrotliDecoderErrorCode), sizeof(int));
SAME_TYPE(BrotliDecoderVersion, uint32_t (*)(void));
SAME_TYPE(BrotliDecoderCreateInstance, BrotliDecoderState *(*)(brotli_alloc_func, brotli_free_func, void *));
SAME_TYPE(
    BrotliDecoderDecompressStream,
    BrotliDecoderResult(*)(BrotliDecoderState *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *));
SAME_TYPE(BrotliDecoderGetErrorCode, BrotliDecoderErrorCode(*)(const BrotliDecoderState *));
SAME_TYPE(BrotliDecoderDestroyInstance, void (*)(BrotliDecoderState *));
bool coding_header_check_has_brotli(void) { return true; }
#else
bool coding_header_check_has_brotli(void) { return false; }
#endif

#if defined(HAS_ZSTD)
SAME(sizeof(struct fwzstd_input), sizeof(ZSTD_inBuffer));
SAME_PLACE(struct fwzstd_input, bytes, ZSTD_inBuffer, src);
SAME_PLACE(struct fwzstd_input, count, ZSTD_inBuffer, size);
SAME_PLACE(struct fwzstd_input, position, ZSTD_inBuffer, pos);
SAME(sizeof(struct fwzstd_output), sizeof(ZSTD_outBuffer));
SAME_PLACE(struct fwzstd_output, bytes, ZSTD_outBuffer, dst);
SAME_PLACE(struct fwzstd_output, count, ZSTD_outBuffer, size);
SAME_PLACE(struct fwzstd_output, position, ZSTD_outBuffer, pos);
SAME(FWZSTD_WINDOW_LOG_MAXIMUM, ZSTD_d_windowLogMax);
SAME(FWZSTD_ERROR_PREFIX_UNKNOWN, ZSTD_error_prefix_unknown);
SAME(FWZSTD_ERROR_WINDOW_TOO_LARGE, ZSTD_error_frameParameter_windowTooLarge);
SAME(FWZSTD_ERROR_MEMORY, ZSTD_error_memory_allocation);
SAME(sizeof(ZSTD_dParameter), sizeof(int));
SAME(sizeof(ZSTD_ErrorCode), sizeof(int));
SAME_TYPE(ZSTD_versionNumber, unsigned int (*)(void));
SAME_TYPE(ZSTD_createDCtx, ZSTD_DCtx *(*)(void));
SAME_TYPE(ZSTD_DCtx_setParameter, size_t (*)(ZSTD_DCtx *, ZSTD_dParameter, int));
SAME_TYPE(ZSTD_decompressStream, size_t (*)(ZSTD_DCtx *, ZSTD_outBuffer *, ZSTD_inBuffer *));
SAME_TYPE(ZSTD_isError, unsigned int (*)(size_t));
SAME_TYPE(ZSTD_getErrorCode, ZSTD_ErrorCode(*)(size_t));
SAME_TYPE(ZSTD_freeDCtx, size_t (*)(ZSTD_DCtx *));
bool coding_header_check_has_zstd(void) { return true; }
#else
bool coding_header_check_has_zstd(void) { return false; }
#endif
