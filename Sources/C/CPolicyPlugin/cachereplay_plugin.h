/* A cache policy in a shared library with C functions, written in any language.
 *
 *     cc -O2 -shared -fPIC -I Sources/C/CPolicyPlugin -o libmine.so mine.c
 *     cachereplay simulate Traces/photo-feed.jsonl --plugin ./libmine.so --policy lru,mine --capacity 2MB
 *
 * The library defines the functions below under exactly these names. Examples/Plugin/second_chance.c is a
 * complete example.
 *
 * A policy decides which objects stay. It holds no payload and reads no clock. CacheReplay numbers the objects 0, 1, 2
 * ... and records which of them the policy claims to hold. A policy that contradicts itself, or holds more than its
 * limits, is stopped with an error that describes the contradiction. CacheReplay cannot detect writes to foreign
 * memory: run the policy under a sanitizer first.
 *
 * Threads: one thread at a time uses a policy. Several policies of one library are used at the same time, so the
 * library must not have global variables that change.
 */
#ifndef CACHEREPLAY_PLUGIN_H
#define CACHEREPLAY_PLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. It grows when an older library would misunderstand it. */
#define CACHEREPLAY_PLUGIN_VERSION 1

/* The limits of a policy. Both apply; a limit that is not set is UINT64_MAX. */
typedef struct cachereplay_limits {
    uint64_t bytes;
    uint64_t objects;
} cachereplay_limits;

/* One access to one object. */
typedef struct cachereplay_access {
    /* The number of the object, below the count last passed to cachereplay_reserve. */
    uint64_t object;
    /* The size in bytes, or 1 if objects are counted. It may be 0 in a lookup of an object that is not held. */
    uint64_t size;
    /* Microseconds since the start of the trace, never falling. */
    int64_t time;
    /* 0 thumbnail, 1 full image. */
    uint8_t variant;
} cachereplay_access;

/* Called by cachereplay_admit for each object that leaves. */
typedef void (*cachereplay_evict)(void *context, uint64_t object);

/* Returns the CACHEREPLAY_PLUGIN_VERSION that the library was compiled with. */
uint32_t cachereplay_version(void);

/* Returns the name of the policy in specifications: lower-case letters, digits and hyphens, beginning with a letter.
 * The text lives as long as the library. */
const char *cachereplay_name(void);

/* Optional. Returns the parameters with their defaults, such as "small: 0.1, threshold: 2": numbers, in the order in
 * which cachereplay_create receives them. A specification writes them as mine(100MB, small: 0.2). */
const char *cachereplay_parameters(void);

/* Returns a new policy, or NULL if the parameters are invalid. `parameters` is valid during the call only. */
void *cachereplay_create(const cachereplay_limits *limits, const double *parameters);

/* Prepares the policy for the objects 0 ... count - 1. May be called again with a larger count. Returns 0, or another
 * number if there is not enough memory. */
int cachereplay_reserve(void *policy, uint64_t count);

/* Records an access, and returns 1 if the object is held, else 0. No object leaves in this call. */
int cachereplay_lookup(void *policy, const cachereplay_access *access);

/* Offers an object that has been fetched. Returns 1 if it is held afterwards, else 0. An object that is held already is
 * replaced, possibly with another size. The policy calls `evict` with `context` for every object that leaves. */
int cachereplay_admit(void *policy, const cachereplay_access *access, cachereplay_evict evict, void *context);

/* Removes an object, which need not be held, without a report. */
void cachereplay_remove(void *policy, uint64_t object);

/* Ends the policy. */
void cachereplay_free(void *policy);

#ifdef __cplusplus
}
#endif

#endif
