/* times.h - where the time of the seeds goes: milliseconds by name, summed over processes. */
#ifndef TCC_SMITH_TIMES_H
#define TCC_SMITH_TIMES_H

/* Before the first child: sums are in memory that it shares. Without it nothing is kept. */
void smith_times_start(void);
void smith_times_add(const char *name, double ms);
/* The largest first, on standard error, with what each seed took of it. */
void smith_times_print(double seeds);
#endif
