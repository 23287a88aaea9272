// The parts of libpng's and TurboJPEG's interfaces that Images.c relies on. Tests/ImageHeaderCheck compares them with the libraries' own
// headers.
#ifndef FIREWHEEL_IMAGE_LAYOUTS_H
#define FIREWHEEL_IMAGE_LAYOUTS_H

#include <stdint.h>

// libpng's png_image.
struct fwpng_layout {
    void *opaque;
    uint32_t version;
    uint32_t width;
    uint32_t height;
    uint32_t format;
    uint32_t flags;
    uint32_t colormap_entries;
    uint32_t warning_or_error;
    char message[64];
};

enum {
    FWPNG_VERSION = 1,
    FWPNG_RGBA = 3,
    FWPNG_16BIT_SRGB = 4,
};

enum {
    FWJPEG_RGBA = 7,
    FWJPEG_STOP_ON_WARNING = 8192,
    FWJPEG_LIMIT_SCANS = 32768,
};

#endif
