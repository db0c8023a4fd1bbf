import Foundation
import Testing

@Suite(
    "scripts/studies/sensitivity", .namesCommands,
    .enabled(if: PythonPeers.isInstalled, "scripts/test installs jsonschema from PyPI"))
struct SensitivityTests {
    /// Stands for `cachereplay`. The blank time of a population follows from its seed and its changed parameter: seed 2
    /// and half of `look` exchange two presets, the double of `ios-share` makes one preset the last, and half of it
    /// needs more memory.
    private static let program = """
        #!/usr/bin/env python3
        import json, os, sys

        def value(option, otherwise=""):
            return sys.argv[sys.argv.index(option) + 1] if option in sys.argv else otherwise

        def blank(cache, seed, changed):
            presets = {"kingfisher-8": 1, "nuke-13": 2, "sdwebimage-5": 3, "glide": 4, "coil-3": 5}
            if seed == "2" or changed == "look=1.5":
                presets["kingfisher-8"], presets["nuke-13"] = 2, 1
            if changed == "ios-share=1":
                presets["kingfisher-8"] = 9
            if cache.startswith("memory "):
                enough = 128 if changed == "ios-share=0.25" else 64
                return 5 if int(cache[7:-2]) >= enough else 10
            prefetches = {"none": 5, "rows(1)": 4, "rows(2)": 3, "rows(4)": 2, "velocity(500ms)": 6}
            return prefetches[cache[9:]] if cache.startswith("prefetch ") else presets[cache]

        if "--model" in sys.argv:
            values = [("ios-share", 0.5, "assumed"), ("look", 3, "assumed"), ("pause", 2.5, "derived")]
            common = {"least": 0, "most": 100, "apps": ["feed", "chat"]}
            known = [{"name": a, "value": b, "known": c, **common} for a, b, c in values]
            print(json.dumps({"parameters": known}))
        elif sys.argv[1] == "trace":
            os.makedirs(value("--output"))
            with open(value("--output") + "/who", "w") as file:
                file.write(value("--seed") + " " + value("--set", "-"))
        else:
            seed, changed = open(sys.argv[2] + "/who").read().split()
            caches = [line.strip().split(":")[0] for line in open(value("--config")) if line.startswith("  ")]
            os.makedirs(value("--output"))
            with open(value("--output") + "/summary.csv", "w") as file:
                file.write("cache,trace,blank_s\\n")
                for cache in caches:
                    for person in ("person-1", "person-2"):
                        file.write(f"{cache},{person},{blank(cache, seed, changed)}\\n")
        """

    @Test("A change that a seed shows too is no dependence; the page has the rule, its rate and the rest")
    func page() throws {
        try withTemporaryFolder { folder in
            let program = try folder.write(Self.program, to: "program")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
            let output = folder.appendingPathComponent("sensitivity")
            let script = Binary.root.appendingPathComponent("scripts/studies/sensitivity").path
            let run = try PythonPeers.script([
                script, "--binary", program, "--people", "2", "--days", "1", "--output", output.path,
            ])
            #expect(run.status == 0, "\(run.errors)")
            let page = try output.text("README.md").split(separator: "\n").map(String.init)
            for line in [
                "- **The order of presets** depends on `ios-share`.",
                "- **The smallest sufficient memory** depends on `ios-share`.",
                "- **The best prefetch** depends on no assumed parameter.",
                "No conclusion depends on 1 of 2 assumed parameters: `look`.",
                // Of nine seeds, one has an order of its own. A ninth of the four variants is none.
                "| the order of presets | 1 of 8 | 1 of 9 | 0 |",
                "| the best prefetch | 0 of 8 | 0 of 9 | 0 |",
                "| feed | kingfisher-8 < nuke-13 < sdwebimage-5 < glide < coil-3 (8) | 64MB (9) | rows(4) (9) |",
                "| `ios-share` | 0.25 | feed | the smallest sufficient memory | 128MB |",
                "| `ios-share` | 1 | feed | the order of presets | "
                    + "nuke-13 < sdwebimage-5 < glide < coil-3 < kingfisher-8 |",
            ] {
                #expect(page.contains(line), "\(line)")
            }
            #expect(page.count { $0.hasPrefix("| `") } == 2)
            // Four variants and nine seeds, each of two people through seventeen caches.
            #expect(page.contains { $0.contains("from 13 populations and 442 replays") })
            let rows = try output.text("conclusions.csv").split(separator: "\n").map(String.init)
            #expect(rows.count == 1 + 9 + 4)
            let chance = try #require(rows.first { $0.hasPrefix("look,feed,half,1.5,") })
            #expect(chance.contains("nuke-13 < kingfisher-8 < sdwebimage-5") && chance.hasSuffix(",presets,"))
            let dependence = try #require(rows.first { $0.hasPrefix("ios-share,feed,half,0.25,") })
            #expect(dependence.hasSuffix(",memory,memory"))
        }
    }
}
