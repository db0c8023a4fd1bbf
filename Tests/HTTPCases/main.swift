import Basics
import Foundation

/// Runs the cases in processes of their own, each with an origin and a cache of its own. Real classes have no clock
/// that can be set, so pauses are waited for, and a class that ends its process ends only its case.
let usage = """
    usage: http-cases rules FOLDER
           http-cases urlcache|urlcache-store|urlcache-app FOLDER [--jobs N]

    Prints `id,kind,result,message` for each case of FOLDER/cases.json that browsers run.
    """

/// The rules of replays, and the uses of URLCache.
let clients: [String: URLCacheClient.Use?] = [
    "rules": .none, "urlcache": .session, "urlcache-store": .store, "urlcache-app": .app,
]

func run(_ test: CacheCase, by name: String) throws -> CaseResult {
    let clock = name == "rules" ? CaseClock.virtual() : .real()
    let origin = try CaseOrigin([test], clock: clock)
    let runner = CaseRunner(origin, clock: clock)
    switch clients[name] ?? nil {
    case nil: return runner.run(test, try ReplayRulesClient(clock: clock))
    case let use?:
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("http-cases-\(getpid())")
        defer { try? FileManager.default.removeItem(at: folder) }
        return runner.run(test, URLCacheClient(use, folder: folder))
    }
}

func row(_ test: CacheCase, _ result: String, _ message: String) -> String {
    let text = message.split(whereSeparator: \.isNewline).joined(separator: " ")
    return [test.id, (test.kind ?? .required).rawValue, result, "\"\(text.replacing("\"", with: "'"))\""]
        .joined(separator: ",")
}

/// Runs one case in a process of its own; returns its row.
func isolated(_ test: CacheCase, by name: String, _ folder: String) throws -> SpawnedProcess {
    try SpawnedProcess(
        CommandLine.arguments[0], [name, folder, "--case", test.id],
        in: .init(environment: ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }),
        output: .pipe)
}

func finish(_ process: SpawnedProcess, _ test: CacheCase) -> String {
    let output = SpawnedProcess.readAll(process.output)
    switch process.wait() {
    case .exit(0): return String(decoding: output, as: UTF8.self)
    case .exit(let status): return row(test, "crash", "The process ended with \(status).") + "\n"
    case .signal(let signal): return row(test, "crash", "Signal \(signal) ended the process.") + "\n"
    }
}

func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    func value(_ option: String) -> String? {
        arguments.firstIndex(of: option).flatMap { arguments.indices.contains($0 + 1) ? arguments[$0 + 1] : nil }
    }
    guard arguments.count >= 2, clients.keys.contains(arguments[1]) else {
        FileHandle.standardError.write(Data((usage + "\n").utf8))
        exit(64)
    }
    let (name, folder) = (arguments[1], arguments[2])
    let cases = try CacheCase.all(in: folder)
    if let id = value("--case"), let test = cases.first(where: { $0.id == id }) {
        let result = try run(test, by: name)
        return print(row(test, result.name, result.message))
    }
    let jobs = max(1, value("--jobs").flatMap { Int($0) } ?? 40)
    print("id,kind,result,message")
    var waiting = cases.filter(\.isRunByBrowsers)[...]
    while !waiting.isEmpty {
        let batch = waiting.prefix(jobs)
        waiting = waiting.dropFirst(jobs)
        let started = try batch.map { (try isolated($0, by: name, folder), $0) }
        for (process, test) in started { print(finish(process, test), terminator: "") }
    }
}

do {
    try main()
} catch {
    FileHandle.standardError.write(Data("http-cases: \(error)\n".utf8))
    exit(70)
}
