/// The files that a command writes to its output folder.
///
/// A file under one of these names belongs to the user unless the folder also has the file that shows that the command
/// wrote it. Files of the user are not overwritten, not even with `--force`.
struct OwnFiles: Sendable {
    let names: [String]
    private let mark: String
    private let origin: String
    private let isOwn: @Sendable (_ folder: String) -> Bool

    /// - Parameters:
    ///   - names: The names of the files.
    ///   - mark: The file that shows that the command wrote the others.
    ///   - origin: What wrote them, as messages say it: `an earlier replay`.
    ///   - isOwn: Returns whether a folder has a `mark` that the command wrote.
    init(
        _ names: [String], shownBy mark: String, of origin: String,
        isOwn: @escaping @Sendable (_ folder: String) -> Bool
    ) {
        (self.names, self.mark, self.origin, self.isOwn) = (names, mark, origin, isOwn)
    }

    /// Returns the first of the files that a folder has; nil if it has none.
    func first(in folder: String) -> String? { names.first { ResultFile.exists("\(folder)/\($0)") } }

    /// Throws if a folder has one of the files, and the command did not write it.
    /// - Throws: ``ResultsError`` of kind `cannotCreate`.
    func refuseForeign(in folder: String) throws {
        guard let name = first(in: folder), !isOwn(folder) else { return }
        throw ResultsError(
            .cannotCreate, file: folder,
            "holds a \(name), but no \(mark) of \(origin); name another folder with --output, or remove the file")
    }

    /// Removes the files from a folder.
    /// - Throws: ``ResultsError`` of kind `ioError`.
    func remove(from folder: String) throws {
        for name in names { try ResultsFolder.remove("\(folder)/\(name)") }
    }

    /// Returns whether a file is JSON with the members of a type.
    static func isJSON<Value: Decodable>(_ file: String, of type: Value.Type) -> Bool {
        (try? JSONFile.read(type, at: file, remedy: "")) != nil
    }
}
