// Compares what CFirewheelSystem declares of libpng and TurboJPEG with their own headers at compile time, where those are installed.
#include "ImageHeaderCheck.h"

#if defined(__linux__) && defined(__has_include)
#include "../../Sources/CFirewheelSystem/ImageLayouts.h"
#if __has_include(<png.h>)
#include <png.h>
#define HAS_PNG 1
#endif
#if __has_include(<turbojpeg.h>)
#include <turbojpeg.h>
#define HAS_TURBOJPEG 1
#endif
#endif

#define SAME(ours, theirs) _Static_assert((long long)(ours) == (long long)(theirs), #theirs)
#define SAME_PLACE(our_type, ours, their_type, theirs)                                                                       \
    _Static_assert(offsetof(our_type, ours) == offsetof(their_type, theirs), #theirs);                                       \
    _Static_assert(sizeof(((our_type *)0)->ours) == sizeof(((their_type *)0)->theirs), #theirs)
#define SAME_TYPE(function, type) _Static_assert(__builtin_types_compatible_p(__typeof__(&function), type), #function)

#if defined(HAS_PNG)
SAME(sizeof(struct fwpng_layout), sizeof(png_image));
SAME_PLACE(struct fwpng_layout, opaque, png_image, opaque);
SAME_PLACE(struct fwpng_layout, version, png_image, version);
SAME_PLACE(struct fwpng_layout, width, png_image, width);
SAME_PLACE(struct fwpng_layout, height, png_image, height);
SAME_PLACE(struct fwpng_layout, format, png_image, format);
SAME_PLACE(struct fwpng_layout, flags, png_image, flags);
SAME_PLACE(struct fwpng_layout, colormap_entries, png_image, colormap_entries);
SAME_PLACE(struct fwpng_layout, warning_or_error, png_image, warning_or_error);
SAME_PLACE(struct fwpng_layout, message, png_image, message);
SAME(FWPNG_VERSION, PNG_IMAGE_VERSION);
SAME(FWPNG_RGBA, PNG_FORMAT_RGBA);
SAME(FWPNG_16BIT_SRGB, PNG_IMAGE_FLAG_16BIT_sRGB);
SAME(sizeof(png_int_32), sizeof(int32_t));
SAME_TYPE(png_image_begin_read_from_memory, int (*)(png_image *, const void *, size_t));
SAME_TYPE(png_image_finish_read, int (*)(png_image *, const png_color *, void *, png_int_32, void *));
SAME_TYPE(png_image_free, void (*)(png_image *));
bool image_header_check_has_png(void) { return true; }
#else
bool image_header_check_has_png(void) { return false; }
#endif

#if defined(HAS_TURBOJPEG)
SAME(FWJPEG_RGBA, TJPF_RGBA);
SAME(FWJPEG_STOP_ON_WARNING, TJFLAG_STOPONWARNING);
SAME(FWJPEG_LIMIT_SCANS, TJFLAG_LIMITSCANS);
SAME_TYPE(tjInitDecompress, void *(*)(void));
SAME_TYPE(tjDecompress2, int (*)(void *, const unsigned char *, unsigned long, unsigned char *, int, int, int, int, int));
SAME_TYPE(tjGetErrorStr2, char *(*)(void *));
SAME_TYPE(tjDestroy, int (*)(void *));
bool image_header_check_has_turbojpeg(void) { return true; }
#else
bool image_header_check_has_turbojpeg(void) { return false; }
#endif
