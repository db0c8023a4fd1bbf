/* Random numbers, several at a time, with instructions of newer processors than the rest of the program needs. Swift
 * cannot compile one function for another processor. The Swift code makes the same numbers on every processor. */
#ifndef CACHEREPLAY_DRAW_H
#define CACHEREPLAY_DRAW_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>

/* The lower 64 bits of products. */
__attribute__((target("avx2"))) static inline __m256i cachereplay_multiply_avx2(__m256i left, __m256i right)
{
    const __m256i mixed = _mm256_add_epi64(
        _mm256_mul_epu32(_mm256_srli_epi64(left, 32), right), _mm256_mul_epu32(left, _mm256_srli_epi64(right, 32)));
    return _mm256_add_epi64(_mm256_mul_epu32(left, right), _mm256_slli_epi64(mixed, 32));
}

/* Writes `count` whole numbers from 0 to `limit` - 1, which SplitMix64 makes after `state`. `count` is a multiple of 4;
 * `limit` is from 1 to 2^32 - 1. */
__attribute__((target("avx2"))) static inline void cachereplay_draw_avx2(
    uint64_t state, uint64_t increment, uint64_t limit, size_t count, uint32_t *draws)
{
    const __m256i limits = _mm256_set1_epi64x((long long)limit);
    const __m256i first = _mm256_set1_epi64x((long long)0xBF58476D1CE4E5B9);
    const __m256i second = _mm256_set1_epi64x((long long)0x94D049BB133111EB);
    const __m256i step = _mm256_set1_epi64x((long long)(4 * increment));
    const __m256i upper = _mm256_setr_epi32(1, 3, 5, 7, 1, 3, 5, 7);
    __m256i states = _mm256_setr_epi64x(
        (long long)(state + increment), (long long)(state + 2 * increment), (long long)(state + 3 * increment),
        (long long)(state + 4 * increment));
    for (size_t index = 0; index < count; index += 4) {
        __m256i number = states;
        number = cachereplay_multiply_avx2(_mm256_xor_si256(number, _mm256_srli_epi64(number, 30)), first);
        number = cachereplay_multiply_avx2(_mm256_xor_si256(number, _mm256_srli_epi64(number, 27)), second);
        number = _mm256_xor_si256(number, _mm256_srli_epi64(number, 31));
        number = _mm256_mul_epu32(_mm256_srli_epi64(number, 32), limits);
        /* The upper halves. */
        number = _mm256_permutevar8x32_epi32(number, upper);
        _mm_storeu_si128((__m128i *)(draws + index), _mm256_castsi256_si128(number));
        states = _mm256_add_epi64(states, step);
    }
}

/* The same with a `count` that is a multiple of 8. */
__attribute__((target("avx512f,avx512dq"))) static inline void cachereplay_draw_avx512(
    uint64_t state, uint64_t increment, uint64_t limit, size_t count, uint32_t *draws)
{
    const __m512i limits = _mm512_set1_epi64((long long)limit);
    const __m512i first = _mm512_set1_epi64((long long)0xBF58476D1CE4E5B9);
    const __m512i second = _mm512_set1_epi64((long long)0x94D049BB133111EB);
    const __m512i step = _mm512_set1_epi64((long long)(8 * increment));
    __m512i states = _mm512_add_epi64(
        _mm512_set1_epi64((long long)state),
        _mm512_mullo_epi64(_mm512_setr_epi64(1, 2, 3, 4, 5, 6, 7, 8), _mm512_set1_epi64((long long)increment)));
    for (size_t index = 0; index < count; index += 8) {
        __m512i number = states;
        number = _mm512_mullo_epi64(_mm512_xor_si512(number, _mm512_srli_epi64(number, 30)), first);
        number = _mm512_mullo_epi64(_mm512_xor_si512(number, _mm512_srli_epi64(number, 27)), second);
        number = _mm512_xor_si512(number, _mm512_srli_epi64(number, 31));
        number = _mm512_srli_epi64(_mm512_mul_epu32(_mm512_srli_epi64(number, 32), limits), 32);
        _mm256_storeu_si256((__m256i *)(draws + index), _mm512_cvtepi64_epi32(number));
        states = _mm512_add_epi64(states, step);
    }
}

static inline int cachereplay_has_avx512dq(void)
{
    return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0;
}
#else
static inline int cachereplay_has_avx512dq(void) { return 0; }

static inline void cachereplay_draw_avx512(
    uint64_t state, uint64_t increment, uint64_t limit, size_t count, uint32_t *draws)
{
}

static inline void cachereplay_draw_avx2(
    uint64_t state, uint64_t increment, uint64_t limit, size_t count, uint32_t *draws)
{
}
#endif

#endif
