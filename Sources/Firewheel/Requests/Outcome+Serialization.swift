import Foundation

extension DataResponseSerializer {
    /// Serializes an outcome. Foundation's request and response are built only for serializers that use them.
    ///
    /// - Parameter decoder: The session's decoder, for the body of an error.
    func serialize(_ outcome: Outcome, error: (any Error)?, decoder: SessionDecoder?) -> Result<Value, any Error> {
        outcome.describing(serialize(outcome.facts, data: outcome.data, error: error), unless: error, decoder)
            ?? serializeResponse(outcome.request, outcome.response, outcome.data, error)
    }
}

extension DownloadResponseSerializer {
    /// Serializes an outcome. Foundation's request and response are built only for serializers that use them.
    ///
    /// - Parameter decoder: The session's decoder, for the body of an error.
    func serialize(_ outcome: Outcome, error: (any Error)?, decoder: SessionDecoder?) -> Result<Value, any Error> {
        outcome.describing(serialize(outcome.facts, url: outcome.file, error: error), unless: error, decoder)
            ?? serializeDownloadResponse(outcome.request, outcome.response, outcome.file, error)
    }
}

extension Outcome {
    /// Adds the request and the response to errors of built-in serializers. Errors of the caller's serializers are kept as they are.
    fileprivate func describing<Value>(
        _ result: Result<Value, any Error>?, unless previous: (any Error)?, _ decoder: SessionDecoder?
    ) -> Result<Value, any Error>? {
        guard previous == nil, case .failure(let error as FirewheelError)? = result else { return result }
        return .failure(error.adding(self, responseData: data, decoder: decoder))
    }
}

extension FirewheelError {
    /// A copy of the error with the known facts about the request and the response.
    func adding(_ outcome: Outcome, responseData: Data? = nil, decoder: SessionDecoder? = nil) -> FirewheelError {
        adding(
            request: outcome.request, response: outcome.response, responseData: responseData, redirectedTo: outcome.redirectedTo,
            decoder: decoder)
    }
}
