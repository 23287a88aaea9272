// Counts the allocations of this process by replacing the C library's malloc and its relatives.
#ifndef ALLOCATIONCOUNTER_H
#define ALLOCATIONCOUNTER_H

#include <stdbool.h>
#include <stddef.h>

// Starts counting from 0. With `sites` it records call stacks, which makes each allocation much slower.
void allocation_counter_start(bool sites);

// Stops counting and returns the number of allocations in all threads. A realloc counts as one.
long allocation_counter_stop(void);

// Prints the `most` most frequent allocation sites to stderr, each with its count, its share per request and its call stack, innermost
// first. Needs addr2line (binutils).
void allocation_counter_print_sites(int most, long requests);

#endif
