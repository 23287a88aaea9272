#include "Loader.h"

#if defined(__linux__)

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

// OPENSSL_INIT_NO_ATEXIT.
enum { NO_ATEXIT = 0x00080000 };

static atomic_int inside;
static atomic_bool is_closed;
static _Atomic pid_t process;
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

bool fwtls_initialise(int (*initialise)(uint64_t options, const struct ossl_init_settings_st *settings)) {
    // The first process stays the one that waits: the threads that a forked one counts as inside do not exist there.
    pid_t none = 0;
    atomic_compare_exchange_strong(&process, &none, getpid());
    // Handlers run in reverse order. If others have initialised OpenSSL, its handler is registered, and this one runs before it.
    bool is_registered = atexit(close_gate) == 0;
    // Else OpenSSL registers none: its own could run while it is still being initialised.
    bool is_ready = initialise(NO_ATEXIT, NULL) == 1;
    // Others may have been initialising it at the same time.
    return is_registered && is_ready && atexit(close_gate) == 0;
}

#endif
