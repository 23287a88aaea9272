import Firewheel
import Foundation

/// What is fetched.
struct Target {
    static let server = "http://127.0.0.1:18080"

    let url: String
    /// What is known of the body's length, to find out a wrong server on that port.
    let expectedLength: Int?

    /// The length of the body, which every response is then compared with. Also finds out whether the server is there.
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
