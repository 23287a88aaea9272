// Counts the allocations of this process: stands in front of the C library's malloc and its kin, which everything in it calls in the end.
#ifndef ALLOCATIONCOUNTER_H
#define ALLOCATIONCOUNTER_H

#include <stdbool.h>
#include <stddef.h>

// Begins to count, from 0. With `sites` also where from, which makes each allocation many times as slow.
void allocation_counter_start(bool sites);

// Ends the counting and returns how many there were, in all threads; a realloc counts as one.
long allocation_counter_stop(void);

// Prints to stderr the `most` places that allocated most, each with the count (also as a part of `requests`) and the calls that led there, innermost
// first. Takes addr2line (of binutils) to name them.
void allocation_counter_print_sites(int most, long requests);

#endif
