// A FIFO cache as a program, in Swift. Build it with `swiftc -O fifo.swift`, and replay with
// --cache "own: ./fifo 20000000". The page "Caches of your own" describes the lines.
import Foundation

let limit = CommandLine.arguments.count > 1 ? Int(CommandLine.arguments[1]) ?? 0 : 0
var images: [String: (image: String, cost: Int)] = [:]
var order: [String] = []
var held = 0

func remove(_ key: String) {
    guard let known = images.removeValue(forKey: key) else { return }
    held -= known.cost
    order.removeAll { $0 == key }
}

setvbuf(stdout, nil, _IOLBF, 0)
while let line = readLine() {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    switch fields[0] {
    case "get":
        print(images[fields[1]].map { "hit\t\($0.image)" } ?? "miss")
        continue
    case "put":
        let (key, cost) = (fields[1], Int(fields[3]) ?? 0)
        let place = order.firstIndex(of: key)
        remove(key)
        guard cost <= limit else { break }
        images[key] = (fields[2], cost)
        order.insert(key, at: place ?? order.count)
        held += cost
        while held > limit, let oldest = order.first { remove(oldest) }
    case "remove": remove(fields[1])
    case "warning", "relaunch": (images, order, held) = ([:], [], 0)
    default: break
    }
    print("ok\t\(held)")
}
