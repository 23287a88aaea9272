#if !os(Linux)
    import Foundation

    /// Client certificates over Security, which are not built yet.
    final class ClientKey: Sendable {
        let chain: [Certificate] = []

        init(_ certificates: [Certificate], key: Data, isDER: Bool, passphrase: String?) throws(ClientKeyProblem) {
            throw ClientKeyProblem(reason: .unsupported, detail: "client certificates are supported on Linux only")
        }

        init(pkcs12: Data, passphrase: String) throws(ClientKeyProblem) {
            throw ClientKeyProblem(reason: .unsupported, detail: "client certificates are supported on Linux only")
        }
    }
#endif
