/* A cache policy of one's own, in any language that can make a shared library with C functions.
 *
 *     cc -O2 -shared -fPIC -I Sources/CPolicyPlugin -o libmine.so mine.c
 *     cachereplay simulate Traces/photo-feed.jsonl --plugin ./libmine.so --policy lru,mine --capacity 2MB
 *
 * The library defines the functions below, each with exactly this name. Sources/Examples/Plugin/second_chance.c is a whole one.
 *
 * A policy decides what stays. It holds no payload and reads no clock. CacheReplay numbers the objects 0, 1, 2 ... and keeps books of what
 * the policy says it holds: one that contradicts itself, or holds more than its limits, is stopped with an error that says what it did.
 * What CacheReplay cannot catch is a policy that writes where it should not: run it under a sanitizer first.
 *
 * Threads: each policy is used by one thread at a time; several policies of one library are used at the same time, so that global variables
 * that change are a mistake.
 */
#ifndef CACHEREPLAY_PLUGIN_H
#define CACHEREPLAY_PLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this interface. It grows by one whenever an older library would misunderstand it. */
#define CACHEREPLAY_PLUGIN_VERSION 1

/* How much a policy may hold: both limits count, and one that is not set is UINT64_MAX. */
typedef struct cachereplay_limits {
    uint64_t bytes;
    uint64_t objects;
} cachereplay_limits;

/* One access to one object. */
typedef struct cachereplay_access {
    /* Its number, below the count last given to cachereplay_reserve. */
    uint64_t object;
    /* Its bytes; 1 where objects are counted. In a lookup of an object that is not held it may be 0. */
    uint64_t size;
    /* Microseconds since the start of the trace, never falling. */
    int64_t time;
    /* 0 thumbnail, 1 full image. */
    uint8_t variant;
} cachereplay_access;

/* Called by cachereplay_admit for each object that leaves. */
typedef void (*cachereplay_evict)(void *context, uint64_t object);

/* CACHEREPLAY_PLUGIN_VERSION, as the library was compiled with. */
uint32_t cachereplay_version(void);

/* What the policy is called in specifications: small letters, digits and hyphens, beginning with a letter. Lives as long as the library. */
const char *cachereplay_name(void);

/* Optional. Its parameters with their defaults, as in "small: 0.1, threshold: 2": numbers, in the order in which
 * cachereplay_create gets them. Written in specifications as mine(100MB, small: 0.2). */
const char *cachereplay_parameters(void);

/* A new policy; NULL where the parameters make no sense. `parameters` is gone after the call. */
void *cachereplay_create(const cachereplay_limits *limits, const double *parameters);

/* Makes room for the objects 0 ... count - 1. May be called again with a larger count. Returns 0, or anything else where there is no memory. */
int cachereplay_reserve(void *policy, uint64_t count);

/* Whether the object is held: 1 or 0. Notes the access. Nobody leaves here. */
int cachereplay_lookup(void *policy, const cachereplay_access *access);

/* The object has been fetched: shall it stay, and who leaves for it? Returns 1 if it is held in the end, else 0. An object that
 * is held already is replaced: its size may be another now. `evict` is called with `context` for every object that leaves. */
int cachereplay_admit(void *policy, const cachereplay_access *access, cachereplay_evict evict, void *context);

/* Forgets an object, which may or may not be held. Not to be reported. */
void cachereplay_remove(void *policy, uint64_t object);

/* Ends the policy. */
void cachereplay_free(void *policy);

#ifdef __cplusplus
}
#endif

#endif
