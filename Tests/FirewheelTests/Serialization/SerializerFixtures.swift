import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// A session whose every request gets the same response.
func session(
    answering status: Int = 200, _ headers: HTTPHeaders = [:], body: String? = nil, configuration: SessionConfiguration = .default
) -> Session {
    session(answering: status, headers, data: body.map { Data($0.utf8) }, configuration: configuration)
}

func session(
    answering status: Int = 200, _ headers: HTTPHeaders = [:], data: Data?, configuration: SessionConfiguration = .default
) -> Session {
    Session(
        configuration: configuration,
        transport: StubTransport { request in
            let head = StubTransport.Step.response(ResponseHead(statusCode: status, headers: headers))
            if request.delivery == .whole { return [head, .finish(body: data)] }
            return [head] + (data.map { [.chunk($0)] } ?? []) + [.finish()]
        })
}

/// The result of a serializer for a response that was never sent.
func apply<Value>(
    _ serializer: DataResponseSerializer<Value>, method: HTTPMethod = .get, status: Int = 200, type: String? = nil, _ body: Data?,
    error: (any Error)? = nil
) throws -> Result<Value, any Error> {
    let url = "http://stub.test/"
    let request = try URLRequest(url: url, method: method)
    let response = HTTPURLResponse(
        url: try url.asURL(), statusCode: status, httpVersion: "HTTP/1.1", headerFields: type.map { ["Content-Type": $0] } ?? [:])
    return serializer.serializeResponse(request, response, body, error)
}

struct SomeError: Error, Equatable {
    var number = 1
}

extension FirewheelError.Kind {
    static let noBody = FirewheelError.Kind.responseSerializationFailed(.inputDataNilOrZeroLength)
}
