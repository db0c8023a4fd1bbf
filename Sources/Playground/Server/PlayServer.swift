import NIOCore
import Synchronization
import TraceRecording

/// The server of the page of the playground.
///
/// Every path begins with a secret, also on loopback. A request without it gets status 404. `RequestGuard` checks the
/// host and the origin of each request, and bounds bodies, heads and connections. ``PlayWork`` bounds the work.
package final class PlayServer: Sendable {
    package struct Options: Sendable {
        /// The address to listen at.
        package var host = "127.0.0.1"
        /// The port; 0 for a free one.
        package var port = 0
        /// The names that requests can have in `Host` and `Origin` beside `localhost` and IP addresses.
        package var allowedHosts: [HostName] = []
        var limits: ServerLimits = {
            var limits = ServerLimits()
            limits.bodyBytes = 64 << 10
            limits.connections = 128
            return limits
        }()
        var work = PlayWork.Limits()
        /// The longest time of a question.
        var questionLimit: Duration = .seconds(60)
        /// The longest time of a report, which draws charts.
        var reportLimit: Duration = .seconds(300)

        package init() {}
    }

    /// Returns the page `report.html` that `cachereplay` writes with these arguments. It ends soon after `isOvertaken`
    /// returns true.
    package typealias Report =
        @Sendable (_ arguments: [String], _ isOvertaken: @escaping @Sendable () -> Bool) throws -> [UInt8]

    /// The page's URL, with a slash at the end. For a host such as 0.0.0.0, it is the URL on this machine.
    package let address: String
    package let port: Int
    /// The first segment of every path. Each server has a new one, which is stored in no file.
    package let secret: String
    private let state: PlayState
    private let server: RecordingServer
    private let ticking: RepeatedTask
    private let isStopped = Mutex(false)

    /// Starts the server, which listens when the initializer returns.
    ///
    /// - Parameters:
    ///   - answering: Answers the questions of the page.
    ///   - report: Makes a report; called by a thread of the server.
    /// - Throws: `LoopbackOriginError` if it cannot listen.
    package init(_ answering: any PlayAnswering, options: Options = Options(), report: @escaping Report) throws {
        let state = PlayState(answering, options, secret: RandomName.make(16), report: report)
        let hosts = HostCheck(listeningAt: options.host, allowed: options.allowedHosts, pages: .own)
        // A page that no longer wants an answer closes its connection, which ends the question.
        server = try RecordingServer(
            host: options.host, port: options.port, limits: options.limits, hosts: hosts, allowsHalfClosure: false
        ) { channel in
            try channel.pipeline.syncOperations.addHandler(PlayHandler(state))
        }
        self.state = state
        secret = state.secret
        port = server.port
        address = "\(server.localAddress)/\(state.secret)/"
        let interval = TimeAmount.milliseconds(100)
        ticking = server.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            state.work.tick()
        }
    }

    /// Ends the questions, and closes all connections. Waits for a few seconds at most. A second call does nothing.
    @available(*, noasync)
    package func stopAndWait() throws {
        let isFirst = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        guard isFirst else { return }
        ticking.cancel()
        state.work.close(within: .seconds(3))
        try server.stopAndWait()
    }

    /// The number of questions that threads work on, including those that have been ended.
    var runningCount: Int { state.work.runningCount }

    /// The number of questions that have no answer yet.
    var unansweredCount: Int { state.work.unansweredCount }
}

/// The state that all connections share.
final class PlayState: Sendable {
    let answering: any PlayAnswering
    let options: PlayServer.Options
    let secret: String
    let report: PlayServer.Report
    let work: PlayWork

    init(
        _ answering: any PlayAnswering, _ options: PlayServer.Options, secret: String,
        report: @escaping PlayServer.Report
    ) {
        self.answering = answering
        self.options = options
        self.secret = secret
        self.report = report
        work = PlayWork(options.work)
    }
}
