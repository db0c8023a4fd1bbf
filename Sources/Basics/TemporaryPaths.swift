#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The temporary files and folders of this process: unfinished files and scratch folders.
public enum TemporaryPaths {
    /// By path: a descriptor that is free for the removal, also when the process may open no further file; -1 for none.
    private static let reserves = Locked<[String: Int32]>([:])

    /// Ends the groups of children, removes all temporary files and folders, and ends the process at once. None is
    /// created meanwhile.
    public static func exit(_ status: Int32) -> Never {
        SpawnedProcess.endGroups()
        return reserves.withLock { reserves in
            for (path, reserve) in reserves {
                if reserve >= 0 { close(reserve) }
                // Other threads write into a folder until its subfolders are gone, so it can be filled again meanwhile.
                var attempts = 0
                while attempts < 100, access(path, F_OK) == 0 {
                    if attempts > 0 { usleep(1_000) }
                    ScratchFolder.removeTree(path)
                    attempts += 1
                }
            }
            _exit(status)
        }
    }

    /// Calls `body`, before or after an ``exit(_:)``: after one, this function does not return.
    ///
    /// Code that creates folders below a scratch folder by their whole path needs it. Otherwise, it can create a folder
    /// again that an exit has removed.
    public static func delayingExit<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        try reserves.withLock { (_) throws(Failure) in try body() }
    }

    /// Calls `body`, which creates the path and returns a reserve, or nil if it fails. An ``exit(_:)`` comes before or
    /// after.
    static func create(_ path: String, _ body: () -> Int32?) {
        reserves.withLock { reserves in
            if let reserve = body() { reserves[path] = reserve }
        }
    }

    /// Returns the reserve of a path, which is then the caller's; -1 for none.
    static func takeReserve(_ path: String) -> Int32 {
        reserves.withLock { reserves in
            guard let reserve = reserves[path] else { return -1 }
            reserves[path] = -1
            return reserve
        }
    }

    /// A path no longer exists, or has become a permanent one.
    static func forget(_ path: String) { reserves.withLock { _ = $0.removeValue(forKey: path) } }
}
