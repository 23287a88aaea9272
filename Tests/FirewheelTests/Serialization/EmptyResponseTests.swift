import Firewheel
import Foundation
import Testing

/// Responses without a body: status 204 and 205, and the method HEAD (as in Alamofire; RFC 9110 sections 9.3.2, 15.3.5, 15.3.6).
@Suite("Empty responses")
struct EmptyResponseTests {
    struct Page: Decodable, EmptyResponse, Equatable, Sendable {
        var number: Int
        static func emptyValue() -> Page { Page(number: 0) }
    }

    static let allowed: [(HTTPMethod, Int)] = [(.get, 204), (.get, 205), (.post, 204), (.head, 200), (.head, 404)]

    @Test("An empty body gives an empty value for status 204 and 205 and for HEAD", arguments: allowed)
    func emptyValues(method: HTTPMethod, status: Int) throws {
        for body in [nil, Data()] {
            #expect(try apply(.data, method: method, status: status, body).get() == Data())
            #expect(try apply(.string(), method: method, status: status, body).get() == "")
            #expect(try apply(.json(), method: method, status: status, body).get() is NSNull)
            #expect(try apply(.decodable(of: Empty.self), method: method, status: status, body).get() == Empty.value)
            #expect(try apply(.decodable(of: Page.self), method: method, status: status, body).get() == Page(number: 0))
            let result = try apply(.decodable(of: [Int].self), method: method, status: status, body)
            #expect(kind(result) == .responseSerializationFailed(.invalidEmptyResponse(type: "Array<Int>")))
        }
    }

    @Test(
        "An empty body of another status and method is an error",
        arguments: [(HTTPMethod.get, 200), (.post, 201), (.get, 404), (.get, 304)])
    func missingBodies(method: HTTPMethod, status: Int) throws {
        for body in [nil, Data()] {
            #expect(kind(try apply(.data, method: method, status: status, body)) == .noBody)
            #expect(kind(try apply(.string(), method: method, status: status, body)) == .noBody)
            #expect(kind(try apply(.json(), method: method, status: status, body)) == .noBody)
            #expect(kind(try apply(.decodable(of: Empty.self), method: method, status: status, body)) == .noBody)
        }
    }

    @Test("A body is parsed even if the status or method allows none")
    func bodyAnyway() throws {
        #expect(try apply(.decodable(of: [Int].self), status: 204, Data("[1]".utf8)).get() == [1])
        #expect(try apply(.string(), method: .head, Data("x".utf8)).get() == "x")
    }

    @Test("Custom empty response codes and methods replace the default ones")
    func given() throws {
        #expect(try apply(.data(emptyResponseCodes: [200]), Data()).get() == Data())
        #expect(kind(try apply(.data(emptyResponseCodes: [200]), status: 204, Data())) == .noBody)
        #expect(try apply(.string(emptyRequestMethods: [.put]), method: .put, nil).get() == "")
        #expect(kind(try apply(.string(emptyRequestMethods: [.put]), method: .head, nil)) == .noBody)
        #expect(try apply(.json(emptyResponseCodes: [404]), status: 404, nil).get() is NSNull)
        #expect(try apply(.decodable(of: Empty.self, emptyResponseCodes: [200]), nil).get() == Empty.value)
    }

    @Test("Empty bodies through a session follow the same rules, for data requests and downloads", arguments: [204, 205, 200])
    func throughSession(status: Int) async throws {
        let session = session(answering: status, body: nil)
        let expected: FirewheelError.Kind? = status == 200 ? .noBody : nil
        #expect(kind(await session.request("http://stub.test/").serializingData().result) == expected)
        #expect(kind(await session.request("http://stub.test/").serializingDecodable(Empty.self).result) == expected)
        #expect(kind(await session.head("http://stub.test/").serializingString().result) == nil)
        let response = await session.download("http://stub.test/").serializingString().response
        #expect(kind(response.error) == expected)
        try response.fileURL.map { try FileManager.default.removeItem(at: $0) }
        withExtendedLifetime(session) {}
    }

    @Test("A plain response handler gets nil for an empty body, without an error")
    func plain() async throws {
        let session = session(answering: 200, body: nil)
        let journal = Journal<DataResponse<Data?>>()
        session.request("http://stub.test/").response(queue: .global()) { journal.add($0) }
        let response = try await journal.wait(for: 1)[0]
        #expect(response.error == nil && response.data == nil)
        #expect(try response.result.get() == nil)
        withExtendedLifetime(session) {}
    }
}
