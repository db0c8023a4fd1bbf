import ArgumentParser

/// The option of the commands that write CSV files.
struct CSVOutputOptions: ParsableArguments {
    @Flag(
        help: """
            In CSV files, put a single quote in front of texts that a spreadsheet program could take for a formula.
            """)
    var csvSafe = false
}
