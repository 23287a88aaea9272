import Foundation

/// What makes a value of a downloaded file.
public protocol DownloadResponseSerializerProtocol<SerializedObject>: Sendable {
    associatedtype SerializedObject

    /// Makes the value, or says why not. Called once for a response, off the main queue; the error is what went wrong before.
    var serializeDownloadResponse: @Sendable (URLRequest?, HTTPURLResponse?, URL?, (any Error)?) -> Result<SerializedObject, any Error> {
        get
    }
}

/// Makes a value of a downloaded file with a closure.
public struct DownloadResponseSerializer<Value>: DownloadResponseSerializerProtocol {
    /// The closure. It gets the request, the response and the file as far as there are any, and what went wrong before.
    public let serializeDownloadResponse: @Sendable (URLRequest?, HTTPURLResponse?, URL?, (any Error)?) -> Result<Value, any Error>

    private let rule: (@Sendable (ResponseFacts, URL?, (any Error)?) -> Result<Value, any Error>)?
    let handsOver: Bool
    /// Makes the serializer for a session, if it decodes with the session's decoder.
    private let make: (@Sendable (SessionDecoder) -> DownloadResponseSerializer)?

    /// A serializer from a closure.
    public init(serializeResponse: @escaping @Sendable (URLRequest?, HTTPURLResponse?, URL?, (any Error)?) -> Result<Value, any Error>) {
        serializeDownloadResponse = serializeResponse
        rule = nil
        make = nil
        handsOver = false
    }

    /// A serializer from a type of your own.
    @_disfavoredOverload  // So that `DownloadResponseSerializer(.data)` is the one for data, applied to the file.
    public init<Serializer: DownloadResponseSerializerProtocol>(_ serializer: Serializer) where Serializer.SerializedObject == Value {
        if let same = serializer as? DownloadResponseSerializer<Value> {
            self = same
        } else {
            self.init(serializeResponse: serializer.serializeDownloadResponse)
        }
    }

    /// A serializer for data, applied to the file's content. A file that cannot be read is
    /// `responseSerializationFailed(.inputFileReadFailed)`.
    public init(_ serializer: DataResponseSerializer<Value>) {
        rule = nil
        make = serializer.isDecoding ? { @Sendable decoder in DownloadResponseSerializer(serializer.decoding(with: decoder)) } : nil
        handsOver = false
        serializeDownloadResponse = { request, response, url, error in
            let content = Self.read(url, unless: error)
            let result = serializer.serialize(ResponseFacts(request, response), data: content.data, error: content.error)
            return result ?? serializer.serializeResponse(request, response, content.data, content.error)
        }
    }

    init(handsOver: Bool = false, rule: @escaping @Sendable (ResponseFacts, URL?, (any Error)?) -> Result<Value, any Error>) {
        self.rule = rule
        make = nil
        self.handsOver = handsOver
        serializeDownloadResponse = { request, response, url, error in rule(ResponseFacts(request, response), url, error) }
    }

    /// The serializer for a session.
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
            return (nil, FirewheelError(.responseSerializationFailed(.inputFileReadFailed), detail: url.path, underlyingError: error))
        }
    }
}

extension DownloadResponseSerializer where Value == URL? {
    /// The file as it was downloaded.
    static var unserialized: DownloadResponseSerializer<URL?> {
        DownloadResponseSerializer(handsOver: true) { _, url, error in error.map { .failure($0) } ?? .success(url) }
    }
}

extension DownloadResponseSerializerProtocol where Self == DownloadResponseSerializer<URL> {
    /// The file's URL. Without a file it is `responseSerializationFailed(.inputFileNil)`.
    public static var url: DownloadResponseSerializer<URL> {
        DownloadResponseSerializer(handsOver: true) { _, url, error in
            if let error { return .failure(error) }
            return url.map { .success($0) } ?? .failure(FirewheelError(.responseSerializationFailed(.inputFileNil)))
        }
    }
}
