#include "CBuildCommit.h"

#include <stddef.h>

// Package.swift defines the macro as plain words, because build systems disagree on quotation marks.
#define TEXT_OF(words) #words
#define TEXT(words) TEXT_OF(words)

const char *cachereplay_build_commit(void) {
#ifdef CACHEREPLAY_COMMIT
    return TEXT(CACHEREPLAY_COMMIT);
#else
    return NULL;
#endif
}
