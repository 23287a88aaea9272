import Foundation

/// Serializes a downloaded file.
public protocol DownloadResponseSerializerProtocol<SerializedObject>: Sendable {
    /// The type of the serialized value.
    associatedtype SerializedObject

    /// Returns the value or an error. Called once for each response, off the main queue, with the error of earlier steps, if any.
    var serializeDownloadResponse: @Sendable (URLRequest?, HTTPURLResponse?, URL?, (any Error)?) -> Result<SerializedObject, any Error> {
        get
    }
}

/// Serializes a downloaded file with a closure.
public struct DownloadResponseSerializer<Value>: DownloadResponseSerializerProtocol {
    /// The closure. Its arguments are the request, the response and the file, if any, and the error of earlier steps.
    public let serializeDownloadResponse: @Sendable (URLRequest?, HTTPURLResponse?, URL?, (any Error)?) -> Result<Value, any Error>

    private let rule: (@Sendable (ResponseFacts, URL?, (any Error)?) -> Result<Value, any Error>)?
    package let handsOver: Bool
    /// Whether a success may refer to the file, so that the file must stay: not if only its content is used.
    let takesFile: Bool
    /// Whether it is not called for a response, and so does not take its file; nil for one that always is.
    private let refuses: (@Sendable (ResponseFacts, URL?) -> Bool)?
    /// Creates the serializer for a session's decoder; nil if it does not use one.
    private let make: (@Sendable (SessionDecoder) -> DownloadResponseSerializer)?

    /// Creates a serializer with a closure. A file that it gets, and no error, is the caller's: without a destination, the caller must move
    /// or remove it.
    public init(serializeResponse: @escaping @Sendable (URLRequest?, HTTPURLResponse?, URL?, (any Error)?) -> Result<Value, any Error>) {
        serializeDownloadResponse = serializeResponse
        rule = nil
        make = nil
        refuses = nil
        handsOver = false
        takesFile = true
    }

    /// Creates a serializer from a custom type.
    @_disfavoredOverload  // So that `DownloadResponseSerializer(.data)` uses the overload for data serializers.
    public init<Serializer: DownloadResponseSerializerProtocol>(_ serializer: Serializer) where Serializer.SerializedObject == Value {
        if let same = serializer as? DownloadResponseSerializer<Value> {
            self = same
        } else {
            self.init(serializeResponse: serializer.serializeDownloadResponse)
        }
    }

    /// Applies a data serializer to the file's content. If the file cannot be read, the error is
    /// `responseSerializationFailed(.inputFileReadFailed)`.
    public init(_ serializer: DataResponseSerializer<Value>) {
        rule = nil
        make = serializer.isDecoding ? { @Sendable decoder in DownloadResponseSerializer(serializer.decoding(with: decoder)) } : nil
        refuses = nil
        handsOver = false
        takesFile = false
        serializeDownloadResponse = { request, response, url, error in
            let content = Self.read(url, unless: error)
            let result = serializer.serialize(ResponseFacts(request, response), data: content.data, error: content.error)
            return result ?? serializer.serializeResponse(request, response, content.data, content.error)
        }
    }

    init(handsOver: Bool = false, rule: @escaping @Sendable (ResponseFacts, URL?, (any Error)?) -> Result<Value, any Error>) {
        self.rule = rule
        make = nil
        refuses = nil
        self.handsOver = handsOver
        takesFile = handsOver
        serializeDownloadResponse = { request, response, url, error in rule(ResponseFacts(request, response), url, error) }
    }

    /// Creates a serializer that accepts only some responses.
    ///
    /// - Parameter keep: The value as the error carries it.
    init(
        _ serializer: DownloadResponseSerializer, accepting acceptance: ResponseAcceptance,
        keep: @escaping @Sendable (Value) -> (any Sendable)?
    ) {
        rule = nil
        make = serializer.make.map { make in
            { @Sendable decoder in DownloadResponseSerializer(make(decoder), accepting: acceptance, keep: keep) }
        }
        refuses = { facts, url in serializer.refuses?(facts, url) == true || acceptance.refusal(facts, of: url) != nil }
        handsOver = false
        takesFile = serializer.takesFile
        serializeDownloadResponse = { request, response, url, error in
            let facts = ResponseFacts(request, response)
            let parse = {
                serializer.serialize(facts, url: url, error: error) ?? serializer.serializeDownloadResponse(request, response, url, error)
            }
            guard error == nil, let refusal = acceptance.refusal(facts, of: url) else { return parse() }
            let body = url.flatMap(FileSink.beginning)
            let described = refusal.error.adding(request: request, response: response, responseData: body)
            // A serializer of the file itself would take what is not accepted.
            let isParsed = !serializer.takesFile && body?.isEmpty == false
            return ResponseAcceptance.result(of: refusal, described, keep: keep, parse: isParsed ? parse : nil)
        }
    }

    /// Whether a success may refer to the file, which is then the caller's.
    func takesFile(_ facts: ResponseFacts, _ url: URL?) -> Bool { takesFile && refuses?(facts, url) != true }

    /// The serializer for a session's decoder.
    func decoding(with decoder: SessionDecoder) -> DownloadResponseSerializer { make?(decoder) ?? self }

    func serialize(_ facts: ResponseFacts, url: URL?, error: (any Error)?) -> Result<Value, any Error>? {
        rule?(facts, url, error)
    }

    private static func read(_ url: URL?, unless error: (any Error)?) -> (data: Data?, error: (any Error)?) {
        if let error { return (nil, error) }
        guard let url else { return (nil, FirewheelError(.responseSerializationFailed(.inputFileNil))) }
        do {
            return (try Data(contentsOf: url), nil)
        } catch {
            return (
                nil,
                FirewheelError(.responseSerializationFailed(.inputFileReadFailed), detail: url.lastPathComponent, underlyingError: error)
                    .with(subject: .file(url))
            )
        }
    }
}

extension DownloadResponseSerializer where Value == URL? {
    /// The downloaded file.
    package static var unserialized: DownloadResponseSerializer<URL?> {
        DownloadResponseSerializer(handsOver: true) { _, url, error in error.map { .failure($0) } ?? .success(url) }
    }
}

extension DownloadResponseSerializerProtocol where Self == DownloadResponseSerializer<URL> {
    /// The file's URL. Without a file the error is `responseSerializationFailed(.inputFileNil)`.
    public static var url: DownloadResponseSerializer<URL> {
        DownloadResponseSerializer(handsOver: true) { _, url, error in
            if let error { return .failure(error) }
            return url.map { .success($0) } ?? .failure(FirewheelError(.responseSerializationFailed(.inputFileNil)))
        }
    }
}
