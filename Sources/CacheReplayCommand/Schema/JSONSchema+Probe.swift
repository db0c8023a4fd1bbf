
extension JSONSchema {
    // MARK: The file of `probe nscache --output`

    static var probe: Value {
        document(
            "The file of `cachereplay probe nscache --output`, which `--nscache` reads",
            record(
                [
                    "probe": described(["const": ProbeRecord.version], "The version of this form."),
                    "cachereplay": string("The version of the program that wrote the file."),
                    "class": string("NSCache, or the program in its place."),
                    "platform": record([
                        "name": string("Such as macOS or Linux."), "version": string("That of the system."),
                        "architecture": string, "foundation": string("Foundation, or swift-corelibs-foundation."),
                    ]),
                    "sequences": count("The sequences that ran, each on a new cache."),
                    "operations": count("The operations of all sequences, without the reads at their ends."),
                    "answers": count("The answers to reads."),
                    "repeated": count("The sequences that ran once more."),
                    "differing": count("Those of them whose answers differed then."),
                    "over_limits": count("The sequences at whose end more was held than the limits allow."),
                    "wrong": count("The sequences that returned an object that was not stored last."),
                    "verdict": words(ProbeVerdict.words, "What the probe found."),
                    "models": list(probeModel, "The models, those with the fewest contradictions first."),
                ],
                optional: ["best": words(ProbeModel.all.map(\.name), "The model that fits; absent without one.")]))
    }

    private static var probeModel: Value {
        record(
            [
                "name": words(ProbeModel.all.map(\.name), "The model."),
                "contradicted": count("The sequences with an answer that the model does not give."),
            ],
            optional: [
                "shortest": described(
                    record([
                        "limits": record(["cost": count("0: none."), "count": count("0: none.")]),
                        "operations": list(string, "The operations, with the answers to reads."),
                    ]), "The shortest of them; absent without one, and where answers change from run to run.")
            ])
    }
}
