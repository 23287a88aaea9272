#if os(Linux)
    import CFirewheelSystem
    import Foundation
    import Glibc

    /// Lends several pieces of data to a C function at once.
    enum BorrowedPieces {
        static func with<Result>(_ data: [Data], _ body: (UnsafeBufferPointer<fwtls_piece>) -> Result) -> Result {
            let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: data.reduce(1) { $0 + $1.count })
            defer {
                // One of them may be a key.
                if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
                bytes.deallocate()
            }
            var place = 0
            let pieces = data.map { piece in
                let room = UnsafeMutableBufferPointer(rebasing: bytes[place..<place + piece.count])
                place += piece.copyBytes(to: room)
                return fwtls_piece(start: UnsafePointer(room.baseAddress), count: room.count)
            }
            return pieces.withUnsafeBufferPointer(body)
        }
    }
#endif
