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

extension ProxyError: FailureOfCommand {
    var status: ExitStatus {
        switch kind {
        case .badUpstream: .usage
        case .noCertificates: .noInput
        case .bodies: .cannotCreate
        default: .ioError
        }
    }
}

extension LoopbackOriginError: FailureOfCommand {
    var status: ExitStatus { .ioError }
}
