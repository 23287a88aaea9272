import Foundation

extension Charset {
    /// Names from the IANA registry that are in use, and aliases that servers send, in lower case. On Linux `.macOSRoman` decodes as
    /// another encoding; its Core Foundation number does not.
    static let encodings: [String: String.Encoding] = [
        "utf-8": .utf8, "utf8": .utf8, "us-ascii": .ascii, "ascii": .ascii,
        "iso-8859-1": .isoLatin1, "latin1": .isoLatin1, "iso_8859-1": .isoLatin1, "iso8859-1": .isoLatin1, "l1": .isoLatin1,
        "iso-10646-ucs-2": .utf16, "unicode-1-1": .utf16, "utf-16": .utf16, "utf-16be": .utf16BigEndian, "utf-16le": .utf16LittleEndian,
        "utf-32": .utf32, "utf-32be": .utf32BigEndian, "utf-32le": .utf32LittleEndian,
        "iso-8859-2": .isoLatin2, "latin2": .isoLatin2, "iso-8859-3": .core(0x0203), "iso-8859-4": .core(0x0204),
        "iso-8859-5": .core(0x0205), "iso-8859-6": .core(0x0206), "iso-8859-7": .core(0x0207), "iso-8859-8": .core(0x0208),
        "iso-8859-9": .core(0x0209), "latin5": .core(0x0209), "iso-8859-10": .core(0x020A), "iso-8859-11": .core(0x020B),
        "iso-8859-13": .core(0x020D), "iso-8859-14": .core(0x020E), "iso-8859-15": .core(0x020F), "latin-9": .core(0x020F),
        "iso-8859-16": .core(0x0210),
        "windows-1250": .windowsCP1250, "windows-1251": .windowsCP1251, "cp1251": .windowsCP1251, "windows-1252": .windowsCP1252,
        "cp1252": .windowsCP1252, "windows-1253": .windowsCP1253, "windows-1254": .windowsCP1254, "windows-1255": .core(0x0505),
        "windows-1256": .core(0x0506), "windows-1257": .core(0x0507), "windows-1258": .core(0x0508), "windows-874": .core(0x041D),
        "koi8-r": .core(0x0A02), "koi8-u": .core(0x0A08), "macintosh": .core(0),
        "shift_jis": .shiftJIS, "shift-jis": .shiftJIS, "sjis": .shiftJIS, "windows-31j": .shiftJIS, "euc-jp": .japaneseEUC,
        "iso-2022-jp": .iso2022JP,
        // GB 18030 is a superset of the two older encodings, and is supported where they are not.
        "gb18030": .core(0x0632), "gbk": .core(0x0632), "gb2312": .core(0x0632),
        "big5": .core(0x0A03), "big5-hkscs": .core(0x0A06), "euc-kr": .core(0x0422), "ks_c_5601-1987": .core(0x0422),
    ]

    /// ASCII-compatible encodings that some platform's Foundation does not support: euc-jp on Linux.
    static let extendsASCII: Set<String.Encoding> = [.japaneseEUC]
}

extension String.Encoding {
    /// An encoding by its Core Foundation number (`CFStringEncodings`), which `String.Encoding` accepts with the highest bit set.
    fileprivate static func core(_ number: UInt) -> String.Encoding {
        String.Encoding(rawValue: 0x8000_0000 | number)
    }
}
