#ifndef TLSHEADERCHECK_H
#define TLSHEADERCHECK_H

#include <stdbool.h>

// Whether OpenSSL's headers are installed, so that what CFirewheelSystem declares was compared with them at compile time.
bool tls_header_check_was_compiled(void);

#endif
