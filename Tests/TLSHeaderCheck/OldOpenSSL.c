#include "TLSHeaderCheck.h"

#if defined(__linux__)
#include "../../Sources/CFirewheelSystem/TLSTable.h"

#include <pthread.h>

static const fwtls *real;
static fwtls old;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static long control(struct ssl_st *ssl, int command, long number, void *pointer) {
    return command == FW_SSL_CTRL_SET_RETRY_VERIFY ? 0 : real->SSL_ctrl(ssl, command, number, pointer);
}

const fwtls *tls_without_questions(const fwtls *table) {
    // Filled once: others may use it already.
    pthread_mutex_lock(&lock);
    if (real == NULL) {
        real = table;
        old = *table;
        old.SSL_ctrl = control;
    }
    pthread_mutex_unlock(&lock);
    return &old;
}
#endif
