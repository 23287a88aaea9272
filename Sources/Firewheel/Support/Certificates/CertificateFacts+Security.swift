#if canImport(Security)
    import Foundation
    import Security

    extension CertificateFacts {
        /// Security decides whether it is a certificate. It cannot say everything on the oldest systems that are supported, so that
        /// ``CertificateReader`` reads the rest.
        convenience init(der: Data) throws(CertificateProblem) {
            guard SecCertificateCreateWithData(nil, der as CFData) != nil, let reader = CertificateReader(der: Array(der)) else {
                throw .malformed
            }
            try self.init(reader)
        }
    }
#endif
