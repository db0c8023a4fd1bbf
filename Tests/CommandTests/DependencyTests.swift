import Foundation
import Testing

/// `scripts/packages/dependencies` and its table: the packages that the program needs, by release.
@Suite("What packages depend on", .namesCommands)
struct DependencyTests {
    private static let tools = ["/usr/bin/objdump", "/usr/bin/python3"]
    private static let apt = ["/usr/bin/apt-get", "/usr/bin/dpkg-deb", "/usr/bin/python3", "/usr/bin/objdump"]
    private static let systems = ["Debian 12", "Debian 13", "Ubuntu 22.04", "Ubuntu 24.04"]

    private static func areInstalled(_ tools: [String]) -> Bool {
        tools.allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs the script for the program of the tests, which needs shared libraries of Swift.
    private func dependencies(_ options: String...) throws -> Binary.Outcome {
        try Script.run(["scripts/packages/dependencies", Binary.path, "--dynamic"] + options)
    }

    @Test(
        "each library that the program needs has a line for each release, with the names of that release",
        .enabled(if: areInstalled(tools), "needs binutils and python3"))
    func lines() throws {
        let made = try dependencies()
        #expect(made.status == 0, "\(made.errors)")
        for alternatives in [
            "libarchive13 (>= 3.6.0) | libarchive13t64 (>= 3.7.2)", "libcurl4 (>= 7.81.0) | libcurl4t64 (>= 8.5.0)",
            "libturbojpeg0 (>= 1:2.1.5) | libturbojpeg (>= 2.1.2)", "libwebp7 (>= 1.2.2)",
            "libssl3 (>= 3.0.2) | libssl3t64 (>= 3.0.13)", "libpng16-16 (>= 1.6.37) | libpng16-16t64 (>= 1.6.43)",
            "libsqlite3-0 (>= 3.37.2)", "libc6 (>= 2.",
        ] {
            #expect(made.output.contains(alternatives), "\(alternatives)")
        }
        let said = try dependencies("--form", "systems").output
        #expect(said.contains("those of Debian 12, Debian 13, Ubuntu 22.04 and Ubuntu 24.04. "), "\(said)")
        let glibc = try #require(said.firstMatch(of: /needs glibc ([0-9.]+) or newer/)).1
        #expect(made.output.contains("libc6 (>= \(glibc))"))
        #expect(said.contains("It has not been run on "))
        let file = try dependencies("--form", "requirements").output
        #expect(file.contains("Ubuntu 24.04:\n    apt-get install --no-install-recommends libarchive13t64 "))
        #expect(file.contains(" libturbojpeg.so.0 "))
    }

    @Test(
        "a program that is linked with the folder of static-codecs needs no shared library of a decoder",
        .enabled(if: areInstalled(compilers), "needs a compiler of C, pkg-config and binutils"))
    func codecs() throws {
        try withTemporaryFolder { folder in
            let made = try Script.run("scripts/packages/static-codecs", folder.path + "/codecs")
            try #require(made.status == 0, "\(made.errors)")
            _ = try folder.write(Self.decoding, to: "decoding.c")
            let linked = try Binary.outcome {
                try Binary.launch(
                    URL(fileURLWithPath: "/bin/bash"), ["-eo", "pipefail", "-c", Self.linking], in: folder, [:], $0, $1)
            }
            #expect(linked.status == 0, "\(linked.errors)")
            #expect(linked.output.contains("libsqlite3.so"), "\(linked.output)")
            for library in ["libturbojpeg.so", "libwebp.so", "libpng16.so", "libz.so"] {
                #expect(!linked.output.contains(library), "\(linked.output)")
            }
        }
        #expect(try Script.run("scripts/packages/static-codecs").status == 64)
    }

    private static let compilers = ["/usr/bin/cc", "/usr/bin/pkg-config", "/usr/bin/objdump"]
    private static let decoding = """
        #include <png.h>
        #include <sqlite3.h>
        #include <turbojpeg.h>
        #include <webp/decode.h>
        int main(void) {
            png_destroy_read_struct(0, 0, 0);
            png_create_read_struct(PNG_LIBPNG_VER_STRING, 0, 0, 0);
            return tjInitDecompress() == 0 || WebPGetDecoderVersion() == 0 || sqlite3_libversion_number() == 0;
        }

        """
    private static let linking = """
        export PKG_CONFIG_PATH="$PWD/codecs" PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
        cc decoding.c -o decoding $(pkg-config --libs sqlite3 libpng libturbojpeg libwebp) -lm
        ./decoding
        objdump -p decoding
        """

    @Test(
        "unknown libraries and packages and newer versions are refused, and an older glibc leaves a release out",
        .enabled(if: areInstalled(tools), "needs binutils and python3"))
    func refusals() throws {
        try withTemporaryFolder { folder in
            let table = try Binary.root.text("scripts/packages/libraries.csv")
            let noJPEG = try folder.write(
                table.split(separator: "\n").filter { !$0.hasPrefix("libturbojpeg.so.0,Ubuntu 24.04,") }
                    .joined(separator: "\n"), to: "no-jpeg.csv")
            let refused = try dependencies("--table", noJPEG)
            #expect(refused.status == 65)
            #expect(refused.errors.contains("needs libturbojpeg.so.0, which has no line for Ubuntu 24.04"))

            let unknown = try dependencies("--shlibs", "libnew1 (>= 1.0), libc6 (>= 2.34)")
            #expect(unknown.status == 65)
            #expect(unknown.errors.contains("names libnew1, which libraries.csv does not have"), "\(unknown.errors)")
            let newer = try dependencies("--shlibs", "libcurl4 (>= 7.85.0)")
            #expect(newer.status == 65)
            #expect(newer.errors.contains("needs libcurl4 7.85.0, and Ubuntu 22.04 has 7.81.0"), "\(newer.errors)")

            let old = try folder.write(
                table.replacingOccurrences(of: "Ubuntu 22.04,libc6,2.35", with: "Ubuntu 22.04,libc6,2.9"), to: "old.csv"
            )
            let left = try dependencies("--form", "systems", "--table", old)
            #expect(left.output.contains("those of Debian 12, Debian 13 and Ubuntu 24.04. "), "\(left.output)")
        }
    }

    @Test(
        "the functions of libwebp, which has no list of symbols by version, are those of version 1.0",
        .enabled(if: areInstalled(tools), "needs binutils"))
    func webp() throws {
        let symbols = try Binary.outcome {
            try Binary.launch(
                URL(fileURLWithPath: "/usr/bin/objdump"), ["-T", Binary.path], in: Binary.root, [:], $0, $1)
        }
        let functions = symbols.output.split(separator: "\n").filter { $0.contains("*UND*") }
            .compactMap { $0.split(separator: " ").last.map(String.init) }.filter { $0.hasPrefix("WebP") }
        #expect(
            Set(functions).subtracting([
                "WebPDecode", "WebPEncodeRGBA", "WebPFree", "WebPFreeDecBuffer", "WebPGetFeaturesInternal",
                "WebPInitDecoderConfigInternal",
            ]).isEmpty, "\(functions)")
    }

    @Test(
        "apt resolves the dependencies with the packages that the table has for each release",
        .enabled(if: areInstalled(apt), "needs apt and binutils"), arguments: systems)
    func resolution(system: String) throws {
        let depends = try dependencies().output.trimmingCharacters(in: .whitespacesAndNewlines)
        try withTemporaryFolder { folder in
            let made = try Binary.outcome {
                try Binary.launch(
                    URL(fileURLWithPath: "/bin/bash"), ["-euo", "pipefail", "-c", Self.simulation], in: folder,
                    [
                        "DEPENDS": depends, "SYSTEM": system,
                        "TABLE": Binary.root.appendingPathComponent("scripts/packages/libraries.csv").path,
                    ], $0, $1)
            }
            #expect(made.status == 0, "\(made.errors)")
            #expect(made.output.contains("Inst cachereplay "), "\(made.output)\(made.errors)")
            #expect(made.output.contains(system.hasPrefix("Ubuntu") ? "Inst libturbojpeg " : "Inst libturbojpeg0 "))
            let isLater = system == "Debian 13" || system == "Ubuntu 24.04"
            #expect(made.output.contains(isLater ? "Inst libcurl4t64 " : "Inst libcurl4 "))
        }
    }

    /// Makes a package with the dependencies and an archive of one release, and has apt plan the installation.
    private static let simulation = #"""
        mkdir -p state/lists/partial cache/archives/partial repository package/DEBIAN
        printf 'Package: cachereplay\nVersion: 1\nArchitecture: all\nMaintainer: a <a@b.invalid>\nDepends: %s\n' \
            "$DEPENDS" >package/DEBIAN/control
        echo 'Description: none' >>package/DEBIAN/control
        dpkg-deb --build package cachereplay.deb >&2
        grep -v '^#' "$TABLE" | awk -F, -v system_name="$SYSTEM" -v architecture="$(dpkg --print-architecture)" '
            $2 == system_name {
                printf "Package: %s\nVersion: %s-1\nArchitecture: %s\n", $3, $4, architecture
                print "Maintainer: a <a@b.invalid>"
                printf "Filename: %s.deb\nSize: 1\nSHA256: %064d\nDescription: none\n\n", $3, 1
            }' >repository/Packages
        echo "deb [trusted=yes] file:$PWD/repository ./" >sources.list
        options=(-qq -o "Dir::Etc::sourcelist=$PWD/sources.list" -o Dir::Etc::sourceparts=/dev/null
            -o "Dir::State=$PWD/state" -o Dir::State::status=/dev/null -o "Dir::Cache=$PWD/cache"
            -o Debug::NoLocking=1)
        apt-get "${options[@]}" update
        apt-get "${options[@]}" --simulate --no-install-recommends install "$PWD/cachereplay.deb"
        """#
}
