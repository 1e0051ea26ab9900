/* Quotas of made-up control groups: of both versions, of ancestors, none, and files that make no sense. */
#include "lib/runtime/internal.h"
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int failures;
static char top[] = "/tmp/tcc-quota-XXXXXX";

static void write_file(const char *name, const char *text) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", top, name);
  for (char *at = path + strlen(top) + 1; (at = strchr(at, '/')); at++) {
    *at = 0;
    mkdir(path, 0700);
    *at = '/';
  }
  FILE *file = fopen(path, "w");
  if (!file || fputs(text, file) < 0 || fclose(file)) abort();
}

static void expect(const char *groups, const char *mount, unsigned wanted) {
  char file[PATH_MAX], folder[PATH_MAX];
  write_file("groups", groups);
  snprintf(file, sizeof file, "%s/groups", top);
  snprintf(folder, sizeof folder, "%s/%s", top, mount);
  unsigned got = tcc_cpu_quota(file, folder);
  if (got == wanted) return;
  printf("failed: %s in %s: %u, expected %u\n", groups, mount, got, wanted);
  failures++;
}

int main(void) {
  if (!mkdtemp(top)) abort();
  write_file("two/cpu.max", "max 100000\n");
  write_file("two/service/cpu.max", "350000 100000\n");
  write_file("two/service/one/cpu.max", "max 100000\n");
  write_file("two/service/two/cpu.max", "50000 100000\n");
  write_file("two/service/wide/cpu.max", "900000 100000\n");
  write_file("two/odd/cpu.max", "-5 0\n");
  write_file("two/huge/cpu.max", "9223372036854775807 1\n");
  expect("0::/\n", "two", 0);
  expect("0::/service\n", "two", 4); /* 3.5 */
  expect("0::/service/one\n", "two", 4);
  expect("0::/service/two\n", "two", 1);
  expect("0::/service/wide\n", "two", 4);
  expect("0::/service/gone/below\n", "two", 4);
  expect("0::/odd\n", "two", 0);
  expect("0::/huge\n", "two", UINT_MAX);
  expect("", "two", 0);
  expect("nonsense\n:\n::\n1:\n", "two", 0);
  write_file("inside/cpu.max", "150000 100000\n"); /* a container that sees its host's path */
  expect("0::/system.slice/box\n", "inside", 2);
  write_file("one/cpu,cpuacct/box/cpu.cfs_quota_us", "200000\n");
  write_file("one/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n");
  write_file("one/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write_file("one/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  write_file("one/cpuset/box/cpu.cfs_quota_us", "100000\n");
  write_file("one/cpuset/box/cpu.cfs_period_us", "100000\n");
  expect("4:memory:/box\n3:cpuset:/box\n2:cpu,cpuacct:/box\n0::/\n", "one", 2);
  expect("2:cpu,cpuacct:/other\n", "one", 0);
  char command[PATH_MAX + 8];
  snprintf(command, sizeof command, "rm -r %s", top);
  return system(command) != 0 || failures != 0;
}
