/* A machine whose clock can be set back and whose disk can be slow or failing: loaded before libc
   into a process and all it starts. What is so at the moment stands in the file $SHAKEN, as three
   numbers of 64 bits: nanoseconds that the clock is ahead, milliseconds that the disk takes to
   synchronise a file, and whether it then fails. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { AHEAD, DELAY, FAILS, NUMBERS };

static volatile int64_t still[NUMBERS];
static volatile int64_t *state;

static volatile int64_t *now(void) {
    if (!state) {
        const char *name = getenv("SHAKEN");
        int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
        void *page = file < 0 ? MAP_FAILED : mmap(0, sizeof still, PROT_READ, MAP_SHARED, file, 0);
        if (file >= 0) close(file);
        state = page == MAP_FAILED ? still : page;
    }
    return state;
}

int clock_gettime(clockid_t clock, struct timespec *at) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(clock, at);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        int64_t nanoseconds = at->tv_nsec + now()[AHEAD] % 1000000000;
        at->tv_sec += now()[AHEAD] / 1000000000;
        if (nanoseconds < 0) { nanoseconds += 1000000000; at->tv_sec--; }
        if (nanoseconds >= 1000000000) { nanoseconds -= 1000000000; at->tv_sec++; }
        at->tv_nsec = nanoseconds;
    }
    return failed;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
    struct timespec fine;
    (void)zone;
    int failed = clock_gettime(CLOCK_REALTIME, &fine);
    at->tv_sec = fine.tv_sec;
    at->tv_usec = fine.tv_nsec / 1000;
    return failed;
}

time_t time(time_t *at) {
    struct timespec fine;
    clock_gettime(CLOCK_REALTIME, &fine);
    if (at) *at = fine.tv_sec;
    return fine.tv_sec;
}

static int synchronise(const char *name, int file) {
    int (*real)(int) = dlsym(RTLD_NEXT, name);
    if (now()[DELAY]) usleep(1000 * now()[DELAY]);
    if (now()[FAILS]) { errno = EIO; return -1; }
    return real(file);
}

int fsync(int file) { return synchronise("fsync", file); }
int fdatasync(int file) { return synchronise("fdatasync", file); }
