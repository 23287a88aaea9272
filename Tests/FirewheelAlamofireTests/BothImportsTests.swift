import Firewheel
import FirewheelAlamofire
import FirewheelTesting
import Testing

/// A file that imports both modules, as one does that needs `FirewheelXML` for a single request.
@Suite("Importing Firewheel and FirewheelAlamofire together", .timeLimit(.minutes(2)))
struct BothImportsTests {
    @Test("Names that both modules have are Firewheel's")
    func names() {
        let session: Any = Session()
        #expect(session is Firewheel.Session)
        #expect(!(session is FirewheelAlamofire.Session))
        let types: [(Any.Type, Any.Type)] = [
            (Session.self, Firewheel.Session.self), (Request.self, Firewheel.Request.self),
            (DataResponse<Int>.self, Firewheel.DataResponse<Int>.self),
        ]
        let differ = types.contains { $0 != $1 }
        #expect(!differ)
    }

    @Test("A program of both makes requests with either's spelling, and names the module for Alamofire's types")
    func requests() async throws {
        let server = try MockServer()
        server.route("/*") { _ in .json(#"{"name":"Ada"}"#) }
        let here: User = try await Session().request(server.url()).serializingDecodable().value
        let session = FirewheelAlamofire.Session()
        let there: FirewheelAlamofire.DataResponse<User, AFError> = await session.request(server.url()).serializingDecodable(User.self)
            .response
        #expect(here == User(name: "Ada") && there.value == here)
        withExtendedLifetime(session) {}
        server.shutdown()
    }
}
