// Decoders of PNG and JPEG over the system's libpng and TurboJPEG. Included by CFirewheelSystem.h.
#ifndef FIREWHEELIMAGES_H
#define FIREWHEELIMAGES_H

#if defined(__linux__)

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fwsystem_failure;

typedef struct fwpng fwpng;
typedef struct fwjpeg fwjpeg;

// Load a library by file name. Return NULL and set the failure if it cannot be used.
const fwpng *fwpng_load(const char *soname, struct fwsystem_failure *failure);
const fwjpeg *fwjpeg_load(const char *soname, struct fwsystem_failure *failure);

// Where a decoder writes: rows from the top, without padding, of 8-bit red, green, blue and alpha. The size is the one in the image's
// header, and the buffer has width * height * 4 bytes.
struct fwimage_target {
    uint8_t *pixels;
    uint32_t width;
    uint32_t height;
    // The library's message if decoding fails. NUL-terminated.
    char message[200];
};
const char *fwimage_message(const struct fwimage_target *target);

// Decodes a PNG image in the sRGB colour space, with alpha that is not premultiplied. Returns whether it succeeded.
bool fwpng_decode(const fwpng *png, const void *bytes, size_t count, struct fwimage_target *target);

// Decodes a grey or colour JPEG image. Returns whether it succeeded. A warning of the library, such as one about missing data, ends
// decoding and counts as a failure.
bool fwjpeg_decode(const fwjpeg *jpeg, const void *bytes, size_t count, struct fwimage_target *target);

#endif
#endif
