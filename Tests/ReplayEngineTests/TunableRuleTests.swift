import CachePolicies
import ImageLibraries
import Testing

@testable import ReplayEngine

@Suite("Tunable rules")
struct TunableRuleTests {
    private func values(_ cache: String) throws -> [String: [String]] {
        let rules = try CacheConfiguration(specification: cache).tunableRules()
        return Dictionary(uniqueKeysWithValues: rules.map { ($0.parameter, $0.values) })
    }

    @Test("A cache with a lifetime and a limit of connections can tune all but thumbnails, without its own values")
    func kingfisher() throws {
        let cache = try CacheConfiguration("ttl(lru(20MB), lifetime: 168h); connections: 6; order: lifo")
        let rules = cache.tunableRules()
        #expect(rules.map(\.parameter) == ["lifetime", "connections", "order", "policy", "prefetch"])
        #expect(rules[0].values == ["5min", "1h", "1d", "30d", "never"])
        #expect(rules[1].values == ["2", "4", "8", "12", "16", "32"])
        #expect(rules[2].values == ["fifo", "visibleFirst"])
        #expect(
            rules[3].values == [
                "fifo", "nscache", "trim", "clock", "fifo-reinsertion", "sieve", "slru", "s4lru", "2q", "s3fifo",
                "s4fifo", "clock2q-plus", "qdlp", "mq", "mru", "random", "arc", "lirs", "lru-k", "car", "w-tinylfu",
                "clock-pro", "lecar", "cacheus", "adaptive-climb", "3l-cache", "lfu", "lfuda", "gdsf", "gdsf-mad",
                "greedy-dual-size", "camp", "gd-wheel", "size", "hyperbolic", "lhd", "lru-mad",
            ])
    }

    @Test("A split has thumbnails; without a limit of connections, those to one host are tunable")
    func split() throws {
        let rules = try values("split(thumbnail: lru(10MB), full: lru(30MB)); connectionsPerHost: 8")
        #expect(rules["thumbnails"] == ["10%", "20%", "30%", "40%", "50%", "60%", "75%"])
        #expect(rules["connectionsPerHost"] == ["2", "4", "6", "12", "16", "32"])
        #expect(rules["connections"] == nil && rules["lifetime"] == nil)
        let tenth = try values("split(thumbnail: lru(1MB), full: lru(9MB))")
        #expect(tenth["thumbnails"]?.first == "20%")
    }

    @Test("The tunable limit of connections is the one that binds for one host")
    func connections() throws {
        #expect(try values("kingfisher-8")["connectionsPerHost"]?.contains("12") == true)
        #expect(try values("kingfisher-8")["connections"] == nil)
        #expect(try values("nuke-13")["connections"] == ["2", "4", "8", "12", "16", "32"])
        #expect(try values("lru(1MB); connections: 9; connectionsPerHost: none")["connectionsPerHost"] == nil)
        #expect(try values("lru(1MB); connectionsPerHost: none")["connectionsPerHost"]?.first == "2")
    }

    @Test("A lifetime that HTTP headers determine is not tunable, nor is the policy of a cache without memory")
    func absent() throws {
        #expect(try values("urlcache")["lifetime"] == nil)
        #expect(try values("ttl-two-tier")["lifetime"]?.contains("never") == true)
        #expect(try values("memory: none; disk: lru(9MB)")["policy"] == nil)
    }

    @Test(
        "A preset accepts each value of its tunable rules, with a limit of memory too, and no value is its own",
        arguments: CachePreset.all.map(\.name))
    func presets(name: String) throws {
        let cache = try CacheConfiguration(specification: name)
        let context = PolicyContext(workload: Workload(uniqueBytes: 1 << 30, objects: 1 << 10))
        let own = try cache.canonical(for: context)
        let rules = cache.tunableRules()
        let expected: Set<String> = cache.memory.ifNotNone == nil ? ["order"] : ["order", "policy"]
        #expect(Set(rules.map(\.parameter)).isSuperset(of: expected))
        for rule in rules {
            #expect(Set(rule.values).count == rule.values.count && rule.values.count > 1)
            for value in rule.values {
                let swept = SweptValue(parameter: rule.parameter, value: value)
                let changed = try cache.sweeping(swept)
                #expect(changed.name == "\(name) \(rule.parameter)=\(value)")
                let text = try changed.canonical(for: context)
                #expect(text != own)
                _ = try context.policy(changed.memory)
                // A cache with the value can be written, and is the same one.
                #expect(try CacheConfiguration(text).canonical(for: context) == text)
                guard rule.parameter == "policy" || rule.parameter == "thumbnails" else { continue }
                // The memory of split-md5 has limits of objects, and a limit in bytes needs a share.
                let share = rule.parameter == "policy" && rules.contains { $0.parameter == "thumbnails" }
                let values =
                    [SweptValue(parameter: "memory", value: "64MB"), swept]
                    + (share ? [SweptValue(parameter: "thumbnails", value: "25%")] : [])
                let limited = try cache.sweeping(values)
                #expect(limited.memory.limitsBytes(), "\(limited.memory)")
            }
        }
    }
}
