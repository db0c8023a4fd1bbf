import Foundation
import Testing

/// The package of `Sources/Python`, with pandas, Polars and pyarrow, which `scripts/test --thorough` installs.
@Suite(
    "The Python package", .namesCommands,
    .enabled(
        if: FileManager.default.fileExists(atPath: Binary.root.path + "/.build/test-python/package-ready"),
        "scripts/test --thorough installs pandas, Polars, pyarrow, pytest and mypy from PyPI"))
struct PythonPackageTests {
    private static let folder = Binary.root.appendingPathComponent("Sources/Python")

    /// Runs a module of Python in the folder of the package, on the built command.
    private func python(_ arguments: [String], caches: URL) throws -> Binary.Outcome {
        try Binary.outcome {
            try Binary.launch(
                URL(fileURLWithPath: PythonPeers.python), arguments, in: Self.folder,
                ["CACHEREPLAY": Binary.path, "MPLCONFIGDIR": caches.path, "MPLBACKEND": "Agg"], $0, $1)
        }
    }

    @Test("its tests pass on the built command")
    func tests() throws {
        try withTemporaryFolder { folder in
            let run = try python(["-m", "pytest", "-q"], caches: folder)
            #expect(run.status == 0, "\(run.output.suffix(4_000))\(run.errors)")
            #expect(run.output.contains(" passed"), "\(run.output)")
        }
    }

    @Test("its types are complete")
    func types() throws {
        try withTemporaryFolder { folder in
            let run = try python(["-m", "mypy", "--cache-dir", folder.path, "cachereplay"], caches: folder)
            #expect(run.status == 0, "\(run.output)\(run.errors)")
        }
    }

    @Test("scripts/python refuses wrong arguments")
    func arguments() throws {
        for (arguments, status, text) in [
            (["--wheel"], 64, "unknown argument: --wheel"), (["--output"], 64, "--output needs a value."),
            (["--dynamic"], 64, "--dynamic is an option of --binary."),
            (["--archive", "a", "--binary", "b"], 64, "--archive and --binary exclude each other."),
            (["--archive", "/nowhere.tar.gz"], 66, "--archive /nowhere.tar.gz: no such file."),
        ] {
            let run = try Script.run(["scripts/python"] + arguments)
            #expect(run.status == Int32(status))
            #expect(run.errors.contains("scripts/python: \(text)"), "\(run.errors)")
        }
    }
}
