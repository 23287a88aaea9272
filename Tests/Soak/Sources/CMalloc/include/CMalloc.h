// What glibc's allocator knows of itself.
#ifndef CMALLOC_H
#define CMALLOC_H

#include <stddef.h>

// Makes the allocator return large and unused memory at once. By default it adapts to the first large allocation and keeps freed memory
// resident, which would hide a leak.
void set_fixed_thresholds(void);

// Returns free memory to the system, and gives the bytes in use.
size_t trim_and_count_in_use(void);

#endif
