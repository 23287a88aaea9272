// Linked into the tests, this stands before the system's getaddrinfo, for Firewheel, for libcurl and for everybody else in the process.
//
// Names that begin with "slow-" take three seconds and are then not found; "slow-500ms-" and so on take as long as they say.
// Names that begin with "fake-" are 127.0.0.1. Names that begin with "dual-" are ::1 and then 127.0.0.1. All others are the system's to look up.
#ifndef SLOWLOOKUP_H
#define SLOWLOOKUP_H

// How many lookups of names of these three kinds have begun.
int slow_lookup_count(void);

// How many of them were made by a thread that is not one of Firewheel's resolver: by libcurl itself, for instance.
int slow_lookup_count_elsewhere(void);

#endif
