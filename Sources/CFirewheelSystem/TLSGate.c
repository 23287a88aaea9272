#include "TLSTable.h"

#if defined(__linux__)

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static atomic_int inside;
static atomic_bool is_closed;
static atomic_flag is_registered = ATOMIC_FLAG_INIT;
static pid_t process;
// How often the current thread is inside.
static _Thread_local int depth;

bool fwtls_enter(void) {
    atomic_fetch_add(&inside, 1);
    // A thread that is inside may go on: the process waits for it.
    if (depth == 0 && atomic_load(&is_closed)) {
        atomic_fetch_sub(&inside, 1);
        return false;
    }
    depth++;
    return true;
}

void fwtls_leave(void) {
    depth--;
    atomic_fetch_sub(&inside, 1);
}

static void close_gate(void) {
    atomic_store(&is_closed, true);
    // The threads that were inside do not exist in a forked process.
    if (getpid() != process) return;
    const struct timespec pause = {0, 100000};
    while (atomic_load(&inside) > depth) nanosleep(&pause, NULL);
}

void fwtls_close_gate_at_exit(void) {
    if (atomic_flag_test_and_set(&is_registered)) return;
    process = getpid();
    atexit(close_gate);
}

#endif
