import Foundation
import Testing

/// GNUstep's own NSCache, in a process of its own: a small program in Objective-C, compiled when a test asks for it.
enum GNUstepDriver {
    /// Both GNUstep's development files and a compiler of Objective-C are there: on Debian `libgnustep-base-dev` and
    /// `gobjc`.
    static let isAvailable = (try? compiled.get()) != nil

    /// Reads operations, one a line:
    ///
    ///     limits COST COUNT     a new cache
    ///     s KEY COST FLAG       stores an object; FLAG 1: with discardable content
    ///     g KEY                 reads
    ///     r KEY                 removes
    ///
    /// Answers each with one line: to a store with the keys whose content was discarded for it, in order; to a read
    /// with `hit`, `miss`, or `husk`, where the object is found without its content.
    static func run(_ operations: [String]) throws -> [Substring] {
        let folder = try compiled.get()
        let input = folder.path("operations-\(UUID())")
        try operations.joined(separator: "\n").appending("\n").write(toFile: input, atomically: false, encoding: .utf8)
        let output = try tool(folder.path("driver"), [], input: input)
        return Array(output.split(separator: "\n", omittingEmptySubsequences: false).dropLast())
    }

    /// Of GNUstep base, such as `1.28.0`.
    static func version() throws -> String {
        try tool(try compiled.get().path("driver"), ["version"], input: "/dev/null")
    }

    private static let compiled = Result { try Folder(compiling: source) }

    private final class Folder: Sendable {
        private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("gnustep-driver-\(UUID())")

        init(compiling source: String) throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            try source.write(toFile: path("driver.m"), atomically: false, encoding: .utf8)
            func flags(_ kind: String) throws -> [String] {
                try tool("/usr/bin/env", ["gnustep-config", kind], input: "/dev/null").split(
                    whereSeparator: \.isWhitespace
                ).map(String.init)
            }
            _ = try tool(
                "/usr/bin/env",
                ["gcc"] + flags("--objc-flags").filter { $0 != "-MMD" && $0 != "-MP" } + [
                    "-o", path("driver"), path("driver.m"),
                ]
                    + flags("--base-libs"),
                input: "/dev/null")
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
    }

    private struct Failure: Error {}

    /// What the program says; throws if it fails.
    private static func tool(_ program: String, _ arguments: [String], input: String) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: input))
        process.standardError = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure() }
        return String(decoding: said, as: UTF8.self)
    }

    /// In a string, because a target of Swift may hold no file in another language.
    private static let source = #"""
        #import <Foundation/Foundation.h>
        #include <stdio.h>
        #include <string.h>

        #define TEXT_OF(value) #value
        #define TEXT(value) TEXT_OF(value)

        /* Content that can be discarded while it is unused; reports when it is discarded. */
        @interface Picture : NSObject <NSDiscardableContent>
        {
          int key;
          int users;
          BOOL discarded;
        }
        - (id) initWithKey: (int)number;
        @end

        @implementation Picture
        - (id) initWithKey: (int)number
        {
          if ((self = [super init]) != nil) key = number;
          return self;
        }
        - (BOOL) beginContentAccess
        {
          if (discarded) return NO;
          users++;
          return YES;
        }
        - (void) endContentAccess { users--; }
        - (void) discardContentIfPossible
        {
          if (users > 0 || discarded) return;
          discarded = YES;
          printf(" %d", key);
        }
        - (BOOL) isContentDiscarded { return discarded; }
        @end

        static void answer(NSCache *cache, const char *line)
        {
          int key, flag;
          unsigned long cost;
          if (sscanf(line, "s %d %lu %d", &key, &cost, &flag) == 3)
            {
              id object = flag ? (id)[[Picture alloc] initWithKey: key] : (id)[[NSObject alloc] init];
              [cache setObject: object forKey: [NSNumber numberWithInt: key] cost: cost];
              [object release];
            }
          else if (sscanf(line, "g %d", &key) == 1)
            {
              id found = [cache objectForKey: [NSNumber numberWithInt: key]];
              BOOL isHusk = [found isKindOfClass: [Picture class]] && [found isContentDiscarded];
              printf("%s", found == nil ? "miss" : isHusk ? "husk" : "hit");
            }
          else if (sscanf(line, "r %d", &key) == 1)
            {
              [cache removeObjectForKey: [NSNumber numberWithInt: key]];
            }
          printf("\n");
        }

        int main(int count, char **arguments)
        {
          NSAutoreleasePool *all = [NSAutoreleasePool new];
          NSCache *cache = [NSCache new];
          char line[200];
          if (count > 1)
            {
              printf("%s", TEXT(GNUSTEP_BASE_MAJOR_VERSION.GNUSTEP_BASE_MINOR_VERSION.GNUSTEP_BASE_SUBMINOR_VERSION));
              return 0;
            }
          while (fgets(line, sizeof line, stdin) != NULL)
            {
              NSAutoreleasePool *pool = [NSAutoreleasePool new];
              unsigned long cost, number;
              if (sscanf(line, "limits %lu %lu", &cost, &number) == 2)
                {
                  [cache release];
                  cache = [NSCache new];
                  [cache setTotalCostLimit: cost];
                  [cache setCountLimit: number];
                }
              answer(cache, line);
              [pool release];
            }
          [cache release];
          [all release];
          return 0;
        }
        """#
}
