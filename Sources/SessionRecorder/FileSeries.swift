import Foundation

/// The files of one name: `feed.jsonl`, `feed-2.jsonl`, `feed-3.jsonl` … Numbers only rise, also across launches.
struct FileSeries {
    private let folder: URL
    private let stem: String
    private let suffix: String

    init(_ file: URL) {
        folder = file.deletingLastPathComponent()
        stem = file.deletingPathExtension().lastPathComponent
        suffix = file.pathExtension.isEmpty ? "" : "." + file.pathExtension
    }

    func path(_ number: Int) -> String {
        folder.appendingPathComponent(number == 1 ? stem + suffix : "\(stem)-\(number)\(suffix)").path
    }

    /// The numbers of the files that exist, oldest first.
    var numbers: [Int] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.compactMap(number).sorted()
    }

    /// Deletes the oldest files beyond the limit, and returns the path of the next file.
    func next(keeping limit: Int) -> String {
        let numbers = numbers
        for number in numbers.dropLast(max(0, limit - 1)) { unlink(path(number)) }
        return path((numbers.last ?? 0) + 1)
    }

    private func number(_ name: String) -> Int? {
        if name == stem + suffix { return 1 }
        guard name.hasPrefix(stem + "-"), name.hasSuffix(suffix) else { return nil }
        let digits = name.dropFirst(stem.count + 1).dropLast(suffix.count)
        guard let number = Int(digits), number > 1, number < Int.max, String(number) == digits else { return nil }
        return number
    }
}
