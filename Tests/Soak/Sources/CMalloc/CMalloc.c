#include "CMalloc.h"

#include <malloc.h>

void set_fixed_thresholds(void) {
    // glibc's defaults; setting one turns off its adaptation.
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    mallopt(M_TRIM_THRESHOLD, 128 * 1024);
}

size_t trim_and_count_in_use(void) {
    malloc_trim(0);
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
