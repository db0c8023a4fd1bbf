/* A choice that the compiler must not turn into a branch, because no processor can predict it. Swift has no way to ask
 * for that. */
#ifndef CACHEREPLAY_CHOOSE_H
#define CACHEREPLAY_CHOOSE_H

#include <stdbool.h>
#include <stdint.h>

static inline uint32_t cachereplay_choose(bool condition, uint32_t if_true, uint32_t if_false)
{
    return __builtin_unpredictable(condition) ? if_true : if_false;
}

#endif
