import Foundation

/// The checks of a response's head: the status code and the media type. Each returns the error of a rejected response; nil if it is valid.
enum ResponseChecks {
    static func status<Codes: Sequence>(_ status: Int?, acceptable: Codes) -> FirewheelError? where Codes.Element == Int {
        guard let status, !acceptable.contains(status) else { return nil }
        return FirewheelError(
            .responseValidationFailed(.unacceptableStatusCode(status)), detail: text(of: acceptable).map { "not in \($0)" })
    }

    /// The acceptable status codes as the caller wrote them; nil for a custom sequence type, and for a long list.
    private static func text<Codes: Sequence>(of codes: Codes) -> String? where Codes.Element == Int {
        switch codes {
        case let codes as Range<Int>: "\(codes)"
        case let codes as ClosedRange<Int>: "\(codes)"
        case let codes as PartialRangeFrom<Int>: "\(codes.lowerBound)..."
        case let codes as [Int] where codes.count <= 20: "\(codes)"
        case let codes as Set<Int> where codes.count <= 20: "\(codes.sorted())"
        default: nil
        }
    }

    /// A body must have an acceptable type; an empty one has no type.
    ///
    /// - Parameter received: The `Content-Type` field.
    static func contentType(
        _ received: String?, acceptable: [String], isEmpty: () throws(FirewheelError) -> Bool
    ) -> FirewheelError? {
        let ranges = acceptable.compactMap { MediaType($0) }
        if ranges.contains(where: \.isWildcard) { return nil }
        do {
            if try isEmpty() { return nil }
        } catch {
            return error
        }
        guard let received, let type = MediaType(received) else {
            return FirewheelError(.responseValidationFailed(.missingContentType(acceptable: acceptable.sorted())))
        }
        if ranges.contains(where: { $0.matches(type) }) { return nil }
        return FirewheelError(
            .responseValidationFailed(
                .unacceptableContentType(acceptable: acceptable.sorted(), received: "\(type.type)/\(type.subtype)")))
    }
}

extension ResponseChecks {
    /// Whether a downloaded file is empty.
    static func isEmpty(_ file: URL) throws(FirewheelError) -> Bool {
        do {
            return try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int == 0
        } catch {
            throw FirewheelError(.responseValidationFailed(.dataFileReadFailed(at: file)), underlyingError: error)
        }
    }
}

/// What a serializer accepts (`accepting(statusCodes:contentTypes:)`). The rules are those of AFNetworking's response serializers.
struct ResponseAcceptance: Sendable {
    /// The check of the status code.
    private let status: @Sendable (Int?) -> FirewheelError?
    /// nil if every media type is acceptable.
    private let contentTypes: [String]?

    init<Codes: Sequence & Sendable>(_ statusCodes: Codes, _ contentTypes: [String]?) where Codes.Element == Int {
        status = { ResponseChecks.status($0, acceptable: statusCodes) }
        self.contentTypes = contentTypes
    }

    /// Why a response is not accepted; nil if it is.
    struct Refusal {
        /// The status code before the media type, which is then the underlying error.
        let error: FirewheelError
        /// Whether the media type is acceptable, so that the body can be parsed all the same.
        let isReadable: Bool
    }

    func refusal(_ facts: ResponseFacts, isEmpty: () throws(FirewheelError) -> Bool) -> Refusal? {
        let ofType = contentTypes.flatMap { ResponseChecks.contentType(facts.contentType, acceptable: $0, isEmpty: isEmpty) }
        guard let ofStatus = status(facts.statusCode) else { return ofType.map { Refusal(error: $0, isReadable: false) } }
        return Refusal(error: ofStatus.with(underlyingError: ofType), isReadable: ofType == nil)
    }

    /// The same for a download.
    func refusal(_ facts: ResponseFacts, of file: URL?) -> Refusal? {
        refusal(facts) { () throws(FirewheelError) in try file.map(ResponseChecks.isEmpty) ?? true }
    }

    /// The result for a response that is not accepted.
    ///
    /// - Parameters:
    ///   - error: The refusal's error, with the response.
    ///   - keep: The value as the error carries it.
    ///   - parse: Parses the body; nil if there is nothing to parse.
    static func result<Value>(
        of refusal: Refusal, _ error: FirewheelError, keep: (Value) -> (any Sendable)?, parse: (() -> Result<Value, any Error>)?
    ) -> Result<Value, any Error> {
        guard refusal.isReadable, let parse else { return .failure(error) }
        switch parse() {
        case .success(let value): return .failure(error.with(responseValue: keep(value)))
        case .failure(let failure):
            // Only an error of Firewheel's can have the status's beside its cause.
            let failure =
                failure as? FirewheelError
                ?? FirewheelError(
                    .responseSerializationFailed(.customSerializationFailed), detail: "the serializer", underlyingError: failure)
            // A body that counts as empty has no value, which is no further failure.
            if failure.kind == .responseSerializationFailed(.inputDataNilOrZeroLength) { return .failure(error) }
            let described = failure.adding(request: error.request, response: error.response, responseData: error.responseData)
            return .failure(described.originalError == nil ? described.with(originalError: error) : described)
        }
    }

    /// The value of a type that is not known to be Sendable: a tree of Foundation's types; nil for others.
    static func sendableValue<Value>(_ value: Value) -> (any Sendable)? {
        (try? JSONValue(foundationObject: value)) ?? (try? FoundationTree.propertyList.convert(value))
    }
}

extension FoundationTree<any Sendable> {
    fileprivate static var propertyList: FoundationTree {
        FoundationTree(array: { $0 }, object: { $0 }, scalar: propertyListValue)
    }

    private static func propertyListValue(_ object: Any) throws -> any Sendable {
        switch object {
        case let value as String: value
        case let value as Date: value
        // Copied, because the object may be mutable.
        case let value as Data: value.withUnsafeBytes { Data($0) }
        case let value as NSNumber: value
        default: throw JSONValue.Failure(description: "a value of type \(type(of: object)), which property lists have no form for")
        }
    }
}

extension DataResponseSerializer {
    /// A serializer that accepts only responses with one of the status codes and, if they have a body, one of the media types.
    ///
    /// ```swift
    /// let users = DataResponseSerializer<Any>.json().accepting(contentTypes: ["application/json"])
    /// ```
    ///
    /// The error is `responseValidationFailed`, with the response and its body. If both are wrong, the media type's error is the status
    /// code's ``FirewheelError/underlyingError``. If only the status code is wrong, the body is parsed all the same, and its value is the
    /// error's ``FirewheelError/responseValue``; if that fails, the parser's error is the result, and the status code's is its
    /// ``FirewheelError/originalError``. A parser's error of another type is then the `underlyingError` of
    /// `responseSerializationFailed(.customSerializationFailed)`. A response without a body has no media type. An earlier error is passed
    /// on to the serializer.
    ///
    /// These are the rules of AFNetworking's response serializers. `validate()` rejects a response before it is serialized, and before a
    /// download is moved.
    ///
    /// - Parameters:
    ///   - statusCodes: Default: 200 to 299.
    ///   - contentTypes: May have wildcards: `image/*`. Default: nil, every type.
    public func accepting<Codes: Sequence & Sendable>(
        statusCodes: Codes = 200..<300, contentTypes: [String]? = nil
    ) -> DataResponseSerializer where Codes.Element == Int {
        accepting(ResponseAcceptance(statusCodes, contentTypes), keep: ResponseAcceptance.sendableValue)
    }

    fileprivate func accepting(
        _ acceptance: ResponseAcceptance, keep: @escaping @Sendable (Value) -> (any Sendable)?
    ) -> DataResponseSerializer {
        if isDecoding { return DataResponseSerializer(decoding: { decoding(with: $0).accepting(acceptance, keep: keep) }) }
        return DataResponseSerializer { request, response, data, error in
            if let error { return serializeResponse(request, response, data, error) }
            let isEmpty = data?.isEmpty ?? true
            let facts = ResponseFacts(request, response)
            let parse = { serialize(facts, data: data, error: nil) ?? serializeResponse(request, response, data, nil) }
            guard let refusal = acceptance.refusal(facts, isEmpty: { isEmpty }) else { return parse() }
            let described = refusal.error.adding(request: request, response: response, responseData: data)
            return ResponseAcceptance.result(of: refusal, described, keep: keep, parse: isEmpty ? nil : parse)
        }
    }
}

extension DataResponseSerializer where Value: Sendable {
    /// A serializer that accepts only responses with one of the status codes and, if they have a body, one of the media types.
    ///
    /// The rules are the same as for values that are not Sendable. Every value can be the error's ``FirewheelError/responseValue``.
    ///
    /// - Parameters:
    ///   - statusCodes: Default: 200 to 299.
    ///   - contentTypes: May have wildcards: `image/*`. Default: nil, every type.
    public func accepting<Codes: Sequence & Sendable>(
        statusCodes: Codes = 200..<300, contentTypes: [String]? = nil
    ) -> DataResponseSerializer where Codes.Element == Int {
        accepting(ResponseAcceptance(statusCodes, contentTypes), keep: { $0 })
    }
}

extension DownloadResponseSerializer {
    /// A serializer that accepts only downloads with one of the status codes and, if the file is not empty, one of the media types.
    ///
    /// The rules are those of ``DataResponseSerializer``. A download with a destination has been moved there by then. A serializer of the
    /// file itself, and not of its content, is not called for a response that is not accepted, whose file stays Firewheel's.
    ///
    /// - Parameters:
    ///   - statusCodes: Default: 200 to 299.
    ///   - contentTypes: May have wildcards: `image/*`. Default: nil, every type.
    public func accepting<Codes: Sequence & Sendable>(
        statusCodes: Codes = 200..<300, contentTypes: [String]? = nil
    ) -> DownloadResponseSerializer where Codes.Element == Int {
        DownloadResponseSerializer(self, accepting: ResponseAcceptance(statusCodes, contentTypes), keep: ResponseAcceptance.sendableValue)
    }
}

extension DownloadResponseSerializer where Value: Sendable {
    /// A serializer that accepts only downloads with one of the status codes and, if the file is not empty, one of the media types.
    ///
    /// The rules are the same as for values that are not Sendable. Every value can be the error's ``FirewheelError/responseValue``.
    ///
    /// - Parameters:
    ///   - statusCodes: Default: 200 to 299.
    ///   - contentTypes: May have wildcards: `image/*`. Default: nil, every type.
    public func accepting<Codes: Sequence & Sendable>(
        statusCodes: Codes = 200..<300, contentTypes: [String]? = nil
    ) -> DownloadResponseSerializer where Codes.Element == Int {
        DownloadResponseSerializer(self, accepting: ResponseAcceptance(statusCodes, contentTypes), keep: { $0 })
    }
}
