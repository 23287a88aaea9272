// The baseline of the benchmarks: a straightforward C program on libcurl.
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
    // Additional fields of each request ("Name: value") beside Host and Accept. The last is null. May be null.
    const char *const *fields;
    const char *authority;  // The file with the certificates of trusted authorities; null: libcurl's default.
    int streams;            // How many requests share an HTTP/2 connection; 0: libcurl's default.
    // Called with each body on the loop's thread. Returning false ends the run as failed. May be null.
    bool (*on_body)(void *user, const char *body, size_t length);
    void *user;
};

// Fetches `url` with GET as the job says, on this thread and over its own connections, which are kept alive, and collects each body in memory. Every
// status must be 200.
// Returns 0 and the seconds from the first request to the last response, with connecting, without setup and teardown; or -1 after a
// message on stderr.
int curl_loop_run(const char *url, const struct curl_loop_job *job, double *seconds_out);

#endif
