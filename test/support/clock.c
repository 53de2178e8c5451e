/* Preloaded: a wall clock that a test can set. Seconds ahead: the size of CLOCK_FILE less a million. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
static long offset(void) {
  struct stat s;
  const char *file = getenv("CLOCK_FILE");
  if (!file || stat(file, &s) != 0) return 0;
  return (long)s.st_size - 1000000;
}
int clock_gettime(clockid_t id, struct timespec *t) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
  int code = real(id, t);
  if (id == CLOCK_REALTIME) t->tv_sec += offset();
  return code;
}
int gettimeofday(struct timeval *t, void *z) {
  static int (*real)(struct timeval *, void *);
  if (!real) real = dlsym(RTLD_NEXT, "gettimeofday");
  int code = real(t, z);
  t->tv_sec += offset();
  return code;
}
