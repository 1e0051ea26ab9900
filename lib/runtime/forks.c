/* forks.c - which side of a fork this is: what belongs to a process (threads, a file that is being made) is not its child's. */
#include "internal.h"
#include <pthread.h>

static _Atomic unsigned forks; /* between the process that loaded the run-time and this one */

static void count_fork(void) { atomic_fetch_add(&forks, 1); }

TccStatus *tcc_forks_watch(void) {
  static _Atomic bool watched; /* threads that come here together have a fork counted more than once, which does no harm */
  if (atomic_load(&watched)) return NULL;
  int error = pthread_atfork(NULL, NULL, count_fork);
  if (error) return TCC_ERROR(TCC_NO_MEMORY, "cannot watch forks: %s", strerror(error));
  atomic_store(&watched, true);
  return NULL;
}

unsigned tcc_forks(void) { return atomic_load(&forks); }
