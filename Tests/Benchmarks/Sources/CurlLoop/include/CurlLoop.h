// The yardstick of the benchmarks: what a straightforward C program gets out of libcurl.
#ifndef CURLLOOP_H
#define CURLLOOP_H

#include <stdbool.h>
#include <stddef.h>

struct curl_loop_job {
    int in_flight;
    long requests;
    size_t body_length;  // What every body has to have.
    bool drop;           // Count the bytes of the bodies and let them go.
    long buffer_size;    // How much libcurl reads at a time; 0: its default, 16 KiB.
    // Fields of each request ("Name: value") beside Host and Accept, which libcurl sends anyway; the last is null. May be null.
    const char *const *fields;
    // Called with each body on the thread of the loop; false ends the run as failed. May be null.
    bool (*on_body)(void *user, const char *body, size_t length);
    void *user;
};

// Fetches `url` by GET as often and as many at a time as the job says, on this thread, over connections of its own that it keeps alive, and
// collects each body in memory. Every response has to have status 200.
// Returns 0 and the seconds from the first request to the last response (connecting included, setting up and tearing down not);
// or -1 after it has said on stderr what is wrong.
int curl_loop_run(const char *url, const struct curl_loop_job *job, double *seconds_out);

#endif
