import CacheReports

extension CommandFailure {
    /// The exit code that fits what went wrong with results.
    init(results error: ResultsError) {
        let status: ExitStatus =
            switch error.kind {
            case .cannotCreate: .cannotCreate
            case .ioError: .ioError
            case .badData: .badData
            case .notFound: .noInput
            case .missingTool: .missingTool
            }
        self.init(status, error.description)
    }

    /// Runs `body` and gives its ``ResultsError`` the exit code that fits.
    static func translating<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as ResultsError {
            throw CommandFailure(results: error)
        }
    }
}
