// What glibc's allocator knows of itself.
#ifndef CMALLOC_H
#define CMALLOC_H

#include <stddef.h>

// Has the allocator give back large and unused memory at once. Left to itself it learns, from the first large allocation that is freed, to keep up to
// 64 MiB at the end of each of its arenas, where malloc_trim does not look: the most that was ever in use there stays resident, which hides a leak.
void set_fixed_thresholds(void);

// Gives back to the system what is free, and returns the bytes that are in use.
size_t trim_and_count_in_use(void);

#endif
