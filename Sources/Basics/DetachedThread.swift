#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A thread that nothing waits for. Unlike Foundation's and Dispatch's, a thread that cannot be created is an error,
/// and not a wait without an end.
public enum DetachedThread {
    /// Starts a thread.
    ///
    /// - Throws: ``SystemError`` if there is no memory, or if the user has too many threads.
    public static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let work = Unmanaged.passRetained(Work(body: body))
        let code = create(work.toOpaque())
        guard code != 0 else { return }
        work.release()
        throw SystemError(code)
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(body: @escaping @Sendable () -> Void) { self.body = body }

        static func run(_ work: UnsafeMutableRawPointer) { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
    }

    /// Returns an error number, 0 for success.
    private static func create(_ work: UnsafeMutableRawPointer) -> Int32 {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        #if canImport(Darwin)
        var thread: pthread_t?
        return pthread_create(
            &thread, &attributes,
            { work in
                Work.run(work)
                return nil
            }, work)
        #else
        var thread = pthread_t()
        return pthread_create(
            &thread, &attributes,
            { work in
                if let work { Work.run(work) }
                return nil
            }, work)
        #endif
    }
}
