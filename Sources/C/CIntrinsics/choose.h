/* The fourth thing that the simulation needs and Swift cannot say: a choice that no processor can predict, and that
 * must therefore not become a branch. */
#ifndef CACHEREPLAY_CHOOSE_H
#define CACHEREPLAY_CHOOSE_H

#include <stdbool.h>
#include <stdint.h>

static inline uint32_t cachereplay_choose(bool condition, uint32_t if_true, uint32_t if_false)
{
    return __builtin_unpredictable(condition) ? if_true : if_false;
}

#endif
