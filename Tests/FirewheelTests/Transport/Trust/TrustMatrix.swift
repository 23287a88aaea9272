#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// Servers and clients of all kinds, and the outcome of each pair.
    enum TrustMatrix {
        enum Server: String, CaseIterable, Sendable, CustomTestStringConvertible {
            case right, wrongHost, expired, notYetValid, selfSigned, unknownAuthority, intermediateMissing, pinnedAppended

            var testDescription: String { rawValue }

            /// - Parameter unrelated: A certificate that has nothing to do with the server.
            func identity(of authority: TestAuthority, unrelated: TestCertificate) throws -> TestIdentity {
                let names = ["localhost"]
                switch self {
                case .right: return try authority.identity(names: names, intermediates: 1)
                case .wrongHost: return try authority.identity(names: ["other.test"], intermediates: 1)
                case .expired: return try authority.identity(names: names, begins: -200_000, ends: -100_000, intermediates: 1)
                case .notYetValid: return try authority.identity(names: names, begins: 100_000, ends: 200_000, intermediates: 1)
                case .selfSigned: return try .selfSigned(names: names)
                case .unknownAuthority:
                    return try TestAuthority(commonName: "Stranger").identity(names: names, intermediates: 1)
                case .intermediateMissing: return try authority.identity(names: names, intermediates: 1).sending([])
                case .pinnedAppended:
                    let identity = try authority.identity(names: names, intermediates: 1)
                    return identity.sending(identity.behind + [unrelated])
                }
            }
        }

        /// What a client knows of the server.
        struct Known {
            let identity: TestIdentity
            let root: TestCertificate
            let unrelated: TestCertificate

            var leaf: Certificate { identity.leaf.certificate }
            /// The server's intermediate authority, or the root if it has none.
            var intermediate: Certificate { (identity.behind.first ?? root).certificate }
        }

        /// A way to evaluate, and the letters of its outcomes with each server, in the order of ``Server``.
        struct Client: Sendable {
            let name: String
            let outcomes: String
            /// nil for no evaluator for the host.
            let evaluator: @Sendable (Known) throws -> (any ServerTrustEvaluating)?
            var allHostsMustBeEvaluated = true

            init(
                _ name: String, _ outcomes: String, allHosts: Bool = true,
                _ evaluator: @escaping @Sendable (Known) throws -> (any ServerTrustEvaluating)?
            ) {
                (self.name, self.outcomes, self.evaluator, allHostsMustBeEvaluated) = (name, outcomes, evaluator, allHosts)
            }

            func manager(_ known: Known) throws -> ServerTrustManager {
                let evaluator = try evaluator(known)
                return ServerTrustManager(
                    allHostsMustBeEvaluated: allHostsMustBeEvaluated,
                    evaluators: evaluator.map { ["LOCALHOST.": $0, "other.test": DisabledTrustEvaluator()] }
                        ?? ["*.localhost": DisabledTrustEvaluator()])
            }
        }

        /// `.` the server is trusted; otherwise the reason of `serverTrustEvaluationFailed`: `D` default validation, `H` the host, `K` a
        /// key, `C` a certificate, `U` the user's evaluator, `N` no evaluator. `T` is a `transportFailed`.
        static let clients: [Client] = [
            Client("default", ".HDDDDD.") { _ in DefaultTrustEvaluator() },
            Client("default without host", "..DDDDD.") { _ in DefaultTrustEvaluator(validateHost: false) },
            Client("leaf key", ".HDDDDD.") { try PublicKeysTrustEvaluator(pins: [$0.leaf.publicKeyPin]) },
            Client("leaf key without host", "..DDDDD.") {
                PublicKeysTrustEvaluator(certificates: [$0.leaf], validateHost: false)
            },
            Client("intermediate key", ".HDDDDD.") { PublicKeysTrustEvaluator(certificates: [$0.intermediate]) },
            Client("root key", ".HDDDDD.") { PublicKeysTrustEvaluator(certificates: [$0.root.certificate]) },
            Client("backup pin", ".HDDDDD.") { try PublicKeysTrustEvaluator(pins: [TrustMatrix.strangePin, $0.leaf.publicKeyPin]) },
            Client("another pin", "KHDDDDDK") { _ in try PublicKeysTrustEvaluator(pins: [TrustMatrix.strangePin]) },
            Client("unrelated key", "KHDDDDDK") { PublicKeysTrustEvaluator(certificates: [$0.unrelated.certificate]) },
            Client("no keys", "KHDDDDDK") { _ in PublicKeysTrustEvaluator(certificates: []) },
            Client("leaf key alone", ".H......") { PublicKeysTrustEvaluator(certificates: [$0.leaf], performDefaultValidation: false) },
            Client("leaf key alone, without host", "........") {
                PublicKeysTrustEvaluator(certificates: [$0.leaf], performDefaultValidation: false, validateHost: false)
            },
            Client("intermediate key alone", "KHKKKKKK") {
                PublicKeysTrustEvaluator(certificates: [$0.intermediate], performDefaultValidation: false)
            },
            Client("leaf certificate", ".HDDDDD.") { PinnedCertificatesTrustEvaluator(certificates: [$0.leaf]) },
            Client("root certificate", ".HDDDDD.") { PinnedCertificatesTrustEvaluator(certificates: [$0.root.certificate]) },
            Client("unrelated certificate", "CHDDDDDC") { PinnedCertificatesTrustEvaluator(certificates: [$0.unrelated.certificate]) },
            Client("no certificates", "CHDDDDDC") { _ in
                PinnedCertificatesTrustEvaluator(certificates: [], acceptSelfSignedCertificates: true)
            },
            Client("leaf certificate as authority", ".HDD....") {
                PinnedCertificatesTrustEvaluator(certificates: [$0.leaf], acceptSelfSignedCertificates: true)
            },
            Client("leaf certificate as authority, without host", "..DD....") {
                PinnedCertificatesTrustEvaluator(certificates: [$0.leaf], acceptSelfSignedCertificates: true, validateHost: false)
            },
            Client("root as authority", ".HDDCCC.") {
                PinnedCertificatesTrustEvaluator(certificates: [$0.root.certificate], acceptSelfSignedCertificates: true)
            },
            Client("leaf certificate alone", ".H......") {
                PinnedCertificatesTrustEvaluator(certificates: [$0.leaf], performDefaultValidation: false)
            },
            Client("root certificate alone", "CHCCCCCC") {
                PinnedCertificatesTrustEvaluator(certificates: [$0.root.certificate], performDefaultValidation: false)
            },
            Client("disabled", "........") { _ in DisabledTrustEvaluator() },
            Client("own that accepts", ".HDDDDD.") { _ in OwnEvaluator { _ in } },
            Client("own that accepts all", "........") { _ in OwnEvaluator(requiresDefaultValidation: false) { _ in } },
            Client("own that throws", "UHDDDDDU") { _ in OwnEvaluator { _ in throw OwnRefusal() } },
            Client("own that verifies", ".HDDDDD.") { _ in OwnEvaluator(requiresDefaultValidation: false) { try $0.verify() } },
            Client("composite", "KHDDDDDK") { _ in
                CompositeTrustEvaluator(evaluators: [
                    DefaultTrustEvaluator(), OwnEvaluator { _ in }, try PublicKeysTrustEvaluator(pins: [TrustMatrix.strangePin]),
                ])
            },
            Client("composite of one's own", ".HDDDDD.") { _ in CompositeTrustEvaluator(evaluators: [OwnEvaluator { _ in }]) },
            Client("empty composite", "NNNNNNNN") { _ in CompositeTrustEvaluator(evaluators: []) },
            Client("none", "NNNNNNNN") { _ in nil },
            Client("none is required", ".TTTTTT.", allHosts: false) { _ in nil },
        ]

        static let strangePin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

        /// The letter of an outcome.
        static func letter(_ error: (any Error)?) -> Character {
            switch (error as? FirewheelError)?.kind {
            case nil: error == nil ? "." : "?"
            case .serverTrustEvaluationFailed(let reason):
                switch reason {
                case .noRequiredEvaluator: "N"
                case .defaultEvaluationFailed: "D"
                case .hostValidationFailed: "H"
                case .certificatePinningFailed: "C"
                case .publicKeyPinningFailed: "K"
                case .revocationCheckFailed: "R"
                case .customEvaluationFailed: "U"
                }
            case .transportFailed: "T"
            default: "?"
            }
        }
    }

    struct OwnRefusal: Error, CustomStringConvertible {
        var description: String { "not on the list" }
    }

    /// A user's evaluator.
    struct OwnEvaluator: ServerTrustEvaluating {
        let requiresDefaultValidation: Bool
        let wantsStapledResponse: Bool
        let body: @Sendable (ServerTrust) async throws -> Void

        init(
            requiresDefaultValidation: Bool = true, wantsStapledResponse: Bool = false,
            _ body: @escaping @Sendable (ServerTrust) async throws -> Void
        ) {
            self.requiresDefaultValidation = requiresDefaultValidation
            self.wantsStapledResponse = wantsStapledResponse
            self.body = body
        }

        func evaluate(_ trust: ServerTrust, forHost host: String) async throws { try await body(trust) }
    }
#endif
