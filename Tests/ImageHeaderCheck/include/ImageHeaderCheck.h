#ifndef IMAGEHEADERCHECK_H
#define IMAGEHEADERCHECK_H

#include <stdbool.h>

// Whether the header of each library is installed, so that what CFirewheelSystem declares was compared with it at compile time.
bool image_header_check_has_png(void);
bool image_header_check_has_turbojpeg(void);

#endif
