/*
 * A wall clock of its own for one process, to be preloaded into it.
 *
 * The file named by TORTURE_CLOCK says by how much the clock is off. The
 * functions below ask the real ones, which are quick (no system call), and
 * add to what they say. CLOCK_MONOTONIC and the other clocks stay true.
 *
 * While the clock stands still, the program acts only on what it is sent.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Layout of the file; Go writes it. Times are nanoseconds since 1970. */
struct skew {
	uint64_t seq;    /* odd while it is being written */
	int64_t anchor;  /* the host's time when the skew began */
	int64_t offset;  /* ahead of the host at that moment */
	int64_t rate;    /* speed since then, 1 << 32 is normal, 0 stands still */
};

typedef int (*gettime_fn)(clockid_t, struct timespec *);
typedef int (*timedwait_fn)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
typedef int (*epoll_fn)(int, struct epoll_event *, int, int);

static const struct skew *shared;
static gettime_fn real_gettime;
static timedwait_fn real_timedwait;
static epoll_fn real_epoll;
static __thread int resolving;

#define NS 1000000000LL
#define ONE (1LL << 32)

__attribute__((constructor)) static void map_file(void)
{
	const char *path = getenv("TORTURE_CLOCK");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	void *p = mmap(NULL, sizeof(struct skew), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (p != MAP_FAILED)
		shared = p;
}

/* host_time asks the real clock. The loader and the allocator may ask for the
 * time before, or while, the real function is looked up. */
static int host_time(clockid_t id, struct timespec *ts)
{
	if (!real_gettime && !resolving) {
		resolving = 1;
		real_gettime = (gettime_fn)dlsym(RTLD_NEXT, "clock_gettime");
		resolving = 0;
	}
	if (real_gettime)
		return real_gettime(id, ts);
	return (int)syscall(SYS_clock_gettime, id, ts);
}

/* load copies the skew; 0 if there is none. */
static int load(struct skew *s)
{
	const struct skew *m = shared;
	if (!m)
		return 0;
	for (;;) {
		uint64_t before = __atomic_load_n(&m->seq, __ATOMIC_ACQUIRE);
		s->anchor = __atomic_load_n(&m->anchor, __ATOMIC_RELAXED);
		s->offset = __atomic_load_n(&m->offset, __ATOMIC_RELAXED);
		s->rate = __atomic_load_n(&m->rate, __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(before & 1) && before == __atomic_load_n(&m->seq, __ATOMIC_RELAXED))
			break;
	}
	return s->offset != 0 || s->rate != ONE;
}

static int64_t to_ns(const struct timespec *ts) { return ts->tv_sec * NS + ts->tv_nsec; }

static void from_ns(int64_t ns, struct timespec *ts)
{
	ts->tv_sec = ns / NS;
	ts->tv_nsec = ns % NS;
	if (ts->tv_nsec < 0) {
		ts->tv_nsec += NS;
		ts->tv_sec--;
	}
}

static void skewed(struct timespec *ts)
{
	struct skew s;
	if (!load(&s))
		return;
	__int128 since = (__int128)(to_ns(ts) - s.anchor) * s.rate;
	from_ns(s.anchor + s.offset + (int64_t)(since >> 32), ts);
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
	int r = host_time(id, ts);
	if (r == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
		skewed(ts);
	return r;
}

int gettimeofday(struct timeval *restrict tv, void *restrict tz)
{
	struct timespec ts;
	if (tz)
		*(struct timezone *)tz = (struct timezone){0, 0};
	if (!tv)
		return 0;
	if (clock_gettime(CLOCK_REALTIME, &ts) != 0)
		return -1;
	tv->tv_sec = ts.tv_sec;
	tv->tv_usec = ts.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *t)
{
	struct timespec ts;
	if (clock_gettime(CLOCK_REALTIME, &ts) != 0)
		return (time_t)-1;
	if (t)
		*t = ts.tv_sec;
	return ts.tv_sec;
}

/* A program computes the end of a wait from its own clock; the kernel
 * measures with the host's. A condition may have been made to use
 * CLOCK_MONOTONIC: its times count from the boot and are small. */
int pthread_cond_timedwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
			   const struct timespec *restrict end)
{
	struct skew s;
	struct timespec host = *end;
	if (!real_timedwait) { /* without the version, the oldest one is found */
		real_timedwait = (timedwait_fn)dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
		if (!real_timedwait)
			real_timedwait = (timedwait_fn)dlsym(RTLD_NEXT, "pthread_cond_timedwait");
	}
	if (!real_timedwait)
		return ENOSYS;
	if (end->tv_sec > 500000000 && load(&s) && s.rate > 0) {
		__int128 since = ((__int128)(to_ns(end) - s.offset - s.anchor) << 32) / s.rate;
		from_ns(s.anchor + (int64_t)since, &host);
	}
	return real_timedwait(c, m, &host);
}

/* A timer of the program would wake it at a moment that nobody has chosen, perhaps just
 * after the clock was set and before what is to be done at that time has arrived. */
int epoll_wait(int fd, struct epoll_event *events, int most, int timeout)
{
	struct skew s;
	if (!real_epoll)
		real_epoll = (epoll_fn)dlsym(RTLD_NEXT, "epoll_wait");
	if (!real_epoll) {
		errno = ENOSYS;
		return -1;
	}
	if (timeout > 0 && load(&s) && s.rate == 0)
		timeout = -1;
	return real_epoll(fd, events, most, timeout);
}
