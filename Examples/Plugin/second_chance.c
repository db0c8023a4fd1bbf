/* Second chance in C: first in, first out, with another round for objects that were used. See cachereplay_plugin.h. */
#include <stdlib.h>
#include <string.h>

#include "cachereplay_plugin.h"

#define NONE UINT64_MAX

typedef struct {
    uint64_t size, newer;
    uint8_t is_held, was_used;
} object;

typedef struct {
    cachereplay_limits limits;
    uint64_t bytes, count;
    /* A list from the oldest to the newest. */
    uint64_t oldest, newest;
    object *objects;
    uint64_t reserved;
} policy;

uint32_t cachereplay_version(void) { return CACHEREPLAY_PLUGIN_VERSION; }

const char *cachereplay_name(void) { return "second-chance"; }

void *cachereplay_create(const cachereplay_limits *limits, const double *parameters) {
    policy *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    made->limits = *limits;
    made->oldest = made->newest = NONE;
    return made;
}

int cachereplay_reserve(void *self, uint64_t count) {
    policy *p = self;
    if (count <= p->reserved) return 0;
    object *objects = realloc(p->objects, count * sizeof *objects);
    if (!objects) return 1;
    memset(objects + p->reserved, 0, (count - p->reserved) * sizeof *objects);
    p->objects = objects;
    p->reserved = count;
    return 0;
}

int cachereplay_lookup(void *self, const cachereplay_access *access) {
    object *found = &((policy *)self)->objects[access->object];
    if (found->is_held) found->was_used = 1;
    return found->is_held;
}

static void push(policy *p, uint64_t number) {
    p->objects[number].newer = NONE;
    if (p->newest == NONE) p->oldest = number; else p->objects[p->newest].newer = number;
    p->newest = number;
}

static uint64_t pop(policy *p) {
    uint64_t number = p->oldest;
    p->oldest = p->objects[number].newer;
    if (p->oldest == NONE) p->newest = NONE;
    return number;
}

static void forget(policy *p, uint64_t number) {
    p->objects[number].is_held = p->objects[number].was_used = 0;
    p->bytes -= p->objects[number].size;
    p->count--;
}

int cachereplay_admit(void *self, const cachereplay_access *access, cachereplay_evict evict, void *context) {
    policy *p = self;
    cachereplay_remove(p, access->object);
    if (access->size > p->limits.bytes || p->limits.objects == 0) return 0;
    while (access->size > p->limits.bytes - p->bytes || p->count >= p->limits.objects) {
        uint64_t victim = pop(p);
        if (p->objects[victim].was_used) {
            p->objects[victim].was_used = 0;
            push(p, victim);
        } else {
            forget(p, victim);
            evict(context, victim);
        }
    }
    push(p, access->object);
    p->objects[access->object].is_held = 1;
    p->objects[access->object].size = access->size;
    p->bytes += access->size;
    p->count++;
    return 1;
}

/* Seldom called: a walk along the list will do. */
void cachereplay_remove(void *self, uint64_t number) {
    policy *p = self;
    if (!p->objects[number].is_held) return;
    uint64_t before = NONE, at = p->oldest;
    while (at != number) {
        before = at;
        at = p->objects[at].newer;
    }
    uint64_t after = p->objects[number].newer;
    if (before == NONE) p->oldest = after; else p->objects[before].newer = after;
    if (p->newest == number) p->newest = before;
    forget(p, number);
}

void cachereplay_free(void *self) {
    policy *p = self;
    free(p->objects);
    free(p);
}
