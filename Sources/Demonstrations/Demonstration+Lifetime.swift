import SessionModel

// What expires, when, and who notices.
extension Demonstration {
    static let lifetimeDemonstrations = [
        Demonstration(
            "read-past-its-age", "SDWebImage delivers a file past its age, and the read keeps it for another one.",
            meaning:
                """
                Its disk cache checks ages at the cleanup alone, and since 5.20 a read renews them; Kingfisher misses \
                and fetches again.
                """
        ) { report in
            for (cache, second, third) in [
                (
                    "sdwebimage-5; disk: ttl(unbounded, lifetime: 10s, extendOnAccess: true, checkOnRead: false)",
                    "disk hit, stale", "disk hit"
                ),
                ("kingfisher-8; disk: ttl(unbounded, lifetime: 10s, extendOnAccess: true)", "fetched", "disk hit"),
            ] {
                report.begin(cache)
                var scenario = try ReplayScenario(cache)
                scenario.image("A")
                scenario.appear("A", at: 0)
                scenario.event(.memoryWarning, at: 10.5)
                scenario.appear("A", at: 11)
                scenario.event(.background, at: 12)
                scenario.event(.memoryWarning, at: 13)
                scenario.appear("A", at: 14)
                try report.replay(
                    scenario,
                    [
                        ("A appears at 0 s", "fetched"), ("memory warning, A appears at 11 s, its age is 10 s", second),
                        ("background at 12 s, memory warning, A appears at 14 s", third),
                    ])
            }
        },
        Demonstration(
            "used-every-second-and-lost", "An image that is shown every second is lost from disk all the same.",
            meaning:
                "Hits in memory touch no file: in Kingfisher and SDWebImage its lifetime on disk runs out meanwhile."
        ) { report in
            for cache in [
                "kingfisher-8; disk: ttl(unbounded, lifetime: 10s, extendOnAccess: true)",
                "sdwebimage-5; disk: ttl(unbounded, lifetime: 10s, extendOnAccess: true, checkOnRead: false)",
            ] {
                report.begin(cache)
                var scenario = try ReplayScenario(cache)
                scenario.image("A")
                for second in 0...11 { scenario.appear("A", at: Double(second)) }
                scenario.event(.background, at: 11.5)
                scenario.event(.memoryWarning, at: 11.6)
                scenario.appear("A", at: 12)
                var requests = [(what: "A appears at 0 s", expected: "fetched")]
                requests += (1...11).map { ("A appears at \($0) s", "memory hit") }
                requests.append(("background, memory warning, A appears at 12 s", "fetched"))
                try report.replay(scenario, requests)
            }
        },
        Demonstration(
            "lifetime-lost-by-promotion", "PINCache with lifetimes: what comes back from disk never expires in memory.",
            meaning: "Promotion drops the lifetime that the object was stored with."
        ) { report in
            let cache =
                "memory: ttl(unbounded, lifetime: 10s); promotedForever: true; disk: ttl(unbounded, lifetime: 10s)"
            report.begin(cache)
            var scenario = try ReplayScenario(cache)
            scenario.image("A")
            scenario.appear("A", at: 0)
            scenario.event(.memoryWarning, at: 5)
            scenario.appear("A", at: 9)
            scenario.appear("A", at: 60)
            try report.replay(
                scenario,
                [
                    ("A appears at 0 s, for 10 s", "fetched"), ("memory warning at 5 s, A appears at 9 s", "disk hit"),
                    ("A appears at 60 s", "memory hit"),
                ])
        },
        Demonstration(
            "no-store-is-not-stored",
            "A cache that goes by HTTP's rules keeps nothing of an image whose server says so.",
            meaning:
                """
                One header decides more than any policy: URLCache, Nuke's default, fetches such an image each time; \
                libraries of their own files ignore it.
                """
        ) { report in
            for (cache, header, second, third) in [
                ("urlcache", "max-age=10", "memory hit", "fetched"), ("urlcache", "no-store", "fetched", "fetched"),
                ("nuke-default; memory: none", "max-age=10", "disk hit", "fetched"),
                ("sdwebimage-5", "no-store", "memory hit", "memory hit"),
            ] {
                report.begin("\(cache), Cache-Control: \(header)")
                var scenario = try ReplayScenario(cache)
                scenario.image("A", headers: [HTTPField("cache-control", header)])
                for time in [0.0, 9, 11] { scenario.appear("A", at: time) }
                try report.replay(
                    scenario,
                    [("A appears at 0 s", "fetched"), ("A appears at 9 s", second), ("A appears at 11 s", third)])
            }
        },
    ]
}
