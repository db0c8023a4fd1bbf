import TraceRecording

extension GalleryError: FailureOfCommand {
    var status: ExitStatus {
        switch kind {
        case .noFolder: .noInput
        case .noImages: .badData
        case .missingTool: .missingTool
        case .cannotWrite: .cannotCreate
        }
    }
}

extension LoopbackOriginError: FailureOfCommand {
    var status: ExitStatus { .ioError }
}
