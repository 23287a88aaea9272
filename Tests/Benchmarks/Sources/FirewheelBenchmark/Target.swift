import Firewheel
import Foundation

/// The resource to fetch.
struct Target {
    static let server = Wire.http.server(fresh: nil)

    let url: String
    /// The expected body length, which detects a wrong server on the port.
    let expectedLength: Int?

    /// Requests the body once and returns its length, which also checks that the server is running.
    func bodyLength() async throws -> Int {
        do {
            let response = await HTTP.request(url, method: .head).validate().serializingData().response
            _ = try response.result.get()
            guard let length = response.response?.value(forHTTPHeaderField: "Content-Length").flatMap({ Int($0) }) else {
                throw Failure("no Content-Length")
            }
            guard length == expectedLength ?? length else { throw Failure("\(length) bytes. Is another server on this port?") }
            return length
        } catch {
            throw Failure("\(url): \(error)\nIs the server running? Tests/Servers/nginx.sh start")
        }
    }

    static func fetch(_ url: String) async throws -> Data {
        try await HTTP.request(url).validate().serializingData().value
    }
}
