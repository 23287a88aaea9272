#include "TLSHeaderCheck.h"

#if defined(__linux__)
#include "../../Sources/CFirewheelSystem/TLSTable.h"

static const fwtls *real;

static long control(struct ssl_st *ssl, int command, long number, void *pointer) {
    return command == FW_SSL_CTRL_SET_RETRY_VERIFY ? 0 : real->SSL_ctrl(ssl, command, number, pointer);
}

const fwtls *tls_without_questions(const fwtls *table) {
    static fwtls old;
    real = table;
    old = *table;
    old.SSL_ctrl = control;
    return &old;
}
#endif
