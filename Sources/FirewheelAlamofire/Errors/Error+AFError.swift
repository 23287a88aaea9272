extension Error {
    /// This error as an ``AFError``. For a `FirewheelError`, the ``AFError`` that requests report in its place. nil for other errors.
    public var asAFError: AFError? {
        if let error = self as? AFError { return error }
        return (self as? FirewheelError).map { AFError($0) }
    }

    /// This error as an ``AFError``, where the program knows that it is one. **Stops the program** if it is none, as in Alamofire: use
    /// ``asAFError`` wherever that is not certain.
    ///
    /// - Parameters:
    ///   - message: What to print before the program stops.
    ///   - file: The file to print. Default: the caller's.
    ///   - line: The line to print. Default: the caller's.
    public func asAFError(
        orFailWith message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
    ) -> AFError {
        guard let error = asAFError else { fatalError(message(), file: file, line: line) }
        return error
    }

    /// This error as an ``AFError``, or another one if it is none.
    package func asAFError(or other: @autoclosure () -> AFError) -> AFError { asAFError ?? other() }
}

extension AFError {
    /// The error that Alamofire reports in place of one that ended a request. An error that is neither an ``AFError`` nor the engine's was
    /// thrown by a serializer.
    init(ofPipeline error: any Error) {
        self = error.asAFError(or: .responseSerializationFailed(reason: .customSerializationFailed(error: error)))
    }
}
