/* A number that one thread writes and another reads. Swift's own atomic numbers need newer systems than an app's test
 * target has. */
#ifndef CACHEREPLAY_ATOMIC_WORD_H
#define CACHEREPLAY_ATOMIC_WORD_H

#include <stdint.h>

static inline void cachereplay_write_word(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static inline uint64_t cachereplay_read_word(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

#endif
