import Foundation

extension Charset {
    /// Encodings by the labels of the WHATWG Encoding standard (section 4.2) and by IANA names that it does not have, in lower case.
    ///
    /// Where that standard reads a label as another encoding, the one that the label names is taken, as Foundation does: `iso-8859-1` is
    /// not windows-1252, and `utf-16` is big-endian unless a mark says otherwise. The standard's `replacement` and `x-user-defined` are not
    /// here: they are no text.
    static let encodings: [String: String.Encoding] = {
        var encodings: [String: String.Encoding] = [:]
        for (encoding, labels) in labels {
            for label in labels.split(separator: " ") { encodings[String(label)] = encoding }
        }
        return encodings
    }()

    private static let labels: [(String.Encoding, String)] = [
        (.utf8, "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8"),
        (.utf16, "utf-16 unicode-1-1 iso-10646-ucs-2 ucs-2 unicode csunicode"), (.utf16BigEndian, "utf-16be unicodefffe"),
        (.utf16LittleEndian, "utf-16le unicodefeff"), (.utf32, "utf-32"), (.utf32BigEndian, "utf-32be"), (.utf32LittleEndian, "utf-32le"),
        (.ascii, "us-ascii ascii ansi_x3.4-1968"),
        (.isoLatin1, "iso-8859-1 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 iso-ir-100 csisolatin1 latin1 l1 cp819 ibm819"),
        (.isoLatin2, "iso-8859-2 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 iso-ir-101 csisolatin2 latin2 l2"),
        (.core(0x0203), "iso-8859-3 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 iso-ir-109 csisolatin3 latin3 l3"),
        (.core(0x0204), "iso-8859-4 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 iso-ir-110 csisolatin4 latin4 l4"),
        (.core(0x0205), "iso-8859-5 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988 iso-ir-144 csisolatincyrillic cyrillic"),
        (
            .core(0x0206),
            "iso-8859-6 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987 iso-8859-6-e iso-8859-6-i iso-ir-127 csiso88596e csiso88596i "
                + "csisolatinarabic arabic asmo-708 ecma-114"
        ),
        (
            .core(0x0207),
            "iso-8859-7 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 iso-ir-126 csisolatingreek greek greek8 ecma-118 elot_928 sun_eu_greek"
        ),
        (
            .core(0x0208),
            "iso-8859-8 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 iso-8859-8-e iso-8859-8-i iso-ir-138 csiso88598e csiso88598i "
                + "csisolatinhebrew hebrew visual logical"
        ),
        (.core(0x0209), "iso-8859-9 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 iso-ir-148 csisolatin5 latin5 l5"),
        (.core(0x020A), "iso-8859-10 iso8859-10 iso885910 iso-ir-157 csisolatin6 latin6 l6"),
        (.core(0x020B), "iso-8859-11 iso8859-11 iso885911 tis-620"), (.core(0x020D), "iso-8859-13 iso8859-13 iso885913"),
        (.core(0x020E), "iso-8859-14 iso8859-14 iso885914"),
        (.core(0x020F), "iso-8859-15 iso8859-15 iso885915 iso_8859-15 csisolatin9 latin-9 l9"), (.core(0x0210), "iso-8859-16"),
        (.windowsCP1250, "windows-1250 cp1250 x-cp1250"), (.windowsCP1251, "windows-1251 cp1251 x-cp1251"),
        (.windowsCP1252, "windows-1252 cp1252 x-cp1252"), (.windowsCP1253, "windows-1253 cp1253 x-cp1253"),
        (.windowsCP1254, "windows-1254 cp1254 x-cp1254"), (.core(0x0505), "windows-1255 cp1255 x-cp1255"),
        (.core(0x0506), "windows-1256 cp1256 x-cp1256"), (.core(0x0507), "windows-1257 cp1257 x-cp1257"),
        (.core(0x0508), "windows-1258 cp1258 x-cp1258"), (.core(0x041D), "windows-874 dos-874"),
        (.core(0x041B), "ibm866 866 cp866 csibm866"), (.core(0x0A02), "koi8-r koi koi8 koi8_r cskoi8r"), (.core(0x0A08), "koi8-u koi8-ru"),
        // On Linux `.macOSRoman` decodes as another encoding; its Core Foundation number does not.
        (.core(0), "macintosh mac x-mac-roman csmacintosh"), (.core(7), "x-mac-cyrillic x-mac-ukrainian"),
        (.shiftJIS, "shift_jis shift-jis sjis x-sjis windows-31j ms932 ms_kanji csshiftjis"),
        (.japaneseEUC, "euc-jp x-euc-jp cseucpkdfmtjapanese"), (.iso2022JP, "iso-2022-jp csiso2022jp"),
        // GB 18030 is a superset of the two older encodings, and is supported where they are not.
        (.core(0x0632), "gb18030 gbk x-gbk gb2312 gb_2312 gb_2312-80 csgb2312 csiso58gb231280 iso-ir-58 chinese"),
        (.core(0x0A03), "big5 cn-big5 csbig5 x-x-big5"), (.core(0x0A06), "big5-hkscs"),
        (
            .core(0x0422),
            "euc-kr windows-949 ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 iso-ir-149 korean cseuckr csksc56011987"
        ),
    ]

    /// ASCII-compatible encodings that some platform lacks: EUC-JP where the C library of a Linux has no table of it.
    static let extendsASCII: Set<String.Encoding> = [.japaneseEUC]
}

extension String.Encoding {
    /// An encoding by its Core Foundation number (`CFStringEncodings`), which `String.Encoding` accepts with the highest bit set.
    fileprivate static func core(_ number: UInt) -> String.Encoding {
        String.Encoding(rawValue: 0x8000_0000 | number)
    }
}
