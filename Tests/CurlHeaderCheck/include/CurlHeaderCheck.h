#ifndef CURL_HEADER_CHECK_H
#define CURL_HEADER_CHECK_H

#include <stdbool.h>

// Whether this was compiled with libcurl's own header, so that the numbers have been compared.
bool curl_header_check_was_compiled(void);

#endif
