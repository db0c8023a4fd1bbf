/// One request under way: a cell that appeared and wants its image.
struct ReplayRequest {
    var cell = Cell(object: 0, variant: 1)
    /// Nanoseconds of replay time; negative where it has not happened.
    var appeared: Int64 = 0
    var delivered: Int64 = -1
    var vanished: Int64 = -1
    var state = State.looking
    /// The next cell that shows the same object, or -1.
    var nextOpen: Int32 = -1

    enum State: Equatable {
        /// In memory or on disk.
        case looking
        /// Held back until the list rests.
        case heldBack
        /// For the fetch of that number.
        case waiting(Int, own: Bool)
        case done
    }

    var isVisible: Bool { vanished < 0 }
    var isDone: Bool { state == .done }
}

/// One fetch of an object, under way or waiting for a connection.
struct ReplayFetch {
    var cell: Cell
    var waiters: [Int] = []
    /// Nobody need wait for it.
    var isPrefetch = false
    var attempts = 0
    var state = State.queued

    enum State { case queued, running, over }
}
