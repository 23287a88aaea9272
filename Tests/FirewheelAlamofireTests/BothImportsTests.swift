import Firewheel
import FirewheelAlamofire
import FirewheelTesting
import Testing

/// A file that imports both modules, as one does that needs `FirewheelXML` for a single request.
@Suite("Importing Firewheel and FirewheelAlamofire together", .timeLimit(.minutes(2)))
struct BothImportsTests {
    @Test("Names that both modules have are Firewheel's")
    func names() {
        #expect(Session.self == Firewheel.Session.self)
        #expect(type(of: Session()) == Firewheel.Session.self)
        #expect(Request.self == Firewheel.Request.self)
        #expect(DataResponse<Int>.self == Firewheel.DataResponse<Int>.self)
        let types: [Any.Type] = [FirewheelAlamofire.Session.self, FirewheelAlamofire.Request.self]
        #expect(!types.contains { $0 == Session.self || $0 == Request.self })
    }

    @Test("A program of both makes requests with either's spelling, and names the module for Alamofire's types")
    func requests() async throws {
        let server = try MockServer()
        server.route("/*") { _ in .json(#"{"name":"Ada"}"#) }
        let here: User = try await Session().request(server.url()).serializingDecodable().value
        let there: FirewheelAlamofire.DataResponse<User, AFError> = await FirewheelAlamofire.Session().request(server.url())
            .serializingDecodable(User.self).response
        #expect(here == User(name: "Ada") && there.value == here)
        server.shutdown()
    }
}
