/* Tells the thread sanitizer what Swift's `Mutex` orders when threads compete for it.
 *
 * On Linux, `Mutex` locks and unlocks by an atomic operation in the code of the caller, which the sanitizer sees. If
 * that fails, the two functions below continue in the library, which is not instrumented: the sanitizer would report a
 * race between the owners of the lock. These definitions take the place of the library's in the programs that are
 * linked with them, call the library, and add the missing edges. They order nothing else: the owners of two different
 * locks still race. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

typedef SWIFT void (*Lock)(uint32_t thread, SELF void *handle);
typedef SWIFT void (*Unlock)(SELF void *handle);

void __tsan_acquire(void *address);
void __tsan_release(void *address);

SWIFT void lock(uint32_t thread, SELF void *handle) __asm__(LOCK);
SWIFT void unlock(SELF void *handle) __asm__(UNLOCK);

SWIFT void lock(uint32_t thread, SELF void *handle) {
    ((Lock)dlsym(RTLD_NEXT, LOCK))(thread, handle);
    __tsan_acquire(handle);
}

SWIFT void unlock(SELF void *handle) {
    __tsan_release(handle);
    ((Unlock)dlsym(RTLD_NEXT, UNLOCK))(handle);
}
