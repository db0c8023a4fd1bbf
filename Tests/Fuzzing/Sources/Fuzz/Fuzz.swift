import Foundation

/// The parser that this process feeds, named by the environment: libFuzzer has the command line for itself.
private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        exit(saying: "FUZZ_TARGET is '\(name)'; expected one of: \(FuzzTarget.all.map(\.name).joined(separator: " "))")
    }
    return target
}()

/// What libFuzzer calls first; `main` is in its own library.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer) -> CInt {
    let environment = ProcessInfo.processInfo.environment
    if environment["FUZZ_LIST"] != nil {
        exit(saying: FuzzTarget.all.map { "\($0.name) \($0.maximumLength)" }.joined(separator: "\n"), status: 0)
    }
    guard let folder = environment["FUZZ_SEEDS"] else { return 0 }
    for (number, seed) in target.seeds.enumerated() {
        let path = "\(folder)/\(target.name)-\(number)"
        do { try Data(seed).write(to: URL(fileURLWithPath: path)) } catch { exit(saying: "\(path): \(error)") }
    }
    exit(0)
}

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target.feed(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

private func exit(saying text: String, status: Int32 = 64) -> Never {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
    exit(status)
}
