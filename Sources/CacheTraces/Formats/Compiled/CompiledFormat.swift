/// The format of compiled traces (`.crtrace`): columns that a simulation maps into memory.
///
/// <doc:CompiledTraces> specifies it.
public enum CompiledFormat {
    static let magic: [UInt8] = [0x89, 0x43, 0x52, 0x54, 0x0D, 0x0A, 0x1A, 0x0A]
    static let version: UInt32 = 3
    static let headerLength = 64
    static let entryLength = 32
    static let alignment = 64

    /// The columns, with their numbers in the file.
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

        /// Whether the column has one element per access.
        var isByAccess: Bool { [.objects, .ticks, .next].contains(self) }
        /// Whether the column has one element per object.
        var isByObject: Bool { [.sizes, .variants, .assumed, .keyEnds].contains(self) }

        var isRequired: Bool { isByAccess || [.epochs, .sizes, .keyEnds, .keyText].contains(self) }
    }
}

extension TraceFormat {
    public static let compiled = TraceFormat(
        name: "compiled", summary: "columns that simulate maps without parsing; see trace compile",
        fileEndings: [".crtrace"],
        sniff: { $0.bytes.starts(with: CompiledFormat.magic) ? .certain : $0.hasEnding([".crtrace"]) ? .byName : .no },
        read: { input, _ in try CompiledFile(input).trace() },
        dense: { input, usesSizes, columns, _ in
            try CompiledFile(input).dense(usesSizes: usesSizes, columns: columns)
        },
        encode: { trace, _ in try CompiledTrace(trace).bytes(file: "the compiled trace") })
}
