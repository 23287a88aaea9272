#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    @Suite("HTTP/2 library")
    struct HTTP2LibraryTests {
        @Test("A missing library, and another one under its name, are errors that name library and package")
        func missing() {
            guard case .failure(let error) = HTTP2Library.load("libnothing.so.14"),
                case .failure(let other) = HTTP2Library.load("libz.so.1")
            else {
                Issue.record("it was loaded")
                return
            }
            #expect(error.description.hasPrefix("libnothing.so.14 (package libnghttp2-14) could not be loaded: "))
            #expect(other.description.hasPrefix("libz.so.1 (package libnghttp2-14) has no function nghttp2_"))
        }

        @Test("Names of error codes, and numbers of unknown ones")
        func codes() {
            #expect((0..<15).map { HTTP2ErrorCode(rawValue: $0).name }.suffix(2) == ["HTTP_1_1_REQUIRED", "0xe"])
            #expect(HTTP2ErrorCode.refusedStream.name == "REFUSED_STREAM" && HTTP2ErrorCode.enhanceYourCalm.name == "ENHANCE_YOUR_CALM")
        }
    }
#endif
