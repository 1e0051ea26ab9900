/* cpu_quota.c - the CPU time that the process's control groups give it, as a number of CPUs.
 *
 * A container's quota is a time per period for a group and all below it (Linux, admin-guide/cgroup-v2: cpu.max; cgroup-v1: cpu.cfs_quota_us
 * and cpu.cfs_period_us); it is not seen in the affinity mask. Threads beyond it are stopped for the rest of each period, all at once, so
 * a team should have no more. A group's ancestors count, too. Where a container sees its host's path and its own mount, the files
 * of the path are not there and those of the mount's root are its own. */
#include "internal.h"
#include <limits.h>
#include <stdio.h>

/* The first two words of a file, numbers; a word that is none ("max") is 0. Returns how many words there are. */
static int read_numbers(const char *path, long long numbers[2]) {
  FILE *file = fopen(path, "re");
  char words[2][32] = {"", ""};
  if (!file) return 0;
  int found = fscanf(file, "%31s %31s", words[0], words[1]);
  fclose(file);
  for (int i = 0; i < 2; i++) numbers[i] = strtoll(words[i], NULL, 10);
  return found < 0 ? 0 : found;
}

/* Of one group, in a folder; 0: no limit is set there. */
static unsigned group_quota(const char *folder) {
  char path[PATH_MAX];
  long long numbers[2] = {0}, period[2] = {0};
  if (snprintf(path, sizeof path, "%s/cpu.max", folder) >= (int)sizeof path) return 0;
  if (read_numbers(path, numbers) != 2) {
    if (snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder) >= (int)sizeof path || read_numbers(path, numbers) != 1)
      return 0;
    if (snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder) >= (int)sizeof path || read_numbers(path, period) != 1)
      return 0;
    numbers[1] = period[0];
  }
  if (numbers[0] <= 0 || numbers[1] <= 0) return 0;
  long long cpus = numbers[0] / numbers[1] + (numbers[0] % numbers[1] != 0);
  return cpus < UINT_MAX ? (unsigned)cpus : UINT_MAX;
}

/* The least of a group's and its ancestors'; 0: none. */
static unsigned path_quota(const char *mount, const char *hierarchy, const char *group) {
  char folder[PATH_MAX];
  int root = snprintf(folder, sizeof folder, "%s%s%s", mount, *hierarchy ? "/" : "", hierarchy);
  if (root < 0 || root >= (int)sizeof folder) return 0;
  int length = snprintf(folder + root, sizeof folder - (size_t)root, "%s", group);
  if (length < 0 || length >= (int)sizeof folder - root) return 0;
  unsigned least = 0;
  for (char *end = folder + root + length;; *end = 0) {
    unsigned quota = group_quota(folder);
    if (quota && (!least || quota < least)) least = quota;
    if (end == folder + root) return least;
    do end--;
    while (end > folder + root && *end != '/');
  }
}

static bool has_controller(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
    if (strcspn(at, ",") == length && memcmp(at, name, length) == 0) return true;
  return false;
}

unsigned tcc_cpu_quota(const char *groups, const char *mount) {
  FILE *file = fopen(groups, "re");
  char line[PATH_MAX];
  unsigned least = 0;
  if (!file) return 0;
  while (fgets(line, sizeof line, file)) { /* NUMBER:CONTROLLERS:GROUP; version 2 has no controllers there */
    line[strcspn(line, "\n")] = 0;
    char *list = strchr(line, ':'), *group = list ? strchr(list + 1, ':') : NULL;
    if (!group) continue;
    *group++ = 0, list++;
    if (*list && !has_controller(list, "cpu")) continue;
    unsigned quota = path_quota(mount, list, strcmp(group, "/") == 0 ? "" : group);
    if (quota && (!least || quota < least)) least = quota;
  }
  fclose(file);
  return least;
}
