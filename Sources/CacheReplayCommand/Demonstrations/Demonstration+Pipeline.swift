// The pipeline between a request and its image.
extension Demonstration {
    static let pipelineDemonstrations = [
        Demonstration(
            "ten-cells-one-file", "Ten cells that show one image from disk at the same time cause ten reads, or one.",
            meaning:
                """
                Kingfisher and SDWebImage merge downloads by URL, but read the file once for each cell. Nuke merges \
                the whole task.
                """
        ) { report in
            for (cache, reads) in [("kingfisher-8; diskContent: original", 10), ("sdwebimage-5", 10), ("nuke-13", 1)] {
                report.begin(cache)
                var scenario = try ReplayScenario(cache, costs: .standard)
                scenario.image("A", bytes: 1_000)
                scenario.appear("A", at: 0)
                scenario.event(.memoryWarning, at: 1)
                for _ in 0..<10 { scenario.appear("A", at: 2) }
                let outcome = try scenario.run()
                let hits = outcome.requests.dropFirst().count { $0 == "disk hit" }
                report.step(
                    "ten cells show A, which is only on disk", expected: "10 disk hits", "\(hits) disk hits")
                report.step("files read", expected: "\(reads)", "\(outcome.result.tiers.diskReadBytes / 1_000)")
            }
        },
        Demonstration(
            "damaged-file-stays", "Kingfisher delivers an error for a damaged file each time.",
            meaning:
                """
                It cannot decode the file and does not download the image. The read renews the file's lifetime of 7 \
                days. Nuke and SDWebImage download the image again.
                """
        ) { report in
            for (cache, second, third) in [
                ("kingfisher-8", "failed", "failed"), ("nuke-13", "fetched", "disk hit"),
                ("sdwebimage-5", "fetched", "disk hit"),
            ] {
                report.begin(cache)
                var scenario = try ReplayScenario(cache)
                scenario.image("A")
                scenario.appear("A", at: 0)
                scenario.damageFile("A", at: 1)
                scenario.event(.memoryWarning, at: 1)
                scenario.appear("A", at: 2)
                scenario.event(.memoryWarning, at: 3)
                // More than 7 days after the store, and less than 7 days after the last read.
                scenario.appear("A", at: 6.9 * 86_400)
                scenario.event(.memoryWarning, at: 7 * 86_400)
                scenario.appear("A", at: 7.1 * 86_400)
                try report.replay(
                    scenario,
                    [
                        ("A appears and is stored", "fetched"),
                        ("its file is truncated, memory warning, A appears", second),
                        ("memory warning, A appears after 6.9 days", third),
                        ("memory warning, A appears after 7.1 days", third),
                    ])
            }
        },
        Demonstration(
            "blocked-until-restart", "After one bad response, SDWebImage does not fetch the URL again.",
            meaning:
                """
                A response with status 200 and a body that is not an image adds the URL to a list that lasts until the \
                app ends. A status of 404, a timeout and a missing network do not.
                """
        ) { report in
            for (cache, second) in [("sdwebimage-5", "failed"), ("kingfisher-8", "fetched")] {
                report.begin(cache)
                var scenario = try ReplayScenario(cache)
                for key in ["A", "B"] { scenario.image(key) }
                scenario.answer("A", isUndecodable: true)
                scenario.answer("A")
                scenario.answer("B", status: 404)
                scenario.answer("B")
                for (time, key) in [(0.0, "A"), (1, "A"), (2, "B"), (3, "B")] { scenario.appear(key, at: time) }
                scenario.event(.terminate, at: 4)
                scenario.appear("A", at: 5)
                try report.replay(
                    scenario,
                    [
                        ("A appears, the server sends an error page with status 200", "failed"),
                        ("A appears again, the server sends the image", second),
                        ("B appears, the server sends status 404", "failed"),
                        ("B appears again, the server sends the image", "fetched"),
                        ("the app is restarted, A appears", second == "failed" ? "fetched" : "disk hit"),
                    ])
            }
        },
        Demonstration(
            "promoted-without-cell",
            "After a fast scroll past ten images on disk, some of them are still promoted to memory.",
            meaning:
                """
                Kingfisher checks before and after a read whether the cell still exists. Before 8.8.1 it did not, and \
                it held more than a gigabyte of unused images.
                """
        ) { report in
            for (rule, promoted) in [("dropped", 1), ("droppedWhileQueued", 2), ("finished", 11)] {
                let cache = "kingfisher-8; diskContent: original; cancelledReads: \(rule)"
                report.begin(cache)
                var scenario = try ReplayScenario(cache, costs: .standard)
                for number in 0...10 { scenario.image("\(number)") }
                for number in 0...10 { scenario.appear("\(number)", at: Double(number)) }
                for number in 0...10 { scenario.disappear("\(number)", at: 15) }
                scenario.event(.memoryWarning, at: 20)
                for number in 0..<10 { scenario.appear("\(number)", at: 21) }
                for number in 0..<10 { scenario.disappear("\(number)", at: 21.00001) }
                scenario.appear("10", at: 22)
                let result = try scenario.run().result
                report.step(
                    "ten cells appear, and disappear before the first file is read", expected: "10 cancelled",
                    "\(result.counts.cancelled) cancelled")
                report.step(
                    "one more cell appears and stays", expected: "\(promoted) in memory",
                    "\((result.timeline.last?.memoryBytes ?? 0) / 40_000) in memory")
            }
        },
    ]
}
