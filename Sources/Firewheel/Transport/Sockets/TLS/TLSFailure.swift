#if os(Linux)
    /// Why a TLS connection cannot be made, or has failed.
    indirect enum TLSFailure: Error, Sendable, Equatable {
        /// The system has no usable OpenSSL 3.
        case library(SystemLibraryError)
        /// The certificates of authorities cannot be read.
        case store(String)
        /// The session's `tls` cannot be used.
        case configuration(String)
        /// No certificate can have the host's name.
        case hostName
        case outOfMemory
        /// The server's certificate is not trusted.
        case certificate(TLSFinding)
        /// The server has sent a list of certificates that is empty or malformed.
        case noCertificates
        /// The verdict that was asked for.
        case refused(TransportError)
        /// The server sent a fatal alert (RFC 8446 section 6).
        case alert(Int)
        /// The server has answered with something else.
        case notTLS
        /// The server wants a version before the least one of the client.
        case oldVersion
        /// The server has sent a message that does not belong here.
        case unexpectedMessage
        /// A message of the handshake is larger than OpenSSL takes.
        case largeMessage
        /// The server has chosen a protocol that was not offered (RFC 7301 section 3.2).
        case unofferedProtocol(String)
        /// An extension that the server has sent is not valid. Newer releases of OpenSSL report an unoffered protocol as this.
        case badExtension
        /// The connection ended in the handshake.
        case closed
        /// `send` or `recv` failed with this errno.
        case connection(Int32)
        /// Anything else, in OpenSSL's words.
        case other(String)
    }

    /// What the verification of a certificate chain has found.
    struct TLSFinding: Sendable, Equatable {
        /// `X509_V_ERR_…`
        var result: Int
        /// OpenSSL's words for it.
        var text = ""
        /// The place of the certificate concerned in the chain: 0 is the server's own.
        var depth = 0
        /// The number of certificates that the server has sent.
        var presented = 0
        /// About the certificate concerned. Empty if it is not known.
        var subject = ""
        var issuer = ""
        var notBefore = ""
        var notAfter = ""
    }

    extension TLSFailure {
        /// From OpenSSL's error.
        ///
        /// - Parameter reason: A reason of libssl; 0 for one of another library.
        init(reason: Int, text: String) {
            switch reason {
            // SSL_R_HTTPS_PROXY_REQUEST, SSL_R_HTTP_REQUEST, SSL_R_PACKET_LENGTH_TOO_LONG, SSL_R_UNKNOWN_PROTOCOL,
            // SSL_R_WRONG_VERSION_NUMBER and SSL_R_BAD_RECORD_TYPE.
            case 155, 156, 198, 252, 267, 443: self = .notTLS
            // SSL_R_UNSUPPORTED_PROTOCOL and SSL_R_WRONG_SSL_VERSION.
            case 258, 266: self = .oldVersion
            // SSL_R_BAD_EXTENSION
            case 110: self = .badExtension
            // SSL_R_UNEXPECTED_MESSAGE
            case 244: self = .unexpectedMessage
            // SSL_R_EXCESSIVE_MESSAGE_SIZE
            case 152: self = .largeMessage
            // SSL_AD_REASON_OFFSET
            case 1000..<1256: self = .alert(reason - 1000)
            default: self = .other(text.isEmpty ? "unknown error" : text)
            }
        }
    }
#endif
