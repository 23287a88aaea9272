import Foundation

/// Writes one request in the form of HTTP/1.1 (RFC 9112 sections 2 to 7): a request in, bytes out.
///
/// The bytes are appended to a buffer of the caller's, which may be used again for the next request. Nothing can inject a line: a method, a
/// field or a trailer field that could is an error, and the buffer is left as it was.
struct RequestWriter {
    /// How the target is written (RFC 9112 section 3.2).
    enum TargetForm {
        /// Path and query, for the origin server.
        case origin
        /// The whole URI, for a proxy.
        case absolute
    }

    /// How many bytes the body has.
    enum BodyLength: Equatable {
        case none
        case known(UInt64)
        /// The body is sent in chunks.
        case unknown
    }

    /// Why a request cannot be written.
    enum Problem: Error, Equatable {
        /// The method is not a token.
        case invalidMethod
        /// A name is not a token, or a value has CR, LF or NUL.
        case invalidField
        /// The body is not as long as its declared length.
        case wrongLength
    }

    private enum Framing: Equatable {
        /// There is no body, or it is complete.
        case ended
        /// This many bytes are still to come.
        case sized(UInt64)
        case chunked
    }

    /// Whether the request asks to close the connection (RFC 9112 section 9.6).
    private(set) var isLast = false
    private var framing = Framing.ended

    /// Appends the head to the output.
    ///
    /// `Host` comes first, the caller's own if there is one. `Accept: */*` is added if there is no `Accept`. `Content-Length` and
    /// `Transfer-Encoding` follow from the body, and the caller's are left out, because a wrong value would allow request smuggling.
    /// `Proxy-Connection` is left out, and `Proxy-Authorization` unless the target is written for a proxy.
    ///
    /// - Parameters:
    ///   - expectsContinue: Whether the body waits for a 100 (RFC 9110 section 10.1.1). Without effect if there is no body, or if the
    ///     caller has an `Expect` field.
    mutating func writeHead(
        method: HTTPMethod, target: TargetURI, form: TargetForm = .origin, headers: HTTPHeaders, body: BodyLength,
        expectsContinue: Bool = false, to output: inout [UInt8]
    ) throws(Problem) {
        let start = output.count
        do throws(Problem) {
            guard method.rawValue.isHTTPToken else { throw .invalidMethod }
            output.append(contentsOf: method.rawValue.utf8)
            output.append(UInt8(ascii: " "))
            switch form {
            case .origin: output.appendPathAndQuery(of: target)
            case .absolute: output.appendAbsoluteTarget(target)
            }
            output.append(" HTTP/1.1\r\n")
            try writeFields(
                of: headers, for: target.origin, isForProxy: form == .absolute, hasBody: body.hasContent, expectsContinue: expectsContinue,
                to: &output)
            writeFraming(method, body, to: &output)
            output.append("\r\n")
        } catch {
            output.removeLast(output.count - start)
            throw error
        }
    }

    private mutating func writeFields(
        of headers: HTTPHeaders, for origin: TargetURI.Origin, isForProxy: Bool, hasBody: Bool, expectsContinue: Bool,
        to output: inout [UInt8]
    ) throws(Problem) {
        let host = headers.first { $0.name.equalsIgnoringASCIICase("Host") }
        if let host {
            try output.append(field: host)
        } else {
            output.append("Host: ")
            output.appendAuthority(of: origin)
            output.append("\r\n")
        }
        var (accepts, expects) = (false, !expectsContinue || !hasBody)
        for header in headers {
            switch RequestField(name: header.name) {
            case .host, .framing, .connectionOfProxy: continue
            case .credentialsOfProxy where !isForProxy: continue
            case .accept: accepts = true
            case .expect: expects = true
            case .connection: isLast = isLast || header.hasOption("close")
            case .credentialsOfProxy, .other: break
            }
            try output.append(field: header)
        }
        if !accepts { output.append("Accept: */*\r\n") }
        if !expects { output.append("Expect: 100-continue\r\n") }
    }

    /// RFC 9110 section 8.6 and RFC 9112 section 6.1.
    private mutating func writeFraming(_ method: HTTPMethod, _ body: BodyLength, to output: inout [UInt8]) {
        switch body {
        case .none: if method.anticipatesBody { output.append("Content-Length: 0\r\n") }
        case .known(0) where method == .head: break
        case .known(let length):
            framing = length > 0 ? .sized(length) : .ended
            output.append("Content-Length: ")
            output.append(decimal: length)
            output.append("\r\n")
        case .unknown:
            framing = .chunked
            output.append("Transfer-Encoding: chunked\r\n")
        }
    }
}

// MARK: - Body

extension RequestWriter {
    /// Appends what stands before the next piece of the body. Then come the piece's own bytes, and ``endPiece(to:)``.
    mutating func beginPiece(_ count: Int, to output: inout [UInt8]) throws(Problem) {
        let count = max(count, 0)
        switch framing {
        case .ended:
            guard count == 0 else { throw .wrongLength }
        case .sized(let remaining):
            guard UInt64(count) <= remaining else { throw .wrongLength }
            framing = UInt64(count) == remaining ? .ended : .sized(remaining - UInt64(count))
        case .chunked:
            // A chunk without data would be the last one.
            guard count > 0 else { return }
            output.append(hexadecimal: UInt64(count))
            output.append("\r\n")
        }
    }

    /// Whether something stands behind a piece of the body.
    var endsPieces: Bool { framing == .chunked }

    /// Appends what stands behind a piece of the body, which is not empty.
    func endPiece(to output: inout [UInt8]) {
        if endsPieces { output.append("\r\n") }
    }

    /// Appends a piece of the body, copied. An empty one has no effect.
    mutating func write(_ piece: some Collection<UInt8>, to output: inout [UInt8]) throws(Problem) {
        try beginPiece(piece.count, to: &output)
        guard !piece.isEmpty else { return }
        output.append(contentsOf: piece)
        endPiece(to: &output)
    }

    /// Appends the end of the body.
    ///
    /// - Parameter trailers: They are sent behind a chunked body only, without fields that trailers may not have.
    /// - Throws: `wrongLength` if the body was shorter than declared: the connection must be closed.
    mutating func end(trailers: HTTPHeaders = [:], to output: inout [UInt8]) throws(Problem) {
        switch framing {
        case .ended: break
        case .sized: throw .wrongLength
        case .chunked:
            let start = output.count
            do throws(Problem) {
                output.append("0\r\n")
                for trailer in trailers where TrailerNames.isAllowed(trailer.name) { try output.append(field: trailer) }
                output.append("\r\n")
            } catch {
                output.removeLast(output.count - start)
                throw error
            }
            framing = .ended
        }
    }
}

extension RequestWriter.BodyLength {
    fileprivate var hasContent: Bool {
        switch self {
        case .none: false
        case .known(let length): length > 0
        case .unknown: true
        }
    }
}

/// The fields of a request that the writer looks at.
private enum RequestField {
    case host
    /// `Content-Length` or `Transfer-Encoding`.
    case framing
    case accept
    case expect
    case connection
    /// `Proxy-Connection`, which was never a field of HTTP (RFC 9112 appendix C.2.2).
    case connectionOfProxy
    /// `Proxy-Authorization`, which is not the server's (RFC 9110 section 11.7.2).
    case credentialsOfProxy
    case other

    init(name: String) {
        self =
            switch name.utf8.count {
            case 4 where name.equalsIgnoringASCIICase("Host"): .host
            case 6 where name.equalsIgnoringASCIICase("Accept"): .accept
            case 6 where name.equalsIgnoringASCIICase("Expect"): .expect
            case 10 where name.equalsIgnoringASCIICase("Connection"): .connection
            case 14 where name.equalsIgnoringASCIICase("Content-Length"): .framing
            case 16 where name.equalsIgnoringASCIICase("Proxy-Connection"): .connectionOfProxy
            case 19 where name.equalsIgnoringASCIICase("Proxy-Authorization"): .credentialsOfProxy
            case 17 where name.equalsIgnoringASCIICase("Transfer-Encoding"): .framing
            default: .other
            }
    }
}

extension HTTPHeader {
    /// Whether the value is a list with this element.
    fileprivate func hasOption(_ option: String) -> Bool {
        value.split(separator: ",").contains {
            String($0.trimmingPrefix(while: \.isWhitespace)).prefixToken.equalsIgnoringASCIICase(option)
        }
    }
}

extension String {
    fileprivate var prefixToken: String { String(decoding: utf8.prefix(while: \.isHTTPTokenByte), as: UTF8.self) }
}
