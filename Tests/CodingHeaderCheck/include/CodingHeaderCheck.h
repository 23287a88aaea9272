#ifndef CODINGHEADERCHECK_H
#define CODINGHEADERCHECK_H

#include <stdbool.h>

// Whether the header of each library is installed, so that what CFirewheelSystem declares was compared with it at compile time.
bool coding_header_check_has_zlib(void);
bool coding_header_check_has_brotli(void);
bool coding_header_check_has_zstd(void);

#endif
