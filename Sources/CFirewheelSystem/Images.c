#include "ImageLayouts.h"
#include "Loader.h"

#if defined(__linux__)

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

const char *fwimage_message(const struct fwimage_target *target) { return target->message; }

static bool fail(struct fwimage_target *target, const char *message) {
    snprintf(target->message, sizeof target->message, "%s", message != NULL ? message : "");
    return false;
}

// MARK: libpng

// The simplified interface: its functions return errors, while those of the other interface leave by longjmp.
struct fwpng {
    int (*begin)(struct fwpng_layout *image, const void *bytes, size_t count);
    int (*finish)(struct fwpng_layout *image, const void *background, void *buffer, int32_t row_stride, void *colormap);
    void (*release)(struct fwpng_layout *image);
};

const fwpng *fwpng_load(const char *soname, struct fwsystem_failure *failure) {
    struct fwpng *png = fwsystem_table(sizeof *png, failure);
    if (png == NULL) return NULL;
    const struct fwsystem_symbol symbols[] = {
        {"png_image_begin_read_from_memory", &png->begin},
        {"png_image_finish_read", &png->finish},
        {"png_image_free", &png->release},
    };
    if (!fwsystem_load(soname, symbols, sizeof symbols / sizeof *symbols, failure)) {
        free(png);
        return NULL;
    }
    return png;
}

bool fwpng_decode(const fwpng *png, const void *bytes, size_t count, struct fwimage_target *target) {
    struct fwpng_layout image = {.version = FWPNG_VERSION};
    if (target->width > INT32_MAX / 4) return fail(target, "too wide");
    bool is_decoded = png->begin(&image, bytes, count) != 0;
    if (is_decoded && (image.width != target->width || image.height != target->height)) {
        png->release(&image);
        return fail(target, "two different sizes");
    }
    if (is_decoded) {
        image.format = FWPNG_RGBA;
        // Samples of 16 bits without a stated encoding are in sRGB too: libpng would take them to be linear.
        image.flags |= FWPNG_16BIT_SRGB;
        is_decoded = png->finish(&image, NULL, target->pixels, (int32_t)target->width * 4, NULL) != 0;
    }
    png->release(&image);
    return is_decoded || fail(target, image.message);
}

// MARK: TurboJPEG

struct fwjpeg {
    void *(*create)(void);
    int (*decode)(
        void *handle, const unsigned char *bytes, unsigned long count, unsigned char *pixels, int width, int pitch, int height, int format,
        int flags);
    char *(*message)(void *handle);
    int (*destroy)(void *handle);
};

const fwjpeg *fwjpeg_load(const char *soname, struct fwsystem_failure *failure) {
    struct fwjpeg *jpeg = fwsystem_table(sizeof *jpeg, failure);
    if (jpeg == NULL) return NULL;
    const struct fwsystem_symbol symbols[] = {
        {"tjInitDecompress", &jpeg->create},
        {"tjDecompress2", &jpeg->decode},
        // Since 2.0, which is also the first version that can stop on a warning.
        {"tjGetErrorStr2", &jpeg->message},
        {"tjDestroy", &jpeg->destroy},
    };
    if (!fwsystem_load(soname, symbols, sizeof symbols / sizeof *symbols, failure)) {
        free(jpeg);
        return NULL;
    }
    return jpeg;
}

bool fwjpeg_decode(const fwjpeg *jpeg, const void *bytes, size_t count, struct fwimage_target *target) {
    if (target->width > INT_MAX / 4 || target->height > INT_MAX) return fail(target, "too large");
    void *handle = jpeg->create();
    if (handle == NULL) return fail(target, "out of memory");
    int result = jpeg->decode(
        handle, bytes, count, target->pixels, (int)target->width, (int)target->width * 4, (int)target->height, FWJPEG_RGBA,
        FWJPEG_STOP_ON_WARNING | FWJPEG_LIMIT_SCANS);
    if (result != 0) fail(target, jpeg->message(handle));
    jpeg->destroy(handle);
    return result == 0;
}

#endif
