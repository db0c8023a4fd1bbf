import Foundation

/// GNUstep's own NSCache as a program of the line protocol: a small program in Objective-C, compiled when a test asks
/// for it. With the argument `discardable`, its objects have content that can be discarded.
final class GNUstepProgram: Sendable {
    /// nil without GNUstep's development files and a compiler of Objective-C: on Debian `libgnustep-base-dev` and
    /// `gobjc`.
    static let shared = try? GNUstepProgram()

    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("gnustep-program-\(UUID())")

    var path: String { folder.appendingPathComponent("nscache").path }

    private init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let source = folder.appendingPathComponent("nscache.m")
        try Data(Self.source.utf8).write(to: source)
        func flags(_ kind: String) throws -> [String] {
            try Self.output(["gnustep-config", kind]).split(whereSeparator: \.isWhitespace).map(String.init)
        }
        _ = try Self.output(
            ["gcc"] + flags("--objc-flags").filter { $0 != "-MMD" && $0 != "-MP" } + ["-o", path, source.path]
                + flags("--base-libs"))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private struct Failure: Error {}

    private static func output(_ command: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardInput = FileHandle.nullDevice
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

        @interface Image : NSObject
        {
          @public int number;
        }
        @end
        @implementation Image
        @end

        /* An image whose content can be discarded while it is unused. */
        @interface DiscardableImage : Image <NSDiscardableContent>
        {
          int users;
          BOOL discarded;
        }
        @end
        @implementation DiscardableImage
        - (BOOL) beginContentAccess
        {
          if (discarded) return NO;
          users++;
          return YES;
        }
        - (void) endContentAccess { users--; }
        - (void) discardContentIfPossible { if (users == 0) discarded = YES; }
        - (BOOL) isContentDiscarded { return discarded; }
        @end

        int main(int count, char **arguments)
        {
          NSAutoreleasePool *all = [NSAutoreleasePool new];
          Class kind = count > 1 && strcmp(arguments[1], "discardable") == 0
            ? [DiscardableImage class] : [Image class];
          NSCache *cache = [NSCache new];
          char line[1000];
          while (fgets(line, sizeof line, stdin) != NULL)
            {
              NSAutoreleasePool *pool = [NSAutoreleasePool new];
              char key[1000];
              unsigned long cost, objects;
              int number;
              if (sscanf(line, "limits\t%lu\t%lu", &cost, &objects) == 2)
                {
                  [cache release];
                  cache = [NSCache new];
                  [cache setTotalCostLimit: cost];
                  [cache setCountLimit: objects];
                  printf("limits\t%lu\t%lu\n", cost, objects);
                }
              else if (sscanf(line, "put\t%999s\t%d\t%lu", key, &number, &cost) == 3)
                {
                  Image *image = [kind new];
                  image->number = number;
                  [cache setObject: image forKey: [NSString stringWithUTF8String: key] cost: cost];
                  [image release];
                  printf("ok\n");
                }
              else if (sscanf(line, "get\t%999s", key) == 1)
                {
                  Image *found = [cache objectForKey: [NSString stringWithUTF8String: key]];
                  BOOL isGone = found == nil
                    || ([found isKindOfClass: [DiscardableImage class]]
                        && [(DiscardableImage *)found isContentDiscarded]);
                  if (isGone) printf("miss\n"); else printf("hit\t%d\n", found->number);
                }
              else if (sscanf(line, "remove\t%999s", key) == 1)
                {
                  [cache removeObjectForKey: [NSString stringWithUTF8String: key]];
                  printf("ok\n");
                }
              else printf("ok\n");
              fflush(stdout);
              [pool release];
            }
          [cache release];
          [all release];
          return 0;
        }
        """#
}
