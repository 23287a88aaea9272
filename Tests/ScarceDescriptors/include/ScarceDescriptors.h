// Linked into the tests, this replaces the system's socket, eventfd and epoll_create1, and can make them fail as in a process without free
// descriptors (EMFILE), for the executable's code only. A real limit would affect Dispatch too, which ends the process.
#ifndef SCARCEDESCRIPTORS_H
#define SCARCEDESCRIPTORS_H

// Limits the descriptors that the executable's code may open from now on. A negative count means no limit.
void scarce_descriptors_leave(int count);

// The number of calls that have failed this way.
int scarce_descriptors_refused(void);

// From now on every socket of the executable's code is bound to this port of 127.0.0.1; 0 lets the system choose. The system may share a
// port between connections to different servers, but not on demand.
void scarce_descriptors_share_port(int port);

#endif
