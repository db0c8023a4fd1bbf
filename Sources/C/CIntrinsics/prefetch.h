/* Fetching a line of memory that will be read soon, without waiting for it. Swift has no such instruction. Every
 * address is allowed: a line that cannot be read is not fetched. */
#ifndef CACHEREPLAY_PREFETCH_H
#define CACHEREPLAY_PREFETCH_H

static inline void cachereplay_prefetch(const void *address) { __builtin_prefetch(address, 1, 3); }

/* Fetches a line that will be read and not written. */
static inline void cachereplay_prefetch_to_read(const void *address) { __builtin_prefetch(address, 0, 3); }

#endif
