#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE // setenv, CPU_SET_S, RTLD_NEXT
#endif
#include "TestWidth.h"

#include <stdlib.h>

// How many tests run at once, and the threads for them.
#define WIDTH 8
#define TEXT(number) #number
#define TEXT_OF(macro) TEXT(macro)

// Set before `main`, where Swift Testing reads it. Neither a package nor `swift test` has a setting for
// `--experimental-maximum-parallelization-width`.
__attribute__((constructor)) static void bound_test_width(void) { 
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", TEXT_OF(WIDTH), 0);
}

// The sanitizers' libraries call these functions before anything can be looked up.
#if defined(__linux__) && !__has_feature(thread_sanitizer) && !__has_feature(address_sanitizer)

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

// Tasks have as many threads as there are processors, and Swift Testing blocks one for each process that an exit test waits for: on two
// processors two such tests held up all others. So Swift's and Dispatch's libraries are told of more processors.

long sysconf(int name) {
    if (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF) return WIDTH;
    long (*system)(int) = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
    return system != NULL ? system(name) : -1;
}

int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *processors) {
    (void)thread;
    memset(processors, 0, size);
    for (size_t number = 0; number < WIDTH && number < size * 8; number++) CPU_SET_S(number, size, processors);
    return 0;
}

#endif
