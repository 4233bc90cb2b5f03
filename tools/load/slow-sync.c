/*
 * Has each fsync and fdatasync of a program take longer, and counts them:
 *   SLOW_SYNC_MICROSECONDS=10000 SLOW_SYNC_COUNTS=<file of 16 bytes> LD_PRELOAD=./slow-sync.so <program>
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static struct timespec delay;
/* Of fsync, and of fdatasync. */
static atomic_ulong unread[2];
static atomic_ulong *counts = unread;
static int (*real[2])(int);

__attribute__((constructor)) static void begin(void) {
  const char *text = getenv("SLOW_SYNC_MICROSECONDS");
  long microseconds = text ? atol(text) : 0;
  delay = (struct timespec){microseconds / 1000000, microseconds % 1000000 * 1000};
  const char *path = getenv("SLOW_SYNC_COUNTS");
  int file = path ? open(path, O_RDWR) : -1;
  if (file >= 0) {
    void *mapped = mmap(NULL, sizeof unread, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) counts = mapped;
    close(file);
  }
  real[0] = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  real[1] = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
}

static int slowly(int which, int file) {
  atomic_fetch_add(&counts[which], 1);
  int result = real[which](file);
  if (delay.tv_sec || delay.tv_nsec) nanosleep(&delay, NULL);
  return result;
}

int fsync(int file) { return slowly(0, file); }
int fdatasync(int file) { return slowly(1, file); }
