import Foundation

extension DataResponseSerializer {
    /// Makes the value of an outcome, building Foundation's request and response only for those that look at them.
    ///
    /// - Parameter decoder: What decodes the body that an error has.
    func serialize(_ outcome: Outcome, error: (any Error)?, decoder: SessionDecoder?) -> Result<Value, any Error> {
        outcome.describing(serialize(outcome.facts, data: outcome.data, error: error), unless: error, decoder)
            ?? serializeResponse(outcome.request, outcome.response, outcome.data, error)
    }
}

extension DownloadResponseSerializer {
    /// Makes the value of an outcome, building Foundation's request and response only for those that look at them.
    ///
    /// - Parameter decoder: What decodes the body that an error has.
    func serialize(_ outcome: Outcome, error: (any Error)?, decoder: SessionDecoder?) -> Result<Value, any Error> {
        return outcome.describing(serialize(outcome.facts, url: outcome.file, error: error), unless: error, decoder)
            ?? serializeDownloadResponse(outcome.request, outcome.response, outcome.file, error)
    }
}

extension Outcome {
    /// The result of a built-in serializer, its own errors with the request and the response. Those of a caller's serializers stay as they
    /// are.
    fileprivate func describing<Value>(
        _ result: Result<Value, any Error>?, unless previous: (any Error)?, _ decoder: SessionDecoder?
    ) -> Result<Value, any Error>? {
        guard previous == nil, case .failure(let error as FirewheelError)? = result else { return result }
        return .failure(error.adding(request: request, response: response, responseData: data, decoder: decoder))
    }
}
