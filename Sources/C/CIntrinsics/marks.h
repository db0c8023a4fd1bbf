/* The search for the end of a field: Swift has no way to get the comparisons of 16 bytes as the bits of a number. */
#ifndef CACHEREPLAY_MARKS_H
#define CACHEREPLAY_MARKS_H

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* What is in 64 bytes. */
struct cachereplay_marks {
    /* A bit for each byte, the lowest for the first one: whether it is one of the four that are sought. */
    uint64_t places;
    /* 0 if all bytes are ASCII. */
    uint64_t others;
};

#if defined(__SSE2__)
static inline __attribute__((always_inline)) struct cachereplay_marks cachereplay_find_marks(
    const void *bytes, uint8_t one, uint8_t two, uint8_t three, uint8_t four)
{
    const __m128i first = _mm_set1_epi8((char)one);
    const __m128i second = _mm_set1_epi8((char)two);
    const __m128i third = _mm_set1_epi8((char)three);
    const __m128i fourth = _mm_set1_epi8((char)four);
    struct cachereplay_marks marks = {0, 0};
    __m128i all = _mm_setzero_si128();
#pragma unroll
    for (int part = 0; part < 4; part += 1) {
        __m128i sixteen = _mm_loadu_si128((const __m128i *)bytes + part);
        __m128i found = _mm_or_si128(
            _mm_or_si128(_mm_cmpeq_epi8(sixteen, first), _mm_cmpeq_epi8(sixteen, second)),
            _mm_or_si128(_mm_cmpeq_epi8(sixteen, third), _mm_cmpeq_epi8(sixteen, fourth)));
        marks.places |= (uint64_t)(uint32_t)_mm_movemask_epi8(found) << (16 * part);
        all = _mm_or_si128(all, sixteen);
    }
    marks.others = (uint64_t)(uint32_t)_mm_movemask_epi8(all);
    return marks;
}
#else
/* The highest bit of each byte that is `sought`, and of no other. */
static inline uint64_t cachereplay_equal_bytes(uint64_t word, uint8_t sought)
{
    const uint64_t low = 0x7F7F7F7F7F7F7F7F;
    uint64_t difference = word ^ (sought * UINT64_C(0x0101010101010101));
    return ~(((difference & low) + low) | difference | low);
}

static inline struct cachereplay_marks cachereplay_find_marks(
    const void *bytes, uint8_t one, uint8_t two, uint8_t three, uint8_t four)
{
    struct cachereplay_marks marks = {0, 0};
    for (int part = 0; part < 8; part += 1) {
        /* The systems of the project are little-endian. */
        uint64_t word;
        memcpy(&word, (const char *)bytes + 8 * part, 8);
        uint64_t found = cachereplay_equal_bytes(word, one) | cachereplay_equal_bytes(word, two)
            | cachereplay_equal_bytes(word, three) | cachereplay_equal_bytes(word, four);
        /* Moves the highest bits of the eight bytes into one byte. */
        marks.places |= ((found >> 7) * UINT64_C(0x0102040810204080) >> 56) << (8 * part);
        marks.others |= word & UINT64_C(0x8080808080808080);
    }
    return marks;
}
#endif

#endif
