// Records what an Android app loads with Coil 3, as lines of CacheReplay's native format. An app copies this file:
//
//     val images = CoilRecorder(File(context.filesDir, "feed.jsonl").bufferedWriter())
//     ImageLoader.Builder(context).eventListenerFactory(images).build()
//
// Coil does not tell when a view disappears, or what the system does. The app calls `disappeared` and `system`.
// A recording begins like this:
//
//     {"cachereplay_trace":1,"recorder":"CoilRecorder 1"}
//     {"t":1200000,"e":"appear","key":"https://a.example/1.jpg","variant":"full","width":240,"height":180}
//     {"t":1210000,"e":"fetch","key":"https://a.example/1.jpg","status":200,"ttfb_us":350000,"transfer_us":0}
//     {"t":1590000,"e":"served","key":"https://a.example/1.jpg","variant":"full","from":"network"}
//     {"t":1590000,"e":"cost","key":"https://a.example/1.jpg","variant":"full","bytes":1228800}
//     {"t":2300000,"e":"disappear","key":"https://a.example/1.jpg","variant":"full"}
//     {"t":9500000,"e":"background"}

import coil3.EventListener
import coil3.decode.DataSource
import coil3.fetch.FetchResult
import coil3.fetch.Fetcher
import coil3.fetch.SourceFetchResult
import coil3.network.HttpException
import coil3.request.ErrorResult
import coil3.request.ImageRequest
import coil3.request.Options
import coil3.request.SuccessResult
import coil3.size.Dimension
import coil3.size.Size
import java.io.Writer
import java.util.concurrent.Executors

/**
 * Records requests to Coil. Lines are written on a thread of their own, and flushed when the app enters the background.
 *
 * The key of an image is its disk cache key, or its memory cache key, or its data, which mostly is the URL.
 *
 * @param variant `thumbnail` or `full`, for a request.
 */
class CoilRecorder(
    private val file: Writer,
    private val variant: (ImageRequest) -> String = { "full" }
) : EventListener.Factory {
    private val start = System.nanoTime()
    private val thread = Executors.newSingleThreadExecutor()

    init {
        write("{\"cachereplay_trace\":1,\"recorder\":\"CoilRecorder 1\"}")
    }

    override fun create(request: ImageRequest): EventListener = Load()

    /** The view of a request disappeared, or shows another image. */
    fun disappeared(request: ImageRequest) = event("disappear", request, variantOf(request))

    /** What the system did: `memory_warning`, `background`, `foreground` or `terminate`. */
    fun system(name: String) {
        synchronized(this) { write("{\"t\":${now()},\"e\":\"$name\"}") }
        thread.execute { file.flush() }
    }

    /** Writes all lines and closes the file. Later calls fail. */
    fun close() {
        thread.execute { file.close() }
        thread.shutdown()
    }

    /** One request. Coil calls its listener in order, on several threads. */
    private inner class Load : EventListener() {
        private var started: Long? = null
        private var ended: Long? = null
        private var facts = ""

        override fun resolveSizeEnd(request: ImageRequest, size: Size) {
            val width = (size.width as? Dimension.Pixels)?.px
            val height = (size.height as? Dimension.Pixels)?.px
            val view = if (width == null || height == null) "" else ",\"width\":$width,\"height\":$height"
            // A request without a target shows nothing: it fills the caches.
            event(if (request.target == null) "prefetch" else "appear", request, variantOf(request) + view)
        }

        override fun fetchStart(request: ImageRequest, fetcher: Fetcher, options: Options) { started = now() }

        override fun fetchEnd(request: ImageRequest, fetcher: Fetcher, options: Options, result: FetchResult?) {
            if (result !is SourceFetchResult || result.dataSource != DataSource.NETWORK) {
                started = null  // The disk cache, or a file, had the image.
                return
            }
            ended = now()
            // Only a body in the disk cache has a size here.
            val bytes = result.source.fileOrNull()?.let { result.source.fileSystem.metadata(it).size }
            if (bytes != null) facts += ",\"bytes\":$bytes"
            result.mimeType?.let { facts += ",\"type\":${quoted(it)}" }
        }

        override fun onSuccess(request: ImageRequest, result: SuccessResult) {
            fetched(request, 200)
            val source = when (result.dataSource) {
                DataSource.MEMORY_CACHE -> "memory"
                DataSource.DISK -> "disk"
                DataSource.NETWORK -> "network"
                else -> return  // A bitmap of the app.
            }
            if (request.target != null) event("served", request, "${variantOf(request)},\"from\":\"$source\"")
            if (source != "memory") event("cost", request, "${variantOf(request)},\"bytes\":${result.image.size}")
        }

        override fun onError(request: ImageRequest, result: ErrorResult) {
            val error = result.throwable
            if (ended != null) {
                facts += ",\"undecodable\":true"
                fetched(request, 200)
            } else if (request.data.toString().startsWith("http")) {
                fetched(request, if (error is HttpException) error.response.code else 0)
            }
        }

        override fun onCancel(request: ImageRequest) {
            if (ended != null) fetched(request, 200)
        }

        /** Writes the fetch, if there was one. Coil has only the time of the whole fetch. */
        private fun fetched(request: ImageRequest, status: Int) {
            val from = started ?: return
            val time = (ended ?: now()) - from
            val fields = ",\"status\":$status,\"ttfb_us\":$time,\"transfer_us\":0$facts"
            synchronized(this@CoilRecorder) { write("{\"t\":$from,\"e\":\"fetch\",${keyOf(request)}$fields}") }
        }
    }

    private fun keyOf(request: ImageRequest) =
        "\"key\":" + quoted(request.diskCacheKey ?: request.memoryCacheKey ?: request.data.toString())

    private fun variantOf(request: ImageRequest) = ",\"variant\":\"${variant(request)}\""

    /** The clock is read while the lock is held, so that the lines are in order of time. */
    private fun event(name: String, request: ImageRequest, fields: String) = synchronized(this) {
        write("{\"t\":${now()},\"e\":\"$name\",${keyOf(request)}$fields}")
    }

    private fun write(line: String) = thread.execute { file.write(line + "\n") }

    private fun now() = (System.nanoTime() - start) / 1000

    private fun quoted(text: String) = buildString {
        append('"')
        for (c in text) {
            if (c == '"' || c == '\\') append('\\').append(c)
            else if (c < ' ') append("\\u%04x".format(c - '\u0000'))
            else append(c)
        }
        append('"')
    }
}
