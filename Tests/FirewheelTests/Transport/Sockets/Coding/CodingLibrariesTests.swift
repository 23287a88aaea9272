#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    @Suite("Libraries of content codings", .timeLimit(.minutes(5)))
    struct CodingLibrariesTests {
        // Kept, because a table is never freed.
        private static let all = CodingLibraries()
        private static let withoutZlib = CodingLibraries(zlib: "libnothing.so.7")
        private static let withoutBrotli = CodingLibraries(brotli: "libnothing.so.8")
        private static let withoutZstd = CodingLibraries(zstd: "libnothing.so.9")
        private static let none = CodingLibraries(zlib: "libnothing.so.7", brotli: "libnothing.so.8", zstd: "libnothing.so.9")

        @Test("The codings of the libraries that are there are offered in a fixed order")
        func offered() {
            #expect(Self.all.decodable == [.gzip, .deflate, .br, .zstd])
            #expect(Self.withoutZlib.decodable == [.br, .zstd])
            #expect(Self.withoutBrotli.decodable == [.gzip, .deflate, .zstd])
            #expect(Self.withoutZstd.decodable == [.gzip, .deflate, .br])
            #expect(Self.none.decodable.isEmpty)
        }

        @Test("A body in a coding whose library is missing is an error that names the library and its package")
        func missing() {
            for (coding, body, library) in [
                ("gzip", CodingFixtures.gzip, "libnothing.so.7 (package zlib1g)"),
                ("deflate", CodingFixtures.raw, "libnothing.so.7 (package zlib1g)"),
                ("br", CodingFixtures.br, "libnothing.so.8 (package libbrotli1)"),
                ("zstd", CodingFixtures.zstd, "libnothing.so.9 (package libzstd1)"),
            ] {
                let decoded = Decoded.decode([body], coding, libraries: Self.none)
                #expect(decoded.code == .cannotDecodeContentData)
                let start = "the Content-Encoding \"\(coding)\" is not supported: \(library) could not be loaded: "
                #expect(decoded.text?.hasPrefix(start) == true, "\(String(describing: decoded.text))")
                #expect(decoded.content.isEmpty)
            }
        }

        @Test("Another library under the name of one is an error that names the function it lacks")
        func wrong() {
            let mixed = CodingLibraries(zlib: "libzstd.so.1", brotli: "libz.so.1", zstd: "libz.so.1")
            #expect(mixed.decodable.isEmpty)
            guard case .failure(let error) = mixed.zstd else {
                Issue.record("zlib was taken for zstd")
                return
            }
            #expect(error.description == "libz.so.1 (package libzstd1) has no function ZSTD_versionNumber")
        }

        @Test("A library that is missing matters only to its own codings")
        func others() {
            #expect(Decoded.decode([CodingFixtures.gzip], "gzip", libraries: Self.withoutBrotli).content == Data(CodingFixtures.plain))
            #expect(Decoded.decode([CodingFixtures.gzipOfBr], "br, gzip", libraries: Self.withoutBrotli).code == .cannotDecodeContentData)
        }
    }
#endif
