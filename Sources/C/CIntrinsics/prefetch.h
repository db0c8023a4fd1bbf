/* The one thing that the simulation's loop needs and Swift cannot say: fetch a line of memory that will be read soon,
 * and do not wait for it. No address is wrong: a line that cannot be read is not fetched. */
#ifndef CACHEREPLAY_PREFETCH_H
#define CACHEREPLAY_PREFETCH_H

static inline void cachereplay_prefetch(const void *address) { __builtin_prefetch(address, 1, 3); }

/* The same for a line that is not written. */
static inline void cachereplay_prefetch_to_read(const void *address) { __builtin_prefetch(address, 0, 3); }

#endif
