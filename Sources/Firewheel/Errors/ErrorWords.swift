import Foundation

// Descriptions of errors from outside the library. Foundation's own dumps are never printed: they are hard to read and may contain a URL
// with secrets.

extension FirewheelError {
    /// A description of an error that is not the library's, without secrets.
    package static func words(of error: any Error) -> String {
        unescapedWords(of: error).onOneLine
    }

    private static func unescapedWords(of error: any Error) -> String {
        switch error {
        case let error as FirewheelError: return error.description
        case let error as URLError: return error.words
        case let error as DecodingError: return words(of: error)
        case EncodingError.invalidValue(let value, let context):
            let place = context.codingPath.isEmpty ? "" : " at \(context.codingPath.text)"
            let cause = context.underlyingError.map { ": \(words(of: $0))" } ?? ""
            let reason = reason(context.debugDescription, at: context.codingPath)
            return "a value of type \(type(of: value))\(place) cannot be encoded: \(reason)\(cause)"
        case let error as POSIXError: return words(forSystemError: error.code.rawValue)
        default: return foundationError(error).map(words) ?? Redaction.json("\(error)")
        }
    }

    /// A Foundation error as `NSError`. On Apple's systems every error can be cast to `NSError`, so the dynamic type is checked.
    static func foundationError(_ error: any Error) -> NSError? {
        if type(of: error) is NSError.Type { return (error as Any) as? NSError }
        guard type(of: error) is CocoaError.Type, let error = error as? CocoaError else { return nil }
        return NSError(domain: NSCocoaErrorDomain, code: error.errorCode, userInfo: error.userInfo)
    }

    private static func words(of error: NSError) -> String {
        let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error
        switch error.domain {
        case NSURLErrorDomain: return foundationCode(of: error)?.words ?? "URLError \(error.code)"
        case NSPOSIXErrorDomain: return words(forSystemError: Int32(clamping: error.code))
        case NSCocoaErrorDomain:
            if let cause { return words(of: cause) }
            if let text = cocoaWords[error.code] { return text }
            return text(of: error) ?? "a file error (Cocoa \(error.code))"
        default:
            return (text(of: error) ?? "error \(error.code) of \(error.domain)") + (cause.map { ": \(words(of: $0))" } ?? "")
        }
    }

    private static func text(of error: NSError) -> String? {
        error.userInfo[NSLocalizedDescriptionKey].map { Redaction.json("\($0)") }
    }

    /// Descriptions of Foundation's file error codes, for errors that have no underlying system error.
    private static let cocoaWords: [Int: String] = [
        4: "no such file", 257: "permission denied", 260: "no such file", 513: "permission denied", 516: "a file is there already",
        640: "disk full", 642: "the file system is read-only",
    ]

    /// A description of a system error number (`errno`).
    static func words(forSystemError code: Int32) -> String {
        switch code {
        case ENOENT: "no such file or folder"
        case ENOTDIR: "a part of the path is not a folder"
        case EISDIR: "a folder is there"
        case EEXIST: "a file is there already"
        case EACCES, EPERM: "permission denied"
        case EROFS: "the file system is read-only"
        case ENOSPC: "disk full"
        case EDQUOT: "disk quota exceeded"
        case EFBIG: "the file is too large for the file system"
        case ENAMETOOLONG: "the name is too long"
        case EMFILE, ENFILE: "out of file descriptors"
        case ENOMEM, ENOBUFS: "out of memory"
        case ECONNREFUSED: "connection refused"
        case EHOSTUNREACH: "no route to host"
        case ENETUNREACH: "network is unreachable"
        case ETIMEDOUT: "connection timed out"
        default: String(cString: strerror(code)).lowercased()
        }
    }
}

/// An error of one of the library's parsers. Its description says where parsing stopped and quotes nothing of the input.
protocol ParserFailure: Error, CustomStringConvertible {}

/// A JSON number that the type to be decoded cannot represent.
struct UnrepresentableNumber: ParserFailure {
    let description = "a number does not fit its type"
}

extension String.Encoding {
    /// The encoding's common name in HTTP.
    var plainName: String {
        switch self {
        case .utf8: "UTF-8"
        case .ascii: "US-ASCII"
        case .isoLatin1: "ISO-8859-1"
        case .utf16: "UTF-16"
        case .utf32: "UTF-32"
        default: "\(self)"
        }
    }
}
