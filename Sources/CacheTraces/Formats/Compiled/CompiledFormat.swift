/// A compiled trace (`.crtrace`): what a simulation reads, as columns that are mapped and used where they stand.
/// Version 1, little-endian.
///
///     offset  type   meaning
///     0       8      magic: 89 'C' 'R' 'T' 0D 0A 1A 0A (as PNG's, RFC 2083: copying as text damages it)
///     8       u32    version: 2
///     12      u32    columns: how many entries the table has
///     16      u64    length of the file
///     24      u64    accesses: requests and prefetches
///     32      u64    objects: a key in one variant is one
///     40      u64    bytes of all requests, each counted with its object's size
///     48      u64    checksum of the header and the table, with 0 in this place
///     56      u64    0
///     64             the table: 32 bytes for each column, in the order of their places in the file
///       +0    u32    what it is, as below
///       +4    u32    bytes per element
///       +8    u64    offset of the first element, a multiple of 64
///       +16   u64    elements
///       +24   u64    checksum of the elements
///
///     column          element                   by       meaning
///     1  objects      u32                       access   its object; numbered in order of first appearance
///     2  ticks        u32                       access   microseconds since its epoch, never falling within one
///     3  epochs       u64 start, i64 time                first access, and microseconds since the start of the trace
///     4  sizes        i64                       object   bytes
///     5  variants     u8                        object   0 thumbnail, 1 full; without the column, all are full
///     6  next         u32                       access   position of the next access of the same object; 2^32-1: none
///     7 exceptions u64 position, u32 kind, 0: a memory warning before that access; 3: the app ends before that
///                     access and starts again at the time `first` * 2^32 + `count`; 1: the access is a request,
///                     2: a prefetch,
///                     u32 key, u32 first, whose fetches succeed or fail as `count` outcomes from `first` say
///                     u32 count
///     8  outcomes     u8                                 1: that recorded fetch of the key succeeded
///     9 assumed u8 object 1: the size was not recorded, but taken to be the others' median; without the column, none
///     10 key ends u64 object where its key ends in the text; it begins where the one before it ends
///     11 key text     u8                                 the keys, UTF-8
///     12 session u8 the whole trace (``SessionBytes``), if it contains more than requests
///
/// Checksums are XXH64 with seed 0. A simulation checks those of the columns that it uses, and that every number is in
/// range; other commands check all. A trace with events beside requests (fetches, scrolling, disappearing cells)
/// carries them as its session, so that a compiled trace replays, converts and tells what its source does; the columns
/// are what `simulate` needs of it.
public enum CompiledFormat {
    static let magic: [UInt8] = [0x89, 0x43, 0x52, 0x54, 0x0D, 0x0A, 0x1A, 0x0A]
    static let version: UInt32 = 2
    static let headerLength = 64
    static let entryLength = 32
    static let alignment = 64

    enum Column: UInt32, CaseIterable {
        case objects = 1
        case ticks, epochs, sizes, variants, next, exceptions, outcomes, assumed, keyEnds, keyText, session

        /// Bytes per element.
        var width: Int {
            switch self {
            case .variants, .outcomes, .assumed, .keyText, .session: 1
            case .objects, .ticks, .next: 4
            case .sizes, .keyEnds: 8
            case .epochs: 16
            case .exceptions: 24
            }
        }

        /// Has one element for each access, or each object.
        var isByAccess: Bool { [.objects, .ticks, .next].contains(self) }
        var isByObject: Bool { [.sizes, .variants, .assumed, .keyEnds].contains(self) }

        var isRequired: Bool { isByAccess || [.epochs, .sizes, .keyEnds, .keyText].contains(self) }
    }
}

extension TraceFormat {
    public static let compiled = TraceFormat(
        name: "compiled", summary: "columns that simulate maps and need not parse; see trace compile",
        fileEndings: [".crtrace"],
        sniff: { $0.bytes.starts(with: CompiledFormat.magic) ? .certain : $0.hasEnding([".crtrace"]) ? .byName : .no },
        read: { input, _ in try CompiledFile(input).trace() },
        dense: { input, usesSizes, _ in try CompiledFile(input).dense(usesSizes: usesSizes) },
        encode: { trace, _ in try CompiledTrace(trace).bytes(file: "the compiled trace") })
}
