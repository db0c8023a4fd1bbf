import CacheReplayCommand
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

    @Test("the wheel has the program and its libraries, and five lines draw a curve")
    func wheel() throws {
        try withTemporaryFolder { folder in
            let made = try Script.run([
                "scripts/python", "--binary", Binary.path, "--dynamic", "--output", folder.path,
            ])
            try #require(made.status == 0, "\(made.errors)")
            let wheel = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(wheel.contains(/cachereplay-[0-9.]+-py3-none-manylinux_2_[0-9]+_[a-z0-9_]+\.whl$/), "\(wheel)")
            let site = folder.appendingPathComponent("site").path
            let pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", site, wheel]
            let installed = try python(pip, caches: folder)
            try #require(installed.status == 0, "\(installed.errors)")
            let lines = """
                import cachereplay, pandas
                requests = pandas.DataFrame({"time": range(2000), "key": [n * n % 997 for n in range(2000)], "size": 9})
                curve = cachereplay.curve(requests, "lru,s3fifo")
                curve.plot().figure.savefig("curve.png")
                print(cachereplay.__file__, len(curve), cachereplay.__version__)
                """
            // Without CACHEREPLAY, the program is that of the wheel.
            let run = try Binary.outcome {
                try Binary.launch(
                    URL(fileURLWithPath: PythonPeers.python), ["-c", lines], in: folder,
                    ["CACHEREPLAY": "", "PATH": "/usr/bin:/bin", "PYTHONPATH": site, "MPLBACKEND": "Agg"], $0, $1)
            }
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.output == "\(site)/cachereplay/__init__.py 80 \(CacheReplay.version)\n")
            #expect(FileManager.default.fileExists(atPath: folder.path + "/curve.png"))
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
