/// Keeps everything: the best hit ratio that any cache can reach, and the memory it would take. A queue that never
/// gives way.
enum UnboundedPolicy {
    static let entry = PolicyEntry("unbounded", "Keeps everything.", parameters: []) { _ in FIFO(Limits()) }
}
