#ifndef CURL_HEADER_CHECK_H
#define CURL_HEADER_CHECK_H

#include <stdbool.h>

// Whether libcurl's own header was found, so that the constants have been compared.
bool curl_header_check_was_compiled(void);

#endif
