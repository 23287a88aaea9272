import Foundation

extension CharacterSet {
    /// The characters that are not percent-encoded in a query, under Alamofire's name: those that RFC 3986 allows there without a reserved
    /// meaning, that is ASCII letters and digits, `-._~` (section 2.3), and `/` and `?` (section 3.4).
    public static let afURLQueryAllowed = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/?")
}

/// Percent-encodes byte by byte, which is independent of Unicode normalization: decoding restores the same bytes.
struct FormEscaping: Sendable {
    /// Whether each byte is left unencoded.
    private let isAllowed: [Bool]
    private let space: URLEncodedFormEncoder.SpaceEncoding

    init(allowed: CharacterSet, space: URLEncodedFormEncoder.SpaceEncoding) {
        isAllowed = (UInt8.min...UInt8.max).map { $0 < 0x80 && $0 != UInt8(ascii: " ") && allowed.contains(Unicode.Scalar($0)) }
        self.space = space
    }

    func append(_ text: String, to output: inout [UInt8]) {
        for byte in text.utf8 {
            if isAllowed[Int(byte)] {
                output.append(byte)
            } else if byte == UInt8(ascii: " "), space == .plusReplaced {
                output.append(UInt8(ascii: "+"))
            } else {
                output.append(UInt8(ascii: "%"))
                output.append(Self.hexadecimal[Int(byte >> 4)])
                output.append(Self.hexadecimal[Int(byte & 0xF)])
            }
        }
    }

    private static let hexadecimal = Array("0123456789ABCDEF".utf8)
}
