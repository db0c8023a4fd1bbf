import ArgumentParser
import CacheTraces
import SessionModel
import TraceAnalysis

struct TracePeopleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "people",
        abstract: "Compare how sessions move and return with what is known of people.",
        discussion: """
            Example: cachereplay trace people Sessions

            Each row has a figure of all sessions together and of people, and the distance between them: of quantiles, \
            the Kolmogorov-Smirnov distance at the known quantiles of people; of a share, the difference; of another \
            number, the difference as a share of people's; of a range, the distance from it. Figures within 0.10 \
            agree. No public data shows people scrolling pictures on phones: the last column says how each figure is \
            known. Below the table are the reasons for which figures of generated sessions differ, the figures of \
            people that no session is compared with, and the sources.
            """)

    @OptionGroup var arguments: TraceArguments

    @OptionGroup var strictOption: StrictOption

    @OptionGroup var input: InputFormatOptions

    func validate() throws { try arguments.require() }

    func run() throws {
        let sources = try TraceSources(arguments.traces, format: nil)
        var habits: [SessionHabits] = []
        var areModelled = true
        let skipped = try sources.forEach(isStrict: strictOption.strict) { _, file in
            let reading = try TraceReading(
                contentsOf: file.place, format: input.chosenFormat(), options: input.recording.options)
            guard let own = SessionHabits(reading.trace) else {
                throw TraceError(
                    .unrecognised, file: file.path, "no scroll events; how the person moves is not recorded.")
            }
            habits.append(own)
            areModelled = areModelled && reading.trace.header.synthetic
        }
        try TraceSources.report(skipped, of: sources.files.count, work: "compared")
        CommandOutput.print(PeopleComparison(habits, areModelled: areModelled).text())
    }
}
