import Foundation

/// What is done to the bytes of a body before a serializer gets them: ``PassthroughPreprocessor``, ``GoogleXSSIPreprocessor``, and types of
/// your own. An empty body is not preprocessed.
public protocol DataPreprocessor: Sendable {
    /// The bytes to go on with.
    ///
    /// - Throws: An error of your own, which arrives as `responseSerializationFailed(.customSerializationFailed)` with `underlyingError`.
    func preprocess(_ data: Data) throws -> Data
}

/// Does nothing: the default.
public struct PassthroughPreprocessor: DataPreprocessor {
    /// A preprocessor that hands on the bytes unchanged; `.passthrough` is shorter.
    public init() {}

    public func preprocess(_ data: Data) throws -> Data { data }
}

/// Removes the prefix `)]}',` with its newline, which Google and others put before JSON so that no script can include it.
public struct GoogleXSSIPreprocessor: DataPreprocessor {
    /// A preprocessor for bodies with that prefix, and for those without, which stay as they are; `.googleXSSI` is shorter.
    public init() {}

    public func preprocess(_ data: Data) throws -> Data {
        let prefix = Data(")]}',\n".utf8)
        // A copy, so that the first byte has the index 0.
        return data.starts(with: prefix) ? Data(data.dropFirst(prefix.count)) : data
    }
}

extension DataPreprocessor where Self == PassthroughPreprocessor {
    /// ``PassthroughPreprocessor``.
    public static var passthrough: PassthroughPreprocessor { PassthroughPreprocessor() }
}

extension DataPreprocessor where Self == GoogleXSSIPreprocessor {
    /// ``GoogleXSSIPreprocessor``.
    public static var googleXSSI: GoogleXSSIPreprocessor { GoogleXSSIPreprocessor() }
}
