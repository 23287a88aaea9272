import Firewheel
import Foundation

extension MockResponse.Framing {
    /// Chunked transfer coding with chunks of this size; the last one may be smaller.
    public static func chunked(size: Int) -> Self { .chunked([size]) }

    /// Chunked transfer coding with the whole body in one chunk.
    public static var chunked: Self { .chunked([]) }
}

// MARK: - Creating responses

extension MockResponse {
    /// UTF-8 text, as `text/plain; charset=utf-8` unless the headers contain a type.
    public static func text(_ text: String, status: Int = 200, headers: [(String, String)] = []) -> MockResponse {
        MockResponse(status: status, headers: headers, body: Data(text.utf8)).typed("text/plain; charset=utf-8")
    }

    /// Unmodified JSON text, as `application/json` unless the headers contain a type.
    public static func json(_ string: String, status: Int = 200, headers: [(String, String)] = []) -> MockResponse {
        MockResponse(status: status, headers: headers, body: Data(string.utf8)).typed("application/json")
    }

    /// Bytes, as `application/octet-stream` unless the headers contain a type.
    public static func data(_ data: Data, status: Int = 200, headers: [(String, String)] = []) -> MockResponse {
        MockResponse(status: status, headers: headers, body: data).typed("application/octet-stream")
    }

    /// A redirect without a body; `location` is sent unmodified.
    public static func redirect(to location: String, status: Int = 302) -> MockResponse {
        MockResponse(status: status, headers: [("Location", location)])
    }

    /// A status without a body.
    public static func status(_ status: Int) -> MockResponse { MockResponse(status: status) }

    /// An empty 200 with a fault.
    public static func failure(_ fault: MockFault) -> MockResponse { MockResponse().failing(fault) }

    private func typed(_ type: String) -> MockResponse {
        guard !MockResponseHead.declares("content-type", self) else { return self }
        return changed {
            $0.headers.append(("Content-Type", type))
            $0.assumedType = type
        }
    }
}

// MARK: - Creation, with the header fields as a dictionary literal

extension MockResponse {
    /// Creates a response with header fields as a dictionary literal: `["ETag": "1"]`.
    public init(status: Int = 200, headers: HTTPHeaders, body: Data = Data()) {
        self.init(status: status, headers: headers.map { ($0.name, $0.value) }, body: body)
    }

    /// UTF-8 text, as `text/plain; charset=utf-8` unless the headers name a type.
    public static func text(_ text: String, status: Int = 200, headers: HTTPHeaders) -> MockResponse {
        .text(text, status: status, headers: headers.map { ($0.name, $0.value) })
    }

    /// JSON text, sent unchanged, as `application/json` unless the headers name a type.
    public static func json(_ string: String, status: Int = 200, headers: HTTPHeaders) -> MockResponse {
        .json(string, status: status, headers: headers.map { ($0.name, $0.value) })
    }

    /// Bytes, as `application/octet-stream` unless the headers name a type.
    public static func data(_ data: Data, status: Int = 200, headers: HTTPHeaders) -> MockResponse {
        .data(data, status: status, headers: headers.map { ($0.name, $0.value) })
    }
}

// MARK: - Modified copies

extension MockResponse {
    /// Adds a header field. A `Content-Type` replaces an existing one, since a response has only one (RFC 9110 §8.3); to send several on
    /// purpose, add them to ``headers``.
    public func header(_ name: String, _ value: String) -> MockResponse {
        changed {
            if name.lowercased() == "content-type" { $0.headers.removeAll { $0.0.lowercased() == "content-type" } }
            $0.headers.append((name, value))
        }
    }

    /// Adds an unmodified header line, without its CRLF.
    public func rawHeaderLine(_ line: Data) -> MockResponse { changed { $0.rawHeaderLines.append(line) } }

    /// Adds a trailer field, sent after a chunked body.
    public func trailer(_ name: String, _ value: String) -> MockResponse { changed { $0.trailers.append((name, value)) } }

    /// Sets the framing of the body.
    public func framed(_ framing: Framing) -> MockResponse { changed { $0.framing = framing } }

    /// Sets the reason phrase and, if given, the version of the status line.
    public func statusLine(reason: String?, httpVersion: String = "HTTP/1.1") -> MockResponse {
        changed {
            $0.reason = reason
            $0.httpVersion = httpVersion
        }
    }

    /// Sets the seconds to wait before the head and between head and body.
    public func delayed(head: TimeInterval = 0, body: TimeInterval = 0) -> MockResponse {
        changed {
            $0.headDelay = head
            $0.bodyDelay = body
        }
    }

    /// Sends the body in parts of `bytes` with `interval` seconds between them.
    public func throttled(bytes: Int, every interval: TimeInterval) -> MockResponse { changed { $0.throttle = (bytes, interval) } }

    /// Adds an interim response, sent before this one.
    public func informational(_ status: Int, headers: [(String, String)] = []) -> MockResponse {
        changed { $0.informational.append((status, headers)) }
    }

    /// Sends `Connection: close` and closes after the response.
    public func closing() -> MockResponse { changed { $0.closesConnection = true } }

    /// Responds as soon as the request's head has arrived; see ``answersBeforeBody``.
    public func beforeBody() -> MockResponse { changed { $0.answersBeforeBody = true } }

    /// Injects a fault.
    public func failing(_ fault: MockFault) -> MockResponse { changed { $0.fault = fault } }

    private func changed(_ change: (inout MockResponse) -> Void) -> MockResponse {
        var copy = self
        change(&copy)
        return copy
    }
}
