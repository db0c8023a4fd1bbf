extension Trace {
    /// Whether cells appear and none ever disappears, as in recordings of requests: a HAR of one page, an access log,
    /// or the recording of a proxy. A replay then regards each cell as visible until the end of the trace.
    public var cellsStay: Bool {
        var appears = false
        for event in events {
            switch event.action {
            case .appear: appears = true
            case .disappear: return false
            default: break
            }
        }
        return appears
    }
}
