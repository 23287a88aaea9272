import Foundation
import Testing

@testable import Firewheel

@Suite("Header factories, and the headers of Foundation's types")
struct HeaderFactoriesTests {
    @Test(
        "Each header factory makes the field of its name",
        arguments: [
            (HTTPHeader.accept("v"), "Accept"), (.acceptCharset("v"), "Accept-Charset"), (.acceptLanguage("v"), "Accept-Language"),
            (.acceptEncoding("v"), "Accept-Encoding"), (.authorization("v"), "Authorization"),
            (.contentDisposition("v"), "Content-Disposition"), (.contentEncoding("v"), "Content-Encoding"),
            (.contentType("v"), "Content-Type"), (.userAgent("v"), "User-Agent"), (.websocketProtocol("v"), "Sec-WebSocket-Protocol"),
        ])
    func factory(header: HTTPHeader, name: String) {
        #expect(header == HTTPHeader(name: name, value: "v"))
    }

    @Test("The default fields list codings and at most six languages by falling quality, and name the program")
    func defaults() throws {
        #expect(HTTPHeader.defaultAcceptEncoding.name == "Accept-Encoding")
        let languages = HTTPHeaders.default["Accept-Language"] == nil ? [] : [HTTPHeader.defaultAcceptLanguage]
        for header in [HTTPHeader.defaultAcceptEncoding] + languages {
            let parts = header.value.components(separatedBy: ", ")
            #expect((1...6).contains(parts.count))
            for (index, part) in parts.enumerated() {
                #expect(part.hasSuffix(";q=1.0") == (index == 0))
                #expect(part.hasSuffix(";q=\(Double(10 - index) / 10)"))
            }
        }
        #expect(HTTPHeaders.default == HTTPHeaders([.defaultAcceptEncoding] + languages + [.defaultUserAgent]))
    }

    @Test("A URLRequest made with a method and headers gives them back")
    func request() throws {
        var components = URLComponents()
        components.scheme = "https"
        components.host = "a.b"
        components.path = "/c"
        let url = try #require(URL(string: "https://a.b/c"))
        for convertible in [url, components, "https://a.b/c"] as [any URLConvertible] {
            let request = try URLRequest(url: convertible, method: .query, headers: [.accept("x"), .contentType("y")])
            #expect(request.url == url)
            #expect(request.httpMethod == "QUERY")
            #expect(request.method == .query)
            #expect(request.headers.dictionary == ["Accept": "x", "Content-Type": "y"])
            #expect(try request.asURLRequest() == request)
        }
        var request = try URLRequest(url: url, method: .get)
        request.method = .patch
        request.headers.update(.accept("z"))
        request.headers["X-Own"] = "1"
        request.headers["accept"] = nil
        #expect(request.httpMethod == "PATCH")
        #expect(request.allHTTPHeaderFields == ["X-Own": "1"])
        // After a host a path begins with a slash (RFC 3986 section 3.3).
        components.path = "no slash"
        #expect(#expect(throws: FirewheelError.self) { try URLRequest(url: components, method: .get) }?.kind == .invalidURL)
    }

    @Test("A response and a configuration give their headers as HTTPHeaders")
    func foundation() throws {
        let url = try #require(URL(string: "https://a.b/c"))
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: ["X-B": "2", "Content-Type": "text/plain"]))
        #expect(response.headers["content-type"] == "text/plain")
        #expect(response.headers["x-b"] == "2")
        #expect(response.headers.map(\.name) == ["Content-Type", "X-B"])

        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = nil
        #expect(configuration.headers == HTTPHeaders())
        configuration.headers = [.userAgent("u"), .accept("x")]
        #expect(configuration.headers == [.accept("x"), .userAgent("u")])
        #expect(configuration.httpAdditionalHeaders as? [String: String] == ["User-Agent": "u", "Accept": "x"])
        configuration.headers.remove(name: "accept")
        #expect(configuration.headers.dictionary == ["User-Agent": "u"])
    }
}
