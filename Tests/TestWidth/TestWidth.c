#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE // setenv
#endif
#include "TestWidth.h"

#include <stdlib.h>

// Set before `main`, where Swift Testing reads it. Neither a package nor `swift test` has a setting for
// `--experimental-maximum-parallelization-width`.
__attribute__((constructor)) static void bound_test_width(void) { setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "8", 0); }
