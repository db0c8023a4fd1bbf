// What happens between a request and its image.
extension Demonstration {
    static let pipelineDemonstrations = [
        Demonstration(
            "ten-cells-one-file", "Ten cells that show one image from disk at the same moment: ten reads, or one.",
            meaning: "Kingfisher and SDWebImage merge downloads by URL, and read the file once for each cell. Nuke merges the whole task."
        ) { report in
            for (cache, reads) in [("kingfisher-8; diskContent: original", 10), ("sdwebimage-5", 10), ("nuke-13", 1)] {
                report.begin(cache)
                var story = try ReplayStory(cache, costs: .standard)
                story.image("A", bytes: 1_000)
                story.appear("A", at: 0)
                story.event(.memoryWarning, at: 1)
                for _ in 0..<10 { story.appear("A", at: 2) }
                let outcome = try story.run()
                let hits = outcome.requests.dropFirst().count { $0 == "disk hit" }
                report.step("A is on disk only; ten cells show it at once", expected: "10 disk hits", "\(hits) disk hits")
                report.step("files read", expected: "\(reads)", "\(outcome.result.tiers.diskReadBytes / 1_000)")
            }
        }
    ]
}
