#if os(Linux)
    import CFirewheelSystem
    import Foundation

    extension CertificateFacts {
        convenience init(
            der: Data, library: Result<SystemLibraryTable, SystemLibraryError> = TLSLibrary.system
        ) throws(CertificateProblem) {
            let table: SystemLibraryTable
            switch library {
            case .success(let loaded): table = loaded
            case .failure(let error): throw .library(error)
            }
            var facts = fwtls_certificate()
            guard der.withUnsafeBytes({ fwtls_certificate_read(table.functions, $0.baseAddress, $0.count, &facts) }) else {
                throw .malformed
            }
            defer { fwtls_certificate_free(&facts) }
            try self.init(
                subject: String(decoding: facts.subject.copy, as: UTF8.self), issuer: String(decoding: facts.issuer.copy, as: UTF8.self),
                notBefore: Date(timeIntervalSince1970: TimeInterval(facts.not_before)),
                notAfter: Date(timeIntervalSince1970: TimeInterval(facts.not_after)), names: Self.names(facts.names.copy),
                serial: facts.serial.copy, isSerialNegative: facts.is_serial_negative, publicKey: facts.key.copy)
        }

        /// - Parameter packed: For each name its kind in a byte, its size in four, and its bytes.
        private static func names(_ packed: [UInt8]) -> [String] {
            var names: [String] = []
            var rest = packed[...]
            while let kind = rest.popFirst() {
                let size = rest.prefix(4).withUnsafeBytes { Int($0.loadUnaligned(as: UInt32.self)) }
                rest = rest.dropFirst(4)
                names.append(name(Array(rest.prefix(size)), isAddress: CInt(kind) == CInt(FWTLS_NAME_ADDRESS)))
                rest = rest.dropFirst(size)
            }
            return names
        }
    }

    extension fwtls_bytes {
        fileprivate var copy: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }
    }
#endif
