import Firewheel
import Foundation
import Testing

/// The preprocessor and empty-body rule of a custom `ResponseSerializer`.
@Suite("Rules of custom serializers")
struct OwnSerializerRulesTests {
    /// As written for Alamofire.
    struct Count: ResponseSerializer {
        var dataPreprocessor: any DataPreprocessor = .passthrough
        var emptyResponseCodes: Set<Int> = [204, 205]
        var emptyRequestMethods: Set<HTTPMethod> = [.head]

        func serialize(request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?) throws -> Int {
            if let error { throw error }
            guard let data, !data.isEmpty else {
                guard emptyResponseAllowed(forRequest: request, response: response) else { throw SomeError() }
                return 0
            }
            return try dataPreprocessor.preprocess(data).count
        }
    }

    /// A serializer without those properties.
    struct Plain: ResponseSerializer {
        func serialize(request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?) throws -> Bool {
            emptyResponseAllowed(forRequest: request, response: response)
        }
    }

    @Test("A custom serializer's default rules are those of the built-in ones: 204, 205, HEAD, no preprocessing")
    func defaults() throws {
        let plain = Plain()
        #expect(plain.emptyResponseCodes == [204, 205] && plain.emptyRequestMethods == [.head])
        #expect(try plain.dataPreprocessor.preprocess(Data(")]}',\nx".utf8)).count == 7)
        let serializer = DataResponseSerializer(plain)
        for (method, status, expected) in [(HTTPMethod.get, 200, false), (.get, 204, true), (.post, 205, true), (.head, 404, true)] {
            #expect(try apply(serializer, method: method, status: status, nil).get() == expected)
        }
        #expect(!plain.emptyResponseAllowed(forRequest: nil, response: nil))
    }

    @Test("A custom serializer's own rules replace the defaults, for data requests and downloads")
    func given() async throws {
        let url = "http://stub.test/"
        let full = session(body: ")]}',\nxyz")
        let count = Count(dataPreprocessor: .googleXSSI, emptyResponseCodes: [200], emptyRequestMethods: [])
        #expect(try await full.request(url).serializingResponse(using: count).value == 3)
        let download = await full.download(url).serializingDownload(using: count).response
        #expect(download.value == 3)
        try FileManager.default.removeItem(at: try #require(download.fileURL))
        let empty = session(body: nil)
        #expect(try await empty.request(url).serializingResponse(using: count).value == 0)
        await #expect(throws: SomeError()) { try await empty.request(url).serializingResponse(using: Count()).value }
        #expect(try await empty.head(url).serializingResponse(using: Count()).value == 0)
        withExtendedLifetime((full, empty)) {}
    }
}
