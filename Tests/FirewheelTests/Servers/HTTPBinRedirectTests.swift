import Firewheel
import Foundation
import Testing

@Suite("httpbin: redirects", .needs(.httpbin), .timeLimit(.minutes(5)))
struct HTTPBinRedirectTests {
    private let session = Session()

    @Test("A chain of redirects is followed to its end", arguments: ["redirect", "relative-redirect", "absolute-redirect"])
    func chain(kind: String) async throws {
        let response = await session.request(try TestServer.httpbin.url("/\(kind)/5")).validate().raw()
        #expect(response.response?.url?.absoluteString == (try TestServer.httpbin.url("/get")))
        #expect(response.metrics?.redirectCount == 5)
        #expect(response.metrics?.transactionMetrics.map(\.response?.statusCode) == [302, 302, 302, 302, 302, 200])
    }

    @Test("20 redirects are followed, and the 21st is an error")
    func limit() async throws {
        #expect(await session.request(try TestServer.httpbin.url("/relative-redirect/20")).raw().statusCode == 200)
        let response = await session.request(try TestServer.httpbin.url("/relative-redirect/21")).raw()
        #expect(response.kind == .transportFailed(.httpTooManyRedirects))
    }

    @Test("A redirect sends the body again for 307 and 308 only", arguments: [301, 302, 303, 307, 308])
    func redirectTo(status: Int) async throws {
        let keeps = status == 307 || status == 308
        let parameters: Parameters = ["url": try TestServer.httpbin.url("/anything?x=ä"), "status_code": status]
        let url = try TestServer.httpbin.url("/redirect-to")
        let query = try URLEncoding.queryString.encode(URLRequest(url: url, method: .post), with: parameters)
        let form = try URLEncoding.httpBody.encode(query, with: ["field": "value"])
        let response = await session.request(form).validate().serializingDecodable(HTTPBinEcho<String>.self).response
        #expect(response.value?.args == ["x": "ä"])
        #expect(response.value?.form == (keeps ? ["field": "value"] : [:]))
        #expect(response.metrics?.transactionMetrics.last?.request.httpMethod == (keeps ? "POST" : "GET"))
    }

    @Test("A page that redirects to another gives the other page")
    func links() async throws {
        let response = await session.request(try TestServer.httpbin.url("/links/3")).validate().raw()
        #expect(response.response?.url?.path == "/links/3/0")
        #expect(response.text?.contains("href='/links/3/2'") == true)
    }
}
