#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE // setenv
#endif
#include "TestWidth.h"

#include <stdlib.h>

// Before `main`, since Swift Testing reads it when it begins; a package has no other place for it, and `swift test` no default for the option
// `--experimental-maximum-parallelization-width`.
__attribute__((constructor)) static void bound_test_width(void) { setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "8", 0); }
