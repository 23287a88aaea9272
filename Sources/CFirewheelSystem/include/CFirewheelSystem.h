// System libraries that a feature loads on first use: libcrypto for hashes, libpsl for public suffixes, zlib, brotli and zstd for
// content codings, libssl for TLS, libnghttp2 for HTTP/2, libpng and TurboJPEG for images. Each function table is loaded by file name and
// through its own handle. So building needs no -dev package, another copy of the library in the process is not picked up by mistake, and a
// program that does not use the feature runs without the library.
#ifndef CFIREWHEELSYSTEM_H
#define CFIREWHEELSYSTEM_H

#if defined(__linux__)

#include <stdbool.h>
#include <stddef.h>
// Not part of the Glibc module.
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "FirewheelHTTP2.h"

// Why a library cannot be used.
enum {
    FWSYSTEM_NO_LIBRARY = 1,
    FWSYSTEM_NO_SYMBOL,
    FWSYSTEM_OLD_VERSION,
    FWSYSTEM_NO_MEMORY,
};

struct fwsystem_failure {
    int reason;
    // The dynamic linker's message, the name of the missing symbol, or the version found. NUL-terminated.
    char detail[256];
};
const char *fwsystem_failure_detail(const struct fwsystem_failure *failure);

// Renames a file unless the new name is taken, in one step (renameat2 with RENAME_NOREPLACE). Returns 0 or an error number: ENOSYS or
// EINVAL if the system or the file system cannot. Not every C library has a function for it.
int fwsystem_rename_exclusively(const char *from, const char *to);

// Fills a buffer with random bytes of the system (getrandom). Returns false if the system refuses.
bool fwsystem_random(void *bytes, size_t count);

// A table is immutable once loaded and is never unloaded, so any thread may use it.
typedef struct fwcrypto fwcrypto;
typedef struct fwpsl fwpsl;

// Hash algorithms of libcrypto.
enum {
    FWCRYPTO_MD5 = 0,
    FWCRYPTO_SHA1,
    FWCRYPTO_SHA256,
    FWCRYPTO_SHA512_256,
    FWCRYPTO_COUNT,
    FWCRYPTO_MAXIMUM_SIZE = 32,
};

// Loads OpenSSL's libcrypto by file name. The least version is written as in OpenSSL_version_num: 0xMNN00PP0. Returns NULL and sets the
// failure if it cannot be used.
const fwcrypto *fwcrypto_load(const char *soname, unsigned long least_version, struct fwsystem_failure *failure);
// Whether the library provides an algorithm: a FIPS configuration may refuse MD5.
bool fwcrypto_has(const fwcrypto *crypto, int algorithm);
// Hashes bytes into a buffer of FWCRYPTO_MAXIMUM_SIZE bytes and returns the hash's size; 0 if the library refused.
size_t fwcrypto_hash(const fwcrypto *crypto, int algorithm, const void *bytes, size_t count, unsigned char *hash);

// Loads libpsl by file name, with a least version of 0xMMNNPP.
const fwpsl *fwpsl_load(const char *soname, int least_version, struct fwsystem_failure *failure);
// Whether the library was built with a list. Without one it cannot answer.
bool fwpsl_has_list(const fwpsl *psl);
// Both expect names in lower case. By the list's default rule every single label is a public suffix.
bool fwpsl_is_public_suffix(const fwpsl *psl, const char *domain);
bool fwpsl_is_cookie_domain_acceptable(const fwpsl *psl, const char *host, const char *domain);

// MARK: Content codings

typedef struct fwzlib fwzlib;
typedef struct fwbrotli fwbrotli;
typedef struct fwzstd fwzstd;

// Load a library by file name. The least version is 0xMMNNPP. Return NULL and set the failure if it cannot be used.
const fwzlib *fwzlib_load(const char *soname, unsigned long least_version, struct fwsystem_failure *failure);
const fwbrotli *fwbrotli_load(const char *soname, unsigned long least_version, struct fwsystem_failure *failure);
const fwzstd *fwzstd_load(const char *soname, unsigned long least_version, struct fwsystem_failure *failure);

// One step of a decoder or encoder: it takes from the input, writes to the output, and advances both.
struct fwcoding_buffers {
    const unsigned char *input;
    size_t input_count;
    unsigned char *output;
    size_t output_count;
};

// The result of a step.
enum {
    // It went as far as input and output allow.
    FWCODING_MORE = 0,
    // The stream (gzip: the member, zstd: the frame) has ended, and all of it has been written.
    FWCODING_END,
    // The bytes are not in the coding.
    FWCODING_BAD,
    // zstd: no frame starts here.
    FWCODING_NO_FRAME,
    // zstd: the window is larger than the limit.
    FWCODING_LARGE_WINDOW,
    FWCODING_NO_MEMORY,
};

// Decoders are created from a table that outlives them, used by one thread at a time, and freed by their owner. A creator returns NULL if
// there is no memory.
typedef struct fwzlib_decoder fwzlib_decoder;
typedef struct fwbrotli_decoder fwbrotli_decoder;
typedef struct fwzstd_decoder fwzstd_decoder;

enum {
    FWZLIB_GZIP = 31,
    FWZLIB_ZLIB = 15,
    FWZLIB_RAW = -15,
};
fwzlib_decoder *fwzlib_create(const fwzlib *zlib, int format);
int fwzlib_step(fwzlib_decoder *decoder, struct fwcoding_buffers *buffers);
// Prepares for another stream of the same format.
bool fwzlib_reset(fwzlib_decoder *decoder);
// The same, but the next stream may refer to bytes of the last one: inflateResetKeep, which zlib exports without describing it.
bool fwzlib_continue(fwzlib_decoder *decoder);
// Whether the last step ended at the end of a block that is also a byte boundary.
bool fwzlib_is_between_blocks(const fwzlib_decoder *decoder);
void fwzlib_free(fwzlib_decoder *decoder);

// Compresses to raw deflate, at a level from 1 (fast) to 9 (small), with a window of 1 << window_bits bytes: 9 to 15. Created, used and
// freed like a decoder.
typedef struct fwzlib_encoder fwzlib_encoder;
fwzlib_encoder *fwzlib_encoder_create(const fwzlib *zlib, int level, int window_bits);
// What follows the input of a step.
enum {
    // More input. Some output may be held back.
    FWZLIB_CONTINUES = 0,
    // Possibly more input later. All output is flushed, and ends with an empty stored block: a sync flush.
    FWZLIB_WAITS,
    // Nothing. Once all output is written, the result is FWCODING_END.
    FWZLIB_ENDS,
};
int fwzlib_encoder_step(fwzlib_encoder *encoder, struct fwcoding_buffers *buffers, int follows);
// Prepares for another stream.
bool fwzlib_encoder_reset(fwzlib_encoder *encoder);
void fwzlib_encoder_free(fwzlib_encoder *encoder);

// Windows are at most 16 MiB, as RFC 7932 has them.
fwbrotli_decoder *fwbrotli_create(const fwbrotli *brotli);
int fwbrotli_step(fwbrotli_decoder *decoder, struct fwcoding_buffers *buffers);
void fwbrotli_free(fwbrotli_decoder *decoder);

// Frames with a larger window than 1 << window_log bytes are refused. A step behind the end of a frame begins the next one.
fwzstd_decoder *fwzstd_create(const fwzstd *zstd, int window_log);
int fwzstd_step(fwzstd_decoder *decoder, struct fwcoding_buffers *buffers);
void fwzstd_free(fwzstd_decoder *decoder);

#include "FirewheelImages.h"
#include "FirewheelTLS.h"

#endif
#endif
