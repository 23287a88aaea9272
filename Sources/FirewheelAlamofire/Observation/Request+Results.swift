// What monitors are told of validations and of the values that serializers make.
extension Request {
    /// Called on the thread of a validation when it has run.
    ///
    /// - Parameter error: nil if the response is valid.
    func didValidate(_ validated: ValidatedResponse, _ error: (any Error)?) {
        let result = error.map { ValidationResult.failure(Self.failure(of: $0)) } ?? .success(())
        base.report {
            self.tell { monitor in
                guard let response = validated.response else { return }
                switch self {
                case let request as DataRequest:
                    monitor.request(
                        request, didValidateRequest: validated.request, response: response, data: validated.data, withResult: result)
                case let request as DownloadRequest:
                    monitor.request(
                        request, didValidateRequest: validated.request, response: response, fileURL: validated.fileURL, withResult: result)
                case let request as DataStreamRequest:
                    monitor.request(request, didValidateRequest: validated.request, response: response, withResult: result)
                default:
                    break
                }
            }
        }
    }

    /// The error as the validation has returned it.
    private static func failure(of error: any Error) -> any Error & Sendable {
        guard let known = error as? FirewheelError else { return error }
        if case .responseValidationFailed(.customValidationFailed) = known.kind, let own = known.underlyingError { return own }
        return AFError(ofPipeline: known)
    }
}

extension DataRequest {
    /// Tells monitors of a response that a handler gets.
    func didParse<Value>(_ response: AFDataResponse<Value>, with serializer: Firewheel.DataResponseSerializer<Value>) {
        guard monitors.needsValues else { return }
        // Of all serializers that hand over their input, only one has an optional.
        if serializer.handsOver, let response = response as? AFDataResponse<Data?> {
            return base.report { self.tell { $0.request(self, didParseResponse: response) } }
        }
        let (type, response) = (sendable(Value.self), SharedValue<Any>(value: response))
        base.report { self.tell { $0.take(response, of: type, for: self) } }
    }
}

extension DownloadRequest {
    /// Tells monitors of a response that a handler gets.
    func didParse<Value>(_ response: AFDownloadResponse<Value>, with serializer: Firewheel.DownloadResponseSerializer<Value>) {
        guard monitors.needsValues else { return }
        if serializer.handsOver, let response = response as? AFDownloadResponse<URL?> {
            return base.report { self.tell { $0.request(self, didParseResponse: response) } }
        }
        let (type, response) = (sendable(Value.self), SharedValue<Any>(value: response))
        base.report { self.tell { $0.take(response, of: type, for: self) } }
    }
}

extension DataStreamRequest {
    /// Tells monitors of a value that a serializer has made of a part of the body, or of its error.
    func didParse<Value>(_ result: Result<Value, AFError>) {
        guard monitors.needsValues else { return }
        let (type, result) = (sendable(Value.self), SharedValue<Any>(value: result))
        base.report { self.tell { $0.take(result, of: type, for: self) } }
    }
}

extension EventMonitor {
    fileprivate func take<Value: Sendable>(_ response: SharedValue<Any>, of type: Value.Type, for request: DataRequest) {
        if let response = response.value as? AFDataResponse<Value> { self.request(request, didParseResponse: response) }
    }

    fileprivate func take<Value: Sendable>(_ response: SharedValue<Any>, of type: Value.Type, for request: DownloadRequest) {
        if let response = response.value as? AFDownloadResponse<Value> { self.request(request, didParseResponse: response) }
    }

    fileprivate func take<Value: Sendable>(_ result: SharedValue<Any>, of type: Value.Type, for request: DataStreamRequest) {
        if let result = result.value as? Result<Value, AFError> { self.request(request, didParseStream: result) }
    }
}

/// A value that its handler and monitors get.
struct SharedValue<Value>: @unchecked Sendable {
    // Sound for a value that nobody changes. Monitors are told to read only, and a handler that changes a value of a type that is not
    // Sendable has to know its session's monitors.
    let value: Value
}

/// A type as that of Sendable values, which the generic methods of monitors demand. Values of other types get there in a ``SharedValue``.
private func sendable(_ type: Any.Type) -> any Sendable.Type {
    // Sendable has no requirements, and the representation of a type does not depend on it.
    unsafeBitCast(type, to: (any Sendable.Type).self)
}
