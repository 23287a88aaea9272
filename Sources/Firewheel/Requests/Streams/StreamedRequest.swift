import Foundation

/// A request whose response is handed over in pieces as it arrives, to any number of readers.
protocol StreamedRequest: Request {
    var sink: StreamSink { get }
}

extension StreamedRequest {
    /// Adds a validation of the response's head.
    func addHeadValidator(_ validation: @escaping @Sendable (URLRequest?, HTTPURLResponse) -> ValidationResult) -> Self {
        addValidator { outcome in
            Validation.custom { outcome.response.map { validation(outcome.request, $0) } ?? .success(()) }
        }
    }

    /// An error of an element with what is known of the request.
    func describing(_ error: any Error) -> any Error {
        (error as? FirewheelError)?.adding(request: request, response: response) ?? error
    }

    /// Ends the request with an error of its stream.
    func cancel(with error: FirewheelError) { call.cancel(with: error) }

    /// Attaches a reader, which starts the request.
    ///
    /// - Parameter completion: Called when the request has ended, on any thread, before the reader gets the end.
    func makeReader<Value>(
        of type: Value.Type = Data.self, needsPiecesApart: Bool = false, keepsUnread: Bool = false,
        completion: @escaping @Sendable (DataStreamRequest.Completion) -> Void = { _ in }
    ) -> StreamReader {
        let reader = StreamReader(of: sink, needsPiecesApart: needsPiecesApart, keepsUnread: keepsUnread)
        _ = attach(
            ResponseHandler(Value.self, owner: .library) { outcome, error, replacement in
                let error = replacement ?? error
                return ResponseHandler.Made(error: error, delivery: .direct) {
                    completion(DataStreamRequest.Completion(outcome: outcome, error: error))
                    reader.end(error)
                }
            })
        return reader
    }
}
