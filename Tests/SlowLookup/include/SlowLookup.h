// Linked into the tests, this replaces the system's getaddrinfo for the whole process.
// Names that begin with "slow-" take three seconds and are then not found; "slow-500ms-" and so on take as long as they say.
// Names that begin with "fake-" are 127.0.0.1. Names that begin with "six-" are ::1, names that begin with "dual-" ::1 and then 127.0.0.1. The system looks up all others.
// Names that begin with "lost-" have no route, and names that begin with "unknown-" cannot be looked up for the moment, both until they come back: then they are 127.0.0.1.
// Those that begin with "unknown-slow-" take a second from the second lookup on.
#ifndef SLOWLOOKUP_H
#define SLOWLOOKUP_H

// The number of started lookups of these three kinds of names.
int slow_lookup_count(void);

// Has a name that is lost or unknown come back. Up to 256 names can.
void slow_lookup_restore(const char *name);

// How many of them were not made on Firewheel's resolver threads.
int slow_lookup_count_elsewhere(void);

#endif
