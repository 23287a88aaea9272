#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// A kind of certificate, and what is expected of it.
    struct CertificateCase: Sendable, CustomTestStringConvertible {
        enum Outcome: Sendable {
            case accepted
            /// With the error's code and what its sentence has to contain.
            case refused(URLError.Code, [String])
        }

        /// What the server shows, and what the client trusts if that is not the authority's root.
        typealias Setting = (identity: TestIdentity, anchors: [TestCertificate]?)

        let testDescription: String
        let host: String
        let outcome: Outcome
        /// The least version of the server's.
        let minimumVersion: TLSFront.Version
        /// The versions of TLS that the case is about; where there is one, the other cannot be.
        let versions: [TLSFront.Version]
        /// Its argument has an RSA key.
        let make: @Sendable (TestAuthority) throws -> Setting

        init(
            _ name: String, host: String = "localhost", _ outcome: Outcome, versions: [TLSFront.Version] = [.tls12, .tls13],
            minimumVersion: TLSFront.Version = .tls12,
            _ make: @escaping @Sendable (TestAuthority) throws -> Setting
        ) {
            testDescription = name
            self.host = host
            self.outcome = outcome
            self.versions = versions
            self.minimumVersion = minimumVersion
            self.make = make
        }

        /// A certificate that the client's authority has signed.
        static func signed(_ name: String, host: String = "localhost", _ outcome: Outcome, names: [String] = [], addresses: [String] = [])
            -> CertificateCase
        {
            CertificateCase(name, host: host, outcome) {
                (try $0.identity(names: names, addresses: addresses, commonName: "a server"), nil)
            }
        }

        private static let other = Outcome.refused(.serverCertificateUntrusted, ["is for another host (subject CN=a server)"])
        private static let weakSignature = Outcome.refused(
            .serverCertificateUntrusted, ["has a signature that is too weak (subject CN=localhost)"])

        static let all: [CertificateCase] = dates + authorities + names + addresses + addressesOfIPv6 + strengths + chains

        private static let dates: [CertificateCase] = [
            .signed("Valid", .accepted, names: ["localhost"]),
            CertificateCase("Expired", .refused(.serverCertificateHasBadDate, ["has expired (subject CN=localhost, valid until "])) {
                (try $0.identity(names: ["localhost"], begins: -200_000, ends: -100_000), nil)
            },
            CertificateCase(
                "Not valid yet", .refused(.serverCertificateNotYetValid, ["is not valid yet (subject CN=localhost, valid from "])
            ) {
                (try $0.identity(names: ["localhost"], begins: 100_000, ends: 200_000), nil)
            },
        ]

        /// What an error about an unknown authority advises.
        private static let remedy = "in SSL_CERT_FILE, which replaces the system's store"

        private static let authorities: [CertificateCase] = [
            CertificateCase(
                "Self-signed", .refused(.serverCertificateHasUnknownRoot, ["is self-signed (subject CN=localhost); to trust it, ", remedy])
            ) { _ in
                (try .selfSigned(names: ["localhost"]), nil)
            },
            CertificateCase(
                "Unknown authority",
                .refused(
                    .serverCertificateHasUnknownRoot,
                    ["is from an unknown authority", "(subject CN=localhost, issuer CN=Stranger)", remedy])
            ) { _ in
                (try TestAuthority(commonName: "Stranger").identity(names: ["localhost"]), nil)
            },
            CertificateCase(
                "Unknown authority that sends its root",
                .refused(
                    .serverCertificateHasUnknownRoot,
                    ["a certificate of its authorities is of an unknown authority (subject CN=Stranger)", remedy])
            ) { _ in
                let stranger = try TestAuthority(commonName: "Stranger")
                return (try stranger.identity(names: ["localhost"]).sending([stranger.root]), nil)
            },
            CertificateCase(
                "Unknown authority with the name of the known one",
                .refused(.serverCertificateHasUnknownRoot, ["is from an unknown authority", "issuer CN=Firewheel Test Root", remedy])
            ) { _ in
                (try TestAuthority().identity(names: ["localhost"]), nil)
            },
            CertificateCase(
                "Signed by a certificate of no authority",
                .refused(.serverCertificateUntrusted, ["does not belong to an authority (subject CN=nobody)"])
            ) {
                let nobody = try $0.root.issue(.init(commonName: "nobody", names: ["localhost"]))
                return (TestIdentity(leaf: try nobody.issue(.init(commonName: "localhost", names: ["localhost"])), behind: [nobody]), nil)
            },
            CertificateCase("For clients", .refused(.serverCertificateUntrusted, ["is not for servers (subject CN=localhost)"])) {
                (try $0.identity(names: ["localhost"], usage: "clientAuth"), nil)
            },
        ]

        private static let names: [CertificateCase] = [
            .signed("Wrong host", other, names: ["other.test"]),
            .signed("Only in the common name", host: "localhost", .refused(.serverCertificateUntrusted, ["is for another host"])),
            CertificateCase(
                "The host's name is the common name, and no name", .refused(.serverCertificateUntrusted, ["is for another host"])
            ) {
                (try $0.identity(commonName: "localhost"), nil)
            },
            .signed("Wildcard", host: "fake-a.b.test", .accepted, names: ["*.b.test"]),
            .signed("Partial wildcard", host: "fake-a.b.test", other, names: ["fake-*.b.test"]),
            .signed("Wildcard for two labels", host: "fake-a.b.c.test", other, names: ["*.c.test"]),
            .signed("Wildcard of a top-level domain", host: "fake-a.test", other, names: ["*.test"]),
            .signed("Wildcard for no label", host: "fake-a.test", other, names: ["*.fake-a.test"]),
            .signed("Trailing dot", host: "fake-a.test.", .accepted, names: ["fake-a.test"]),
        ]

        private static let addresses: [CertificateCase] = [
            .signed("Address", host: "127.0.0.1", .accepted, names: ["localhost"], addresses: ["127.0.0.1"]),
            .signed("Another address", host: "127.0.0.1", other, names: ["localhost"], addresses: ["127.0.0.2"]),
            .signed("Address as a name", host: "127.0.0.1", other, names: ["127.0.0.1"]),
            .signed("Wildcard for an address", host: "127.0.0.1", other, names: ["*.0.0.1"]),
        ]

        /// Where the machine has IPv6.
        private static let addressesOfIPv6: [CertificateCase] =
            FrontSocket.hasIPv6
            ? [
                .signed("IPv6 address", host: "[::1]", .accepted, names: ["localhost"], addresses: ["::1"]),
                .signed("Another IPv6 address", host: "[::1]", other, names: ["localhost"], addresses: ["::2"]),
                .signed("IPv4 address for an IPv6 one", host: "[::1]", other, names: ["localhost"], addresses: ["127.0.0.1"]),
            ] : []

        private static let strengths: [CertificateCase] = [
            CertificateCase("RSA with 2,048 bits", .accepted) { (try $0.identity(names: ["localhost"], key: .rsa(2048)), nil) },
            CertificateCase("Weak key", .refused(.serverCertificateUntrusted, ["has a key that is too weak (subject CN=localhost)"])) {
                (try $0.identity(names: ["localhost"], key: .rsa(1024)), nil)
            },
            CertificateCase("Signed with SHA-1", weakSignature) { (try $0.identity(names: ["localhost"], digest: .sha1), nil) },
            CertificateCase("Signed with MD5", weakSignature) { (try $0.identity(names: ["localhost"], digest: .md5), nil) },
            CertificateCase(
                "TLS 1.0 and 1.1 only", .refused(.secureConnectionFailed, ["the server does not offer TLS 1.2 or later"]),
                versions: [.tls11], minimumVersion: .tls10
            ) {
                (try $0.identity(names: ["localhost"], key: .rsa(2048)), nil)
            },
        ]

        private static let chains: [CertificateCase] = [
            CertificateCase("Three intermediates", .accepted) { (try $0.identity(names: ["localhost"], intermediates: 3), nil) },
            CertificateCase(
                "Intermediate missing",
                .refused(
                    .serverCertificateHasUnknownRoot,
                    ["or the server did not send its intermediate certificates (subject CN=localhost, issuer CN=Firewheel Test Inter"])
            ) {
                (try $0.identity(names: ["localhost"], intermediates: 1).sending([]), nil)
            },
            CertificateCase("Intermediate as anchor", .accepted) {
                let identity = try $0.identity(names: ["localhost"], intermediates: 1)
                return (identity, [identity.behind[0]])
            },
            CertificateCase("Server's own certificate as anchor", .accepted) {
                let identity = try $0.identity(names: ["localhost"], intermediates: 1)
                return (identity, [identity.leaf])
            },
            CertificateCase(
                "Chain of a megabyte",
                .refused(.secureConnectionFailed, ["a message of the server, such as its certificates, is larger than OpenSSL takes"])
            ) {
                (try $0.identity(names: ["localhost"]).sendingFiller(1 << 20), nil)
            },
        ]
    }
#endif
