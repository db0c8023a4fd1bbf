import Basics
import SessionModel

extension TraceFormat {
    /// Every format as a table of name, what can be done, file endings and summary.
    public static func catalogue() -> String {
        alignedColumns(
            [["format", "use", "endings", "what it is"]]
                + all.map {
                    [$0.name, $0.canWrite ? "read, write" : "read", $0.fileEndings.joined(separator: " "), $0.summary]
                })
    }

    public static func catalogueJSON() -> String {
        var writer = JSONWriter()
        writer.beginArray()
        for format in all {
            writer.beginObject()
            writer.key("name")
            writer.string(format.name)
            writer.key("summary")
            writer.string(format.summary)
            writer.key("file_endings")
            writer.beginArray()
            for ending in format.fileEndings { writer.string(ending) }
            writer.endArray()
            writer.key("can_write")
            writer.boolean(format.canWrite)
            writer.endObject()
        }
        writer.endArray()
        return writer.text
    }
}
