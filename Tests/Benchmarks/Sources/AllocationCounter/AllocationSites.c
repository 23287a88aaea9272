#define _GNU_SOURCE
#include "AllocationCounter.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    // The innermost frames, which tell allocation sites apart. The first two belong to this file and the interposed function.
    own_frames = 2,
    depth = 12,
    table_size = 16384,
};

struct site {
    long count;
    void *frames[depth];
};

static struct site table[table_size];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long lost;  // Allocations at places for which the table had no room.

void allocation_counter_note_site(void);

void allocation_counter_note_site(void) {
    // The unwinder's own allocations are not counted.
    static _Thread_local bool inside;
    if (inside) return;
    inside = true;
    void *frames[own_frames + depth];
    int found = backtrace(frames, own_frames + depth);
    for (int index = found; index < own_frames + depth; index++) frames[index] = NULL;
    uint64_t hash = 1469598103934665603u;
    for (int index = own_frames; index < own_frames + depth; index++) hash = (hash ^ (uintptr_t)frames[index]) * 1099511628211u;
    pthread_mutex_lock(&lock);
    struct site *site = NULL;
    for (int probe = 0; probe < 64 && !site; probe++) {
        struct site *candidate = &table[(hash + (uint64_t)probe) % table_size];
        if (candidate->count == 0) memcpy(candidate->frames, frames + own_frames, sizeof candidate->frames);
        if (memcmp(candidate->frames, frames + own_frames, sizeof candidate->frames) == 0) site = candidate;
    }
    if (site) site->count++;
    else lost++;
    pthread_mutex_unlock(&lock);
    inside = false;
}

static int by_count(const void *left, const void *right) {
    long difference = ((const struct site *)right)->count - ((const struct site *)left)->count;
    return difference < 0 ? -1 : difference > 0;
}

// From Swift's runtime.
extern char *swift_demangle(const char *name, size_t length, char *output, size_t *output_length, uint32_t flags);

static void print_name(const char *mangled) {
    char *name = swift_demangle(mangled, strlen(mangled), NULL, NULL, 0);
    fprintf(stderr, "      %s\n", name ? name : mangled);
    free(name);
}

// Functions of an executable are not among its dynamic symbols, so addr2line has to look them up.
static void print_frame(void *address) {
    Dl_info info;
    // A return address is just after its call.
    if (!dladdr((char *)address - 1, &info) || !info.dli_fname) return;
    if (info.dli_sname) return print_name(info.dli_sname);
    char program[4096], command[4400], line[4096] = "";
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length < 0 ? 0 : length] = 0;
    const char *file = strchr(info.dli_fname, '/') ? info.dli_fname : program;
    snprintf(command, sizeof command, "addr2line -f -e '%s' 0x%zx 2>/dev/null", file, (size_t)((char *)address - 1 - (char *)info.dli_fbase));
    FILE *output = popen(command, "r");
    if (output && fgets(line, sizeof line, output)) line[strcspn(line, "\n")] = 0;
    if (output) pclose(output);
    print_name(line[0] ? line : file);
}

void allocation_counter_print_sites(int most, long requests) {
    qsort(table, table_size, sizeof table[0], by_count);
    for (int index = 0; index < most && index < table_size && table[index].count; index++) {
        fprintf(stderr, "%8ld  %.2f a request\n", table[index].count, (double)table[index].count / (double)requests);
        for (int frame = 0; frame < depth && table[index].frames[frame]; frame++) print_frame(table[index].frames[frame]);
    }
    if (lost) fprintf(stderr, "%8ld at other places, for which there was no room\n", lost);
}
