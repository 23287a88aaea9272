import Foundation

extension CharacterSet {
    /// What stands in a query as it is, under Alamofire's name: what RFC 3986 lets stand there without a meaning of its own. These are
    /// letters and digits of ASCII, `-._~` (section 2.3), and `/` and `?` (section 3.4).
    public static let afURLQueryAllowed = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/?")
}

/// Percent-encoding byte by byte, which can split no character, however it is composed: what is read back are the same bytes.
struct FormEscaping: Sendable {
    /// For each byte whether it stands as it is.
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
