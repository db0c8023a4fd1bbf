#include <png.h>

// Macros of casts and of several steps, which Swift does not import.

static inline png_uint_32 cpng_format_rgba(void) { return PNG_FORMAT_RGBA; }
static inline png_uint_32 cpng_format_rgb(void) { return PNG_FORMAT_RGB; }

// No PNG of this image, in the format that it names, is longer.
static inline png_alloc_size_t cpng_longest(const png_image *image) { return PNG_IMAGE_PNG_SIZE_MAX(*image); }
