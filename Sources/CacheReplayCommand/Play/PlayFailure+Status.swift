import Playground

extension PlayFailure: FailureOfCommand {
    var status: ExitStatus { kind == .badQuestion ? .usage : .badData }
}
