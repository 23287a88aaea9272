import FirewheelAlamofire
import FirewheelTesting
import Testing

@Suite("The import of FirewheelAlamofire")
struct ImportTests {
    @Test("Brings Foundation and Firewheel's shared types")
    func exports() {
        let headers: HTTPHeaders = ["A": "b"]
        #expect(URLRequest(url: URL(string: "http://localhost")!).url?.host == "localhost")
        #expect(headers["a"] == "b")
    }
}
