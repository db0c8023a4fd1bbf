import Basics
import SessionModel

/// An opened compiled trace. Its header and table have been checked, its columns not yet.
///
/// Invariant: every column in `places` lies within the input's bytes, does not overlap another, and begins at a
/// multiple of `CompiledFormat.alignment`. The memory of the input stays in place as long as `input` exists.
struct CompiledFile {
    struct Place {
        var offset: Int
        var count: Int
        var checksum: UInt64
        /// The offset of the entry in the table.
        var entry: Int
    }

    let input: TraceInput
    let accesses: Int
    let objectCount: Int
    let requestBytes: Int
    private let places: [CompiledFormat.Column: Place]

    init(_ input: TraceInput) throws {
        func problem(_ offset: Int, _ message: String) -> TraceError {
            TraceError(file: input.path, at: .byte(offset), message)
        }
        self.input = input
        (accesses, objectCount, requestBytes, places) = try input.withBytes { bytes in
            let tableEnd = try Self.checkedTableEnd(bytes, problem)
            guard let accesses = Int(exactly: bytes.little(24, as: UInt64.self)), accesses < Int(UInt32.max) else {
                throw problem(24, "more accesses than 32 bits number")
            }
            guard let objects = Int(exactly: bytes.little(32, as: UInt64.self)), objects < Int(UInt32.max),
                objects <= accesses
            else {
                throw problem(32, "more objects than accesses")
            }
            guard let requestBytes = Int(exactly: bytes.little(40, as: UInt64.self)) else {
                throw problem(40, "more bytes than 63 bits number")
            }
            let places = try Self.places(bytes, tableEnd, accesses: accesses, objects: objects, problem)
            return (accesses, objects, requestBytes, places)
        }
    }

    /// Checks that the header and the table of columns are whole, and returns the end of the table.
    private static func checkedTableEnd(
        _ bytes: UnsafeRawBufferPointer, _ problem: (Int, String) -> TraceError
    ) throws -> Int {
        guard bytes.count >= CompiledFormat.headerLength else {
            throw problem(
                bytes.count,
                """
                the header of a compiled trace is incomplete; expected \(CompiledFormat.headerLength) bytes. Copy the \
                file again
                """)
        }
        guard bytes.starts(with: CompiledFormat.magic) else {
            throw problem(
                0,
                "the file is not a compiled trace, or it was copied as text; make one with `cachereplay trace compile`")
        }
        let version = bytes.little(8, as: UInt32.self)
        guard version == CompiledFormat.version else {
            throw problem(
                8,
                """
                the compiled trace has version \(version); this program reads version \(CompiledFormat.version). \
                Compile its source again
                """)
        }
        let length = bytes.little(16, as: UInt64.self)
        guard length == bytes.count else {
            throw problem(
                16,
                """
                the header states \(length) bytes, the file has \(bytes.count): it is incomplete or damaged. Copy the \
                file again
                """)
        }
        let columns = Int(bytes.little(12, as: UInt32.self))
        let tableEnd = CompiledFormat.headerLength + columns * CompiledFormat.entryLength
        guard columns <= CompiledFormat.Column.allCases.count, tableEnd <= bytes.count else {
            throw problem(
                12, "a table of \(columns) columns; expected at most \(CompiledFormat.Column.allCases.count)")
        }
        let checksum = CompiledFormat.headerChecksum(UnsafeRawBufferPointer(rebasing: bytes[..<tableEnd]))
        guard bytes.little(48) == checksum else {
            throw problem(
                48,
                "the header or its table is damaged: the checksum differs. Copy the file again, or compile its source")
        }
        return tableEnd
    }

    private static func places(
        _ bytes: UnsafeRawBufferPointer, _ tableEnd: Int, accesses: Int, objects: Int,
        _ problem: (Int, String) -> TraceError
    ) throws -> [CompiledFormat.Column: Place] {
        var places: [CompiledFormat.Column: Place] = [:]
        var end = tableEnd
        for entry in stride(from: CompiledFormat.headerLength, to: tableEnd, by: CompiledFormat.entryLength) {
            let kind = bytes.little(entry, as: UInt32.self)
            guard let column = CompiledFormat.Column(rawValue: kind), places[column] == nil else {
                throw problem(entry, "column \(kind) is unknown or occurs twice")
            }
            guard bytes.little(entry + 4, as: UInt32.self) == column.width else {
                throw problem(entry + 4, "expected \(column.width) bytes per element of \(column)")
            }
            guard let offset = Int(exactly: bytes.little(entry + 8, as: UInt64.self)),
                let count = Int(exactly: bytes.little(entry + 16, as: UInt64.self)),
                offset % CompiledFormat.alignment == 0, offset >= end, offset <= bytes.count,
                count <= (bytes.count - offset) / column.width
            else {
                throw problem(
                    entry + 8,
                    """
                    the column \(column) is not within the file, behind the one before it, at a multiple of \
                    \(CompiledFormat.alignment)
                    """
                )
            }
            guard !column.isByAccess || count == accesses, !column.isByObject || count == objects else {
                throw problem(
                    entry + 16,
                    "the column \(column) has \(count) elements; expected \(column.isByAccess ? accesses : objects)")
            }
            end = offset + count * column.width
            places[column] = Place(offset: offset, count: count, checksum: bytes.little(entry + 24), entry: entry)
        }
        if let missing = CompiledFormat.Column.allCases.first(where: { $0.isRequired && places[$0] == nil }) {
            throw problem(12, "the column \(missing) is missing")
        }
        return places
    }

    /// Returns a column after verifying its checksum; nil if the file does not contain it.
    func column<Element: BitwiseCopyable & Sendable>(
        _ column: CompiledFormat.Column, as type: Element.Type = Element.self
    ) throws -> TraceColumn<Element>? {
        guard let place = places[column] else { return nil }
        return try input.withBytes { bytes in
            let raw = UnsafeRawBufferPointer(rebasing: bytes[place.offset..<place.offset + place.count * column.width])
            guard XXHash64.checksum(raw) == place.checksum else {
                throw problem(
                    column, 0,
                    """
                    the column \(column), \(raw.count) bytes from here, is damaged: its checksum differs. Copy the \
                    file again, or compile its source
                    """
                )
            }
            // The input's memory begins at a page or as `malloc` gives it, and the offset is a multiple of 64.
            return TraceColumn(raw.bindMemory(to: Element.self), owner: InputOwner(input))
        }
    }

    func required<Element: BitwiseCopyable & Sendable>(
        _ column: CompiledFormat.Column, as type: Element.Type = Element.self
    ) throws -> TraceColumn<Element> {
        guard let found = try self.column(column, as: type) else {
            throw TraceError(file: input.path, at: .byte(12), "the column \(column) is missing")
        }
        return found
    }

    /// Returns an error in an element, `within` bytes from its start.
    func problem(_ column: CompiledFormat.Column, _ index: Int, within: Int = 0, _ message: String) -> TraceError {
        TraceError(file: input.path, at: .byte((places[column]?.offset ?? 0) + index * column.width + within), message)
    }
}

/// Keeps the memory of an input.
private final class InputOwner {
    private let input: TraceInput

    init(_ input: TraceInput) { self.input = input }
}
