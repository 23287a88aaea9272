import FirewheelTesting
import Foundation
import Testing

@testable import FirewheelAlamofire

/// A type of a program's.
private struct Own: AlamofireExtended {
    let text: String
}

extension AlamofireExtension where ExtendedType == Own {
    fileprivate var length: Int { type.text.count }
    fileprivate static var count: Int { 7 }
}

extension URLSessionConfigurationTests {
    @Test("A program has its own members behind af")
    func ownMembers() {
        #expect(Own(text: "abc").af.length == 3)
        #expect(Own.af.count == 7)
        #expect(AlamofireExtension("x").type == "x")
    }

    @Test("Each access to af.default is a configuration of its own")
    func ownCopies() {
        let one = URLSessionConfiguration.af.default
        one.headers = [:]
        #expect(URLSessionConfiguration.af.default.headers.dictionary == HTTPHeaders.default.dictionary)
        #expect(URLSessionConfiguration.default.headers.isEmpty)
    }

    @Test("The version is that of Alamofire's interface")
    func version() { #expect(AFInfo.version == "5.12.0") }

    #if os(Linux)
        @Test("A bundle's certificates are read in DER and PEM, and other files are left out")
        func bundles() throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bundle-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(at: folder) }
            let identities = try ["a.test", "b.test"].map { try TestIdentity.selfSigned(for: [$0]) }
            try identities[0].certificate.der.write(to: folder.appendingPathComponent("a.cer"))
            try Data(identities[1].chainPEM.utf8).write(to: folder.appendingPathComponent("b.CRT"))
            try Data("x".utf8).write(to: folder.appendingPathComponent("c.der"))
            try Data("x".utf8).write(to: folder.appendingPathComponent("d.txt"))
            let bundle = try #require(Bundle(path: folder.path))
            #expect(bundle.af.certificates == identities.map(\.certificate))
            let names = bundle.af.paths(forResourcesOfTypes: [".txt", "der", "cer"]).map { URL(fileURLWithPath: $0).lastPathComponent }
            #expect(names == ["a.cer", "c.der", "d.txt"])
        }
    #endif
}
