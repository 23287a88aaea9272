import Firewheel
import Foundation

// Complete responses, with the same spelling as ``MockResponse``.

extension StubTransport {
    /// A stub that answers every request with a JSON text; see the script steps of the same name.
    public static func json(_ string: String, status: Int = 200, headers: HTTPHeaders = [:]) -> StubTransport {
        StubTransport { _ in .json(string, status: status, headers: headers) }
    }

    /// A stub that answers every request with a text; see the script steps of the same name.
    public static func text(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> StubTransport {
        StubTransport { _ in .text(text, status: status, headers: headers) }
    }
}

extension [StubTransport.Step] {
    /// The steps of a response with JSON text, sent unchanged, as `application/json` unless the headers name a type.
    public static func json(_ string: String, status: Int = 200, headers: HTTPHeaders = [:]) -> [StubTransport.Step] {
        answer(string, "application/json", status, headers)
    }

    /// The steps of a response with UTF-8 text, as `text/plain; charset=utf-8` unless the headers name a type.
    public static func text(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> [StubTransport.Step] {
        answer(text, "text/plain; charset=utf-8", status, headers)
    }

    private static func answer(_ text: String, _ type: String, _ status: Int, _ headers: HTTPHeaders) -> [StubTransport.Step] {
        var headers = headers
        if headers["Content-Type"] == nil { headers.add(name: "Content-Type", value: type) }
        return [.response(ResponseHead(statusCode: status, headers: headers)), .finish(body: Data(text.utf8))]
    }
}
