import Firewheel
import Foundation

/// The suite's own server, for one case.
struct SuiteServer: CacheSuiteHost {
    let origin: String
    let resource = UUID().uuidString.lowercased()
    /// For the server's own resources. It has no cache.
    private let control: Session

    /// Tells the server how to answer the requests of a case.
    ///
    /// - Parameters:
    ///   - requests: The requests in the suite's own form.
    ///   - control: A session without a cache.
    init(_ requests: Data, origin: String, control: Session) async throws(CacheSuiteJudge.Failure) {
        self.origin = origin
        self.control = control
        let task = control.request("\(origin)/config/\(resource)", method: .put, headers: ["Content-Type": "application/json"]) {
            $0.httpBody = requests
        }
        let response = await task.serializingData().response
        guard response.statusCode == 201 else {
            throw .harness("the server does not accept the case: \(Self.outcome(of: response))")
        }
    }

    func seen() async throws(CacheSuiteJudge.Failure) -> [CacheSuiteRequest] {
        let response = await control.request("\(origin)/state/\(resource)").serializingData().response
        // The server has no state before the first request.
        if response.statusCode == 404 { return [] }
        guard response.statusCode == 200, let data = response.data else {
            throw .harness("the server does not tell what it has seen: \(Self.outcome(of: response))")
        }
        do {
            return try JSONDecoder().decode([SeenRequest].self, from: data).map(\.request)
        } catch {
            throw .harness("the server's state cannot be read: \(error)")
        }
    }

    func pause(seconds: Int) async {
        // Nothing cancels the task.
        try? await Task.sleep(nanoseconds: UInt64(seconds) * 1_000_000_000)
    }

    private static func outcome(of response: DataResponse<Data>) -> String {
        response.error.map { "\($0)" } ?? response.statusCode.map { "status \($0)" } ?? "no response"
    }
}

/// A request in the form of the server's state.
private struct SeenRequest: Decodable {
    /// A value, or one for each line of a repeated field.
    enum Value: Decodable {
        case one(String)
        case several([String])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .one(text)
            } else if let number = try? container.decode(Int.self) {
                self = .one("\(number)")
            } else {
                self = .several(try container.decode([String].self))
            }
        }

        /// Joined as ``HTTPHeaders`` joins them.
        var text: String {
            switch self {
            case .one(let text): text
            case .several(let texts): texts.joined(separator: ", ")
            }
        }
    }

    struct Field: Decodable {
        let header: HTTPHeader

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            header = HTTPHeader(name: try container.decode(String.self), value: try container.decode(Value.self).text)
        }
    }

    private enum CodingKeys: String, CodingKey {
        case number = "request_num"
        case method = "request_method"
        case requestFields = "request_headers"
        case responseFields = "response_headers"
    }

    /// nil if the request did not have its number.
    let number: Int?
    let method: String
    let requestFields: [String: Value]
    let responseFields: [Field]

    var request: CacheSuiteRequest {
        let fields = requestFields.map { HTTPHeader(name: $0.key, value: $0.value.text) }
        return CacheSuiteRequest(
            number: number ?? 0, method: method, headers: HTTPHeaders(received: fields), verified: responseFields.map(\.header))
    }
}
