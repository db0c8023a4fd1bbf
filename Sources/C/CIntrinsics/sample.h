/* Drawing a sample of objects by AVX2, on processors that have it. Swift cannot compile one function for a newer
 * processor than the rest of the program. On other processors, Swift code does the same. */
#ifndef CACHEREPLAY_SAMPLE_H
#define CACHEREPLAY_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>

/* Finds the objects whose hash, object * multiplier + seed, is below the threshold, which is at most 2^31. Writes the
 * index and the object of each. `positions` and `found` have room for `count` elements; `count` is a multiple of 16.
 * Returns the number found. */
__attribute__((target("avx2"))) static inline size_t cachereplay_sample_avx2(
    const uint32_t *objects, size_t count, uint32_t multiplier, uint32_t seed, uint32_t threshold, uint32_t *positions,
    uint32_t *found)
{
    const __m256i factors = _mm256_set1_epi32((int)multiplier);
    const __m256i seeds = _mm256_set1_epi32((int)seed);
    const __m256i limits = _mm256_set1_epi32((int)threshold);
    size_t number = 0;
    for (size_t index = 0; index < count; index += 16) {
        const __m256i *source = (const __m256i *)(objects + index);
        __m256i low = _mm256_add_epi32(_mm256_mullo_epi32(_mm256_loadu_si256(source), factors), seeds);
        __m256i high = _mm256_add_epi32(_mm256_mullo_epi32(_mm256_loadu_si256(source + 1), factors), seeds);
        /* The highest bit is 1 if the hash is below the threshold. */
        low = _mm256_andnot_si256(low, _mm256_sub_epi32(low, limits));
        high = _mm256_andnot_si256(high, _mm256_sub_epi32(high, limits));
        uint32_t bits = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(low))
            | (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(high)) << 8;
        while (bits != 0) {
            size_t place = index + (size_t)__builtin_ctz(bits);
            positions[number] = (uint32_t)place;
            found[number] = objects[place];
            number += 1;
            bits &= bits - 1;
        }
    }
    return number;
}

static inline int cachereplay_has_avx2(void) { return __builtin_cpu_supports("avx2") != 0; }
#else
static inline size_t cachereplay_sample_avx2(
    const uint32_t *objects, size_t count, uint32_t multiplier, uint32_t seed, uint32_t threshold, uint32_t *positions,
    uint32_t *found)
{
    return 0;
}

static inline int cachereplay_has_avx2(void) { return 0; }
#endif

#endif
