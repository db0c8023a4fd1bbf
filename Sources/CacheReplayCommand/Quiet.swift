import ArgumentParser

/// The option `--quiet`, which has one meaning in all commands.
///
/// A quiet command prints what was asked for: its result on standard output, and on standard error what makes it fail.
/// It prints no progress, no notes, no warnings and no paths of written files.
enum Quiet {
    static let help: ArgumentHelp = "Print only what was asked for, and errors: no progress, notes or warnings."
}
