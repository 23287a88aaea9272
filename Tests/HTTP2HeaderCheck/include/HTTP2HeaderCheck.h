#ifndef HTTP2HEADERCHECK_H
#define HTTP2HEADERCHECK_H

#include <stdbool.h>

// Whether libnghttp2's header is installed, so that what CFirewheelSystem declares was compared with it at compile time.
bool http2_header_check_has_nghttp2(void);

#endif
