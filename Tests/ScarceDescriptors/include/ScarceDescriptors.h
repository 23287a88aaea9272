// Linked into the tests, this stands before the system's socket, eventfd and epoll_create1, and can have them fail as they do in a process that has no
// descriptors left (EMFILE), for the code of the executable, which is Firewheel's and the tests' own, and for nobody else. A real limit would be
// everybody's: Dispatch opens a file for each of its threads every second, and ends the process if it cannot.
#ifndef SCARCEDESCRIPTORS_H
#define SCARCEDESCRIPTORS_H

// From now on the executable's code may have at most so many descriptors open of those that it asks for after this. Negative: as many as it likes.
void scarce_descriptors_leave(int count);

// How many calls have failed so.
int scarce_descriptors_refused(void);

// From now on every socket that the executable's code asks for has this port of 127.0.0.1 as its own; 0: as the system chooses. The system chooses one
// port for two connections to different servers as well, but not when a test wants it to.
void scarce_descriptors_share_port(int port);

#endif
