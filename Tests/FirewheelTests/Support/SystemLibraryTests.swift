import Foundation
import Testing

@testable import Firewheel

#if os(Linux)
    import CFirewheelSystem
#endif

@Suite("System libraries")
struct SystemLibraryTests {
    @Test(
        "The hashes of the examples in FIPS 180-4 and RFC 1321 are right",
        arguments: [
            (HashAlgorithm.md5, "", "d41d8cd98f00b204e9800998ecf8427e"), (.md5, "abc", "900150983cd24fb0d6963f7d28e17f72"),
            (.sha1, "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), (.sha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (.sha512t256, "", "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
            (.sha512t256, "abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
        ])
    func vectors(algorithm: HashAlgorithm, text: String, expected: String) throws {
        // A system without an algorithm, such as one in FIPS mode, reports it.
        guard algorithm.obstacle == nil else {
            #expect(throws: SystemLibraryError.self) { try algorithm.hash(Data()) }
            return
        }
        #expect(try algorithm.hexadecimal(Data(text.utf8)) == expected)
        #expect(try algorithm.hexadecimal(Array(text.utf8)) == expected)
    }

    @Test("Many threads may hash at once")
    func threads() async throws {
        let bytes = Data(repeating: 7, count: 10_000)
        let expected = try HashAlgorithm.sha256.hash(bytes)
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<50 { group.addTask { try HashAlgorithm.sha256.hash(bytes) } }
            for try await hash in group { #expect(hash == expected) }
        }
    }

    #if os(Linux)
        private func error(
            _ soname: String, _ load: (UnsafePointer<CChar>, UnsafeMutablePointer<fwsystem_failure>) -> OpaquePointer?
        ) -> SystemLibraryError? {
            let library = SystemLibrary(soname: soname, package: "libexample1", leastVersion: "9.0.0")
            guard case .failure(let error) = library.load(load) else { return nil }
            return error
        }

        @Test("A missing library is an error that names it and its package")
        func missingLibrary() {
            let crypto = error("libnothing.so.9") { fwcrypto_load($0, 0, $1) }
            #expect(crypto?.library == "libnothing.so.9" && crypto?.package == "libexample1")
            #expect(crypto?.description.hasPrefix("libnothing.so.9 (package libexample1) could not be loaded: ") == true)
            let psl = error("libnothing.so.9") { fwpsl_load($0, 0, $1) }
            #expect(psl?.description.hasPrefix("libnothing.so.9 (package libexample1) could not be loaded: ") == true)
        }

        @Test("A missing function of a library is an error that names it")
        func missingFunction() {
            // The library has no function of this name, and those of its dependencies do not count.
            let psl = error("libcrypto.so.3") { fwpsl_load($0, 0, $1) }
            #expect(psl?.reason == .missingFunction("psl_check_version_number"))
            #expect(psl?.description == "libcrypto.so.3 (package libexample1) has no function psl_check_version_number")
        }

        @Test("A library that is too old is an error that names its version")
        func version() {
            let crypto = error("libcrypto.so.3") { fwcrypto_load($0, 0x9000_0000, $1) }
            guard case .version(let found, needed: "9.0.0") = crypto?.reason else {
                Issue.record("\(String(describing: crypto))")
                return
            }
            #expect(found.hasPrefix("3."))
            #expect(
                crypto?.description == "libcrypto.so.3 (package libexample1) is version \(found), and 9.0.0 or later is needed")
        }
    #endif
}
