import CacheReplayCommand
import Foundation
import Testing

/// `--version`, `scripts/package`, `scripts/check-package`, and the workflows that call them.
@Suite("Packages and releases", .namesCommands)
struct PackageTests {
    private static let tools = [
        "/usr/bin/dpkg-deb", "/usr/bin/dpkg-shlibdeps", "/usr/bin/objdump", "/usr/bin/strip", "/usr/bin/python3",
    ]
    private static let isPackaging = tools.allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }

    private func run(_ program: String, _ arguments: String..., in folder: URL) throws -> Binary.Outcome {
        try Binary.outcome {
            try Binary.launch(URL(fileURLWithPath: program), arguments, in: folder, [:], $0, $1)
        }
    }

    private func package(_ options: [String], into folder: URL, program: String = Binary.path) throws -> Binary.Outcome
    {
        try Script.run(
            ["scripts/package", "--binary", program, "--compression", "gzip", "--output", folder.path] + options)
    }

    @Test("--version prints the version, and the commit or that the build names none")
    func version() throws {
        let printed = try Binary.run("--version")
        #expect(printed.status == 0)
        #expect(printed.output == "\(CacheReplay.version) (\(CacheReplay.commit ?? "development"))\n")
        #expect(CacheReplay.version.wholeMatch(of: /[0-9]+\.[0-9]+\.[0-9]+/) != nil)
    }

    @Test("The version stands in one file of the sources, the scripts and the workflows")
    func onePlace() throws {
        var places: [String] = []
        for folder in ["Sources", "scripts", ".github", ".ci", "Package.swift"] {
            let found = try run(
                "/usr/bin/env", "grep", "-rlwIF", "--exclude-dir=.build", CacheReplay.version, folder, in: Binary.root)
            places += found.output.split(separator: "\n").map(String.init)
        }
        #expect(places == ["Sources/CacheReplayCommand/Version.swift"])
    }

    @Test(
        "a package has the program, its manual page, completions, traces, licences and dependencies, as the same bytes",
        .enabled(if: isPackaging, "needs dpkg-dev and binutils: scripts/install dpkg-dev binutils"))
    func contents() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("first")
            let made = try package(["--dynamic"], into: output)
            try #require(made.status == 0, "\(made.errors)")
            let files = made.output.split(separator: "\n").map(String.init)
            try #require(files.count == 3)
            let deb = files[0]
            let architecture = try run("/usr/bin/dpkg", "--print-architecture", in: folder).output
                .trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(deb.hasSuffix("/cachereplay_\(CacheReplay.version)_\(architecture).deb"))
            #expect(files[1].hasSuffix("/cachereplay-\(CacheReplay.version)-linux-\(architecture).tar.gz"))
            let sums = try run("/usr/bin/env", "sha256sum", "--check", "SHA256SUMS", in: output)
            #expect(sums.status == 0 && sums.output.split(separator: "\n").count == 2, "\(sums.output)\(sums.errors)")

            let control = try run("/usr/bin/dpkg-deb", "--field", deb, in: folder).output
            #expect(control.contains("\nVersion: \(CacheReplay.version)\nArchitecture: \(architecture)\n"))
            #expect(control.contains("Built from commit \(CacheReplay.commit ?? "development").\n"))
            let depends = control.split(separator: "\n").first { $0.hasPrefix("Depends: ") } ?? ""
            for library in ["libarchive13", "libc6", "libcurl4", "libpng16-16", "libsqlite3-0", "libssl3", "libwebp7"] {
                #expect(depends.contains(library), "\(depends)")
            }
            #expect(control.contains("\nRecommends: ca-certificates, gnuplot-nox\n"))

            // Every file belongs to root, and no one else may change it.
            let list = try run("/usr/bin/dpkg-deb", "--contents", deb, in: folder).output.split(separator: "\n")
            #expect(list.count > 20)
            for line in list {
                #expect(line.contains(" root/root ") && line.dropFirst(5).first != "w", "\(line)")
            }

            let tree = folder.appendingPathComponent("tree")
            #expect(try run("/usr/bin/dpkg-deb", "--extract", deb, tree.path, in: folder).status == 0)
            let usr = tree.appendingPathComponent("usr")
            let program = usr.appendingPathComponent("bin/cachereplay").path
            #expect(try run(program, "--version", in: folder).output == Binary.run("--version").output)
            for trace in ["stress-feed.jsonl", "photo-feed.jsonl", "recorded/feed.jsonl", "README.md"] {
                #expect(
                    try usr.text("share/cachereplay/Traces/\(trace)") == Binary.root.text("Traces/\(trace)"), "\(trace)"
                )
            }
            #expect(
                FileManager.default.contentsEqual(
                    atPath: usr.appendingPathComponent("share/cachereplay/Traces/people-feed.tar.xz").path,
                    andPath: Binary.root.appendingPathComponent("Traces/people-feed.tar.xz").path))
            try expectSources(usr)
            #expect(!FileManager.default.fileExists(atPath: usr.path + "/REQUIREMENTS"))
            let archive = try run("/usr/bin/env", "tar", "-xOzf", files[1], "--wildcards", "*/REQUIREMENTS", in: folder)
            #expect(archive.output.contains("\nDebian 12:\n    apt-get install "), "\(archive.errors)")
            try expectManual(usr.appendingPathComponent("share/man/man1/cachereplay.1.gz").path, in: folder)
            let bash = usr.appendingPathComponent("share/bash-completion/completions/cachereplay").path
            let completed = try run(
                "/bin/bash", "-c",
                """
                . \(bash)
                COMP_WORDS=(cachereplay sim) COMP_CWORD=1 COMP_LINE="cachereplay sim" COMP_POINT=15 COMP_TYPE=9
                $(complete -p cachereplay | sed 's/.*-F \\([^ ]*\\).*/\\1/') cachereplay sim cachereplay
                echo "${COMPREPLY[*]}"
                """, in: folder)
            #expect(completed.output == "simulate\n", "\(completed.errors)")
            #expect(try usr.text("share/zsh/vendor-completions/_cachereplay").hasPrefix("#compdef cachereplay\n"))
            #expect(try usr.text("share/fish/vendor_completions.d/cachereplay.fish").contains("-fa 'simulate'"))
            let licences = try usr.text("share/doc/cachereplay/copyright")
            for name in ["swift-argument-parser ", "swift-nio ", "Yams ", "The runtime library of Swift, "] {
                let isNamed = licences.contains("\n== \(name)")
                #expect(isNamed, "\(name)")
            }

            let second = folder.appendingPathComponent("second")
            #expect(try package(["--dynamic"], into: second).status == 0)
            #expect(try second.text("SHA256SUMS") == output.text("SHA256SUMS"))
        }
    }

    /// Expects the files that are copied from the sources: the header of policies in C, workflows, pages.
    private func expectSources(_ usr: URL) throws {
        let pages = "Sources/CacheReplayCommand/CacheReplayCommand.docc"
        for (file, source) in [
            ("include/cachereplay_plugin.h", "Sources/C/CPolicyPlugin/cachereplay_plugin.h"),
            ("share/doc/cachereplay/examples/second_chance.c", "Examples/Plugin/second_chance.c"),
            ("share/doc/cachereplay/GateTutorial.md", "\(pages)/GateTutorial.md"),
            ("share/doc/cachereplay/Pipelines.md", "\(pages)/Pipelines.md"),
            ("share/cachereplay/workflows/github/gate.yml", "scripts/pipelines/github/gate.yml"),
            ("share/cachereplay/workflows/github/history.yml", "scripts/pipelines/github/history.yml"),
            ("share/cachereplay/workflows/github/actions/gate/action.yml", ".github/actions/gate/action.yml"),
            ("share/cachereplay/workflows/gitlab/gate.gitlab-ci.yml", "scripts/pipelines/gitlab/gate.gitlab-ci.yml"),
        ] {
            let (packaged, own) = (try usr.text(file), try Binary.root.text(source))
            #expect(packaged == own, "\(file)")
        }
    }

    /// Expects that the page has each command and each of its options, and that groff, if it is there, does not warn.
    private func expectManual(_ page: String, in folder: URL) throws {
        let text = try run("/usr/bin/env", "gzip", "-dc", page, in: folder).output
        let commands = CacheReplay.configuration.subcommands.map { $0.configuration }.filter { $0.shouldDisplay }
        #expect(commands.count > 12)
        for command in commands {
            let name = try #require(command.commandName)
            #expect(text.contains("\n.SS\ncachereplay \(name)\n"), "\(name)")
            let options = try Binary.run(name, "--help").output.matches(of: /\n  (?:-., )?(--[a-z-]+)/).map { $0.1 }
            for option in options {
                #expect(text.contains("\\fB\(option.replacing("-", with: "\\-"))\\fP"), "\(name) \(option)")
            }
        }
        #expect(text.contains("\n.TP\n\\fB64\\fP\nThe command line is wrong.\n"))
        if FileManager.default.isExecutableFile(atPath: "/usr/bin/groff") {
            let path = try folder.write(text, to: "cachereplay.1")
            let warnings = try run("/usr/bin/groff", "-man", "-Tutf8", "-ww", "-z", path, in: folder)
            #expect(warnings.status == 0 && warnings.errors.isEmpty, "\(warnings.errors)")
        }
    }

    @Test(
        "what would not work for users is not packaged, and the message has the remedy",
        .enabled(if: isPackaging, "needs dpkg-dev and binutils: scripts/install dpkg-dev binutils"))
    func refusals() throws {
        try withTemporaryFolder { folder in
            let version = CacheReplay.version
            let silent = try folder.writeProgram("#!/bin/sh\necho 1\n", to: "silent")
            let failing = try folder.writeProgram("#!/bin/sh\nexit 1\n", to: "failing")
            // Programs that print versions, and are none.
            let development = try folder.writeProgram("#!/bin/sh\necho '\(version) (development)'\n", to: "development")
            let modified = try folder.writeProgram("#!/bin/sh\necho '\(version) (12ab-modified)'\n", to: "modified")
            let wrong: [(String, [String], Int32, String)] = [
                (Binary.path, [], 65, "which users do not have. Build it with --static-swift-stdlib"),
                (silent, [], 65, "prints '1', not a version and a commit"),
                (failing, [], 65, "cannot be run with --version"),
                (development, ["--tag", "v99.0.0"], 65, "has version \(version), whose tag is v\(version)"),
                (
                    development, ["--tag", "v\(version)"], 65,
                    "is of 'development', not of a commit. Commit all changes"
                ),
                (modified, ["--tag", "v\(version)"], 65, "is of '12ab-modified', not of a commit"),
                (folder.path + "/absent", [], 66, "not a program. Build it:"),
                (Binary.path, ["--compression", "zip"], 64, "--compression is xz or gzip, not 'zip'"),
                (Binary.path, ["--tag"], 64, "--tag needs a value"),
                (Binary.path, ["all"], 64, "unknown argument: all"),
                (Binary.path, ["--dynamic", "--output", silent], 73, "the folder cannot be created"),
            ]
            for (program, options, status, message) in wrong {
                let refused = try package(options, into: folder.appendingPathComponent("files"), program: program)
                #expect(
                    refused.status == status && refused.errors.contains(message), "\(options): \(refused.errors)")
            }
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/files"))
        }
    }

    @Test(
        "check-package says what is no package, and why a machine cannot check one, with a status of its own",
        .enabled(if: isPackaging, "needs dpkg-deb: scripts/install dpkg-dev"))
    func impossible() throws {
        try withTemporaryFolder { folder in
            let control = folder.appendingPathComponent("tree/DEBIAN")
            try FileManager.default.createDirectory(at: control, withIntermediateDirectories: true)
            func deb(_ name: String) throws -> String {
                _ = try control.write(
                    "Package: \(name)\nVersion: 1\nArchitecture: all\nMaintainer: a <a@b.invalid>\nDescription: none\n",
                    to: "control")
                let path = "\(folder.path)/\(name).deb"
                #expect(try run("/usr/bin/dpkg-deb", "--build", "tree", path, in: folder).status == 0)
                return path
            }
            let (own, other) = (try deb("cachereplay"), try deb("another"))
            let text = try folder.write("no package\n", to: "text")
            // Programs of other machines: one whose user is not root, and one that refuses mounts.
            func machine(_ user: Int) throws -> [String: String] {
                let programs = folder.appendingPathComponent("user-\(user)")
                try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
                _ = try programs.writeProgram("#!/bin/sh\necho \(user)\n", to: "id")
                _ = try programs.writeProgram("#!/bin/sh\nexit 1\n", to: "unshare")
                return ["PATH": "\(programs.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"]
            }
            let (user, root) = (try machine(1000), try machine(0))
            let wrong: [([String], [String: String], Int32, String)] = [
                ([], root, 64, "name a package: scripts/check-package .build-package/files/"),
                ([own, "--fast"], root, 64, "unknown argument: --fast"),
                ([own, other], root, 64, "one package at a time"),
                ([own, "--suite"], root, 64, "--suite needs a value"),
                ([own, "--mirror", "http://127.0.0.1:9"], root, 64, "--mirror is an option of --suite"),
                ([folder.path + "/absent.deb"], root, 66, "cannot be read. Make it with scripts/package"),
                ([text], root, 66, "is not a Debian package"),
                ([other], root, 66, "is a package of another"),
                ([own], user, 77, "needs root, to make a system in a folder"),
                ([own], root, 77, "unshare --mount is refused here"),
            ]
            for (arguments, environment, status, message) in wrong {
                let refused = try Script.run(["scripts/check-package"] + arguments, environment: environment)
                #expect(
                    refused.status == status && refused.errors.contains(message), "\(arguments): \(refused.errors)")
            }
        }
    }
}

/// The workflows that GitHub Actions would run.
@Suite("Workflows", .namesCommands, .enabled(if: PythonPeers.isInstalled, "scripts/test installs PyYAML from PyPI"))
struct WorkflowTests {
    /// Prints the commands of a workflow, separated by zero bytes. Each job must have steps or call a workflow.
    private static let commands = """
        import sys, yaml
        workflow = yaml.safe_load(open(sys.argv[1]))
        assert workflow["name"] and workflow["permissions"] == {"contents": "read"}, workflow
        texts = []
        for name, job in workflow["jobs"].items():
            assert "uses" in job or job["runs-on"] and job["steps"], name
            for need in [job.get("needs", [])] if isinstance(job.get("needs"), str) else job.get("needs", []):
                assert need in workflow["jobs"], need
            for step in job.get("steps", []):
                assert ("run" in step) != ("uses" in step), step
                if "uses" in step: assert "@" in step["uses"], step
                else: texts.append(step["run"])
        print(*texts, sep="\\0", end="")
        """

    private func commands(_ name: String) throws -> [String] {
        let read = try PythonPeers.run(Self.commands, Binary.root.path + "/.github/workflows/\(name).yml")
        #expect(read.status == 0, "\(read.output)")
        return read.output.split(separator: "\0").map(String.init)
    }

    @Test("every script that a workflow calls is there, and has the options", arguments: ["ci", "release"])
    func scripts(name: String) throws {
        let lines = try commands(name).flatMap { $0.split(separator: "\n") }
        let calls = lines.map { $0.split(separator: " ").map(String.init) }
            .filter { $0[0].hasPrefix("scripts/") || $0[0].hasPrefix(".ci/") }
        #expect(calls.count >= 2)
        for call in calls where call[0] != ".ci/run" {
            let help = try Script.run(call[0], "--help")
            #expect(help.status == 0, "\(help.errors)")
            for option in call where option.hasPrefix("--") {
                #expect(help.output.contains("\(option) "), "\(option) of \(call)")
            }
        }
        for call in calls {
            #expect(FileManager.default.isExecutableFile(atPath: Binary.root.path + "/" + call[0]), "\(call)")
        }
    }

    @Test("the release has the files of all architectures, their sums, and a formula of the tag")
    func release() throws {
        let steps = try commands("release").filter { $0.contains("files/SHA256SUMS") || $0.contains("homebrew") }
        try #require(steps.count == 2)
        try withTemporaryFolder { folder in
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/.github", withDestinationPath: Binary.root.path + "/.github")
            for architecture in ["amd64", "arm64"] {
                let packages = folder.appendingPathComponent("packages/package-\(architecture)")
                try FileManager.default.createDirectory(at: packages, withIntermediateDirectories: true)
                _ = try packages.write("deb of \(architecture)", to: "cachereplay_1.2.3_\(architecture).deb")
                _ = try packages.write(
                    "archive of \(architecture)", to: "cachereplay-1.2.3-linux-\(architecture).tar.gz")
                let sums = try bash("sha256sum *.deb *.tar.gz >SHA256SUMS", in: packages)
                #expect(sums.status == 0, "\(sums.errors)")
            }
            for step in steps {
                let made = try bash(step, in: folder)
                #expect(made.status == 0, "\(step): \(made.output)\(made.errors)")
            }
            let files = folder.appendingPathComponent("files")
            #expect(try FileManager.default.contentsOfDirectory(atPath: files.path).count == 6)
            #expect(try files.text("SHA256SUMS").split(separator: "\n").count == 4)
            let formula = try files.text("cachereplay.rb")
            #expect(
                formula.contains(
                    "url \"https://github.com/owner/cachereplay.git\", tag: \"v1.2.3\", revision: \"12ab\""))
            // A damaged file stops the release.
            _ = try folder.appendingPathComponent("packages/package-arm64").write(
                "x", to: "cachereplay_1.2.3_arm64.deb")
            try FileManager.default.removeItem(at: files)
            #expect(try bash(steps[0], in: folder).status != 0)
        }
    }

    /// Runs a step as the service does.
    private func bash(_ step: String, in folder: URL) throws -> Binary.Outcome {
        let script = try folder.write(step, to: "step.sh")
        defer { try? FileManager.default.removeItem(atPath: script) }
        return try Binary.outcome {
            try Binary.launch(
                URL(fileURLWithPath: "/bin/bash"), ["--noprofile", "--norc", "-eo", "pipefail", script], in: folder,
                [
                    "GITHUB_REPOSITORY": "owner/cachereplay", "GITHUB_REF_NAME": "v1.2.3", "GITHUB_SHA": "12ab",
                ], $0, $1)
        }
    }
}

@Suite("The version of Swift", .namesCommands)
struct SwiftVersionTests {
    /// The version in the first line of a package's manifest.
    private static func version(_ folder: URL) throws -> [Int] {
        let line = try folder.text("Package.swift").split(separator: "\n").first ?? ""
        return line.drop { !$0.isNumber }.split(separator: ".").compactMap { Int($0) }
    }

    @Test("The package states the lowest version that its dependencies allow, its examples the same one")
    func minimum() throws {
        let own = try Self.version(Binary.root)
        #expect(own.count >= 2)
        let checkouts = Binary.root.appendingPathComponent(".build/checkouts")
        for name in (try? FileManager.default.contentsOfDirectory(atPath: checkouts.path)) ?? [] {
            let other = try Self.version(checkouts.appendingPathComponent(name))
            #expect(!own.lexicographicallyPrecedes(other), "\(name) needs Swift \(other)")
        }
        for example in ["Examples/OwnCache", "Examples/OwnPolicy", "Examples/SessionRecorderExample", "Benchmarks"] {
            #expect(try Self.version(Binary.root.appendingPathComponent(example)) == own)
        }
    }

    @Test("scripts/install refuses an older Swift, and names the version of the package")
    func install() throws {
        try withTemporaryFolder { folder in
            let version = try Self.version(Binary.root).map(String.init).joined(separator: ".")
            _ = try folder.writeProgram("#!/bin/sh\necho 'Swift version 5.10 (swift-5.10-RELEASE)'\n", to: "swift")
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            let made = try Script.run("scripts/install", environment: ["PATH": "\(folder.path):\(path)"])
            #expect(made.status == 69, "\(made.errors)")
            #expect(
                made.errors.contains("found Swift 5.10. CacheReplay needs Swift \(version) or newer"), "\(made.errors)")
        }
    }
}
