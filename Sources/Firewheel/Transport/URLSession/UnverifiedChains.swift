#if !os(Linux)
    import Foundation

    // Verifying a chain over Security is not written yet, so that evaluators trust nobody. URLSessionTransport asks them nothing.

    extension Certificate {
        func isFor(_ host: String) -> Bool { false }
    }

    extension ServerTrust {
        func failure(with authorities: [Certificate]) -> (reason: FirewheelError.ServerTrustFailureReason, error: TransportError)? {
            (.defaultEvaluationFailed, .failed(.serverCertificateUntrusted, "this system cannot verify the certificate of \(host) yet"))
        }

        func revocationProblem(lists: [Data], _ requiresStapledResponse: Bool) -> String? { "this system cannot check revocation yet" }
    }
#endif
