#ifndef TLSHEADERCHECK_H
#define TLSHEADERCHECK_H

#include <stdbool.h>

// Whether OpenSSL's headers are installed, so that what CFirewheelSystem declares was compared with them at compile time.
bool tls_header_check_was_compiled(void);

#if defined(__linux__)
struct fwtls;

// A table of OpenSSL's functions as before version 3.0.2, in which a verdict cannot take time. There is one for all.
const struct fwtls *tls_without_questions(const struct fwtls *table);
#endif

#endif
