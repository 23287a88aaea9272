import Foundation

/// Preprocesses a body before it is serialized: ``PassthroughPreprocessor``, ``GoogleXSSIPreprocessor``, and types of your own. Not used
/// for empty bodies.
public protocol DataPreprocessor: Sendable {
    /// Returns the data to serialize.
    ///
    /// - Throws: An error, which is reported as `responseSerializationFailed(.customSerializationFailed)` with it as `underlyingError`.
    func preprocess(_ data: Data) throws -> Data
}

/// Returns the body unchanged: the default.
public struct PassthroughPreprocessor: DataPreprocessor {
    /// Creates a preprocessor that returns the bytes unchanged. The short form is `.passthrough`.
    public init() {}

    public func preprocess(_ data: Data) throws -> Data { data }
}

/// Removes the prefix `)]}',` and its newline, which Google and others add to JSON so that it cannot be included as a script.
public struct GoogleXSSIPreprocessor: DataPreprocessor {
    /// Creates a preprocessor that removes the prefix, and leaves bodies without it unchanged. The short form is `.googleXSSI`.
    public init() {}

    public func preprocess(_ data: Data) throws -> Data {
        let prefix = Data(")]}',\n".utf8)
        // Copied, so that indices start at 0.
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
