// Mistakes of five published designs, each next to the design as intended.
extension Demonstration {
    static let mistakeDemonstrations = [
        Demonstration(
            "wrong-image", "A cell shows the image of another cell, because both URLs have the same key.",
            meaning:
                "The key is every fifth character of the URL. Here these characters do not include the image's number."
        ) { report in
            for (cache, second) in [("two-tier-as-written", "memory hit, wrong image"), ("two-tier", "fetched")] {
                report.begin(cache)
                var scenario = try ReplayScenario(cache)
                let keys = ["https://e.com/a/01.jpg", "https://e.com/a/02.jpg"]
                for key in keys { scenario.image(key) }
                scenario.appear(keys[0], at: 0)
                scenario.appear(keys[1], at: 1)
                try report.replay(scenario, [("\(keys[0]) appears", "fetched"), ("\(keys[1]) appears", second)])
            }
        },
        Demonstration(
            "stale-until-the-sweep", "An image is delivered minutes after it expires.",
            meaning:
                "The lifetime is 300 s, but only the sweep every 240 s checks it, so images are up to 240 s too old."
        ) { report in
            for (cache, second) in [
                ("ttl-two-tier-as-written; disk: none", "memory hit, stale"), ("ttl-two-tier; disk: none", "fetched"),
            ] {
                report.begin(cache)
                var scenario = try ReplayScenario(cache)
                scenario.image("A")
                scenario.appear("A", at: 0)
                scenario.appear("A", at: 470)
                scenario.appear("A", at: 481)
                try report.replay(
                    scenario,
                    [
                        ("A appears at 0 s", "fetched"), ("A appears at 470 s", second),
                        ("the sweep at 480 s, A appears at 481 s", second == "fetched" ? "memory hit" : "fetched"),
                    ])
            }
        },
        Demonstration(
            "blank-for-good", "A cell stays blank forever, because its request joins a fetch that has already ended.",
            meaning:
                """
                The list of waiting requests is never removed. After the image is evicted from memory, the next \
                request joins the list and never receives a result.
                """
        ) { report in
            for (cache, second) in [("coalescing-memory-as-written", "never"), ("coalescing-memory", "fetched")] {
                report.begin(cache)
                var scenario = try ReplayScenario(cache)
                scenario.image("A")
                scenario.appear("A", at: 0)
                scenario.event(.memoryWarning, at: 1)
                scenario.appear("A", at: 2)
                try report.replay(scenario, [("A appears", "fetched"), ("memory warning, A appears again", second)])
            }
        },
        Demonstration(
            "first-alone-hears", "A fetch fails, and only the first waiting request receives the failure.",
            meaning: "The other cells keep their progress indicators, and no request is retried."
        ) { report in
            for (cache, others) in [("coalescing-memory-as-written", "never"), ("coalescing-memory", "failed")] {
                report.begin(cache)
                var scenario = try ReplayScenario(cache)
                scenario.image("A")
                scenario.image("B")
                scenario.answer("A", status: 500)
                for _ in 0..<2 { scenario.appear("A", at: 1) }
                try report.replay(
                    scenario,
                    [("A appears in a first cell, its fetch fails", "failed"), ("A appears in a second cell", others)])
            }
        },
        Demonstration(
            "hundred-megabytes-never-bind", "A cache with a limit of 100 MiB holds 400 MB.",
            meaning:
                "Objects are stored without a cost, so the limit has no effect. Nothing is written to disk."
        ) { report in
            for (cache, held, disk) in [
                ("nscache-100mb-as-written", "400000000 bytes held at most", "0 bytes written"),
                ("nscache-100mb", "104000000 bytes held at most", "100000 bytes written"),
            ] {
                report.begin(cache)
                var scenario = try ReplayScenario(cache)
                for number in 0..<100 { scenario.image("\(number)", bytes: 1_000, pixels: 1_000) }
                for number in 0..<100 { scenario.appear("\(number)", at: Double(number)) }
                let result = try scenario.run().result
                report.step(
                    "100 images of 4 MB decoded", expected: held, "\(result.tiers.memoryPeakBytes) bytes held at most")
                report.step("on disk", expected: disk, "\(result.tiers.diskWrittenBytes) bytes written")
            }
        },
    ]
}
