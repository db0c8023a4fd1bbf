#ifndef CACHEREPLAY_BUILD_COMMIT_H
#define CACHEREPLAY_BUILD_COMMIT_H

/// The commit that CACHEREPLAY_COMMIT named when the package manager built this program, or NULL.
const char *cachereplay_build_commit(void);

#endif
