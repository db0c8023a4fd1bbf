import SessionModel

// Lifetimes: when images expire, and which operations check it.
extension Demonstration {
    static let lifetimeDemonstrations = [
        Demonstration(
            "read-past-its-age", "SDWebImage delivers an expired file, and the read renews its lifetime.",
            meaning:
                """
                Its disk cache checks ages only in the cleanup, and since 5.20 a read renews them. Kingfisher treats \
                the read as a miss and fetches again.
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
                        ("A appears at 0 s", "fetched"), ("memory warning, A appears at 11 s, lifetime 10 s", second),
                        ("background at 12 s, memory warning, A appears at 14 s", third),
                    ])
            }
        },
        Demonstration(
            "used-every-second-and-lost", "An image that is shown every second still expires on disk.",
            meaning:
                "A memory hit does not read the file. In Kingfisher and SDWebImage its lifetime on disk is not renewed."
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
            "lifetime-lost-by-promotion",
            "In PINCache with lifetimes, an image that is promoted from disk never expires in memory.",
            meaning: "Promotion discards the lifetime of the stored object."
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
                    ("A appears at 0 s, lifetime 10 s", "fetched"),
                    ("memory warning at 5 s, A appears at 9 s", "disk hit"),
                    ("A appears at 60 s", "memory hit"),
                ])
        },
        Demonstration(
            "no-store-is-not-stored",
            "A cache that follows HTTP's rules does not store an image whose server forbids it.",
            meaning:
                """
                URLCache, which is Nuke's default, fetches such an image each time, whatever its policy. Libraries \
                with their own files ignore the header.
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
