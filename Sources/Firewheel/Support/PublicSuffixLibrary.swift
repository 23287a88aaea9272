#if os(Linux)
    import CFirewheelSystem
#endif

/// The public suffixes (publicsuffix.org) known to libpsl. Answers are nil if there is no libpsl, as on Apple platforms, or if it has no
/// list.
///
/// Names are compared in lower case and in their form in a URL: international ones in Punycode.
enum PublicSuffixLibrary {
    /// Whether a host may set a cookie for this domain: its own name, or a parent domain that is not a public suffix.
    static func isCookieDomainAcceptable(host: String, domain: String) -> Bool? {
        guard isName(host), isName(domain) else { return false }
        #if os(Linux)
            return table.map { fwpsl_is_cookie_domain_acceptable($0.functions, lowercased(host), lowercased(domain)) }
        #else
            return nil
        #endif
    }

    /// Whether others may register names directly below this one. True for every single-label name.
    static func isPublicSuffix(_ domain: String) -> Bool? {
        guard isName(domain) else { return false }
        #if os(Linux)
            return table.map { fwpsl_is_public_suffix($0.functions, lowercased(domain)) }
        #else
            return nil
        #endif
    }

    /// A NUL would end the C string early, so that another name would be looked up.
    private static func isName(_ text: String) -> Bool { !text.isEmpty && !text.utf8.contains(0) }

    private static func lowercased(_ name: String) -> String {
        let isLowercase = name.utf8.allSatisfy { $0 == $0.asciiLowercased }
        return isLowercase ? name : String(decoding: name.utf8.map(\.asciiLowercased), as: UTF8.self)
    }

    #if os(Linux)
        private static let table: SystemLibraryTable? = {
            let library = SystemLibrary(soname: "libpsl.so.5", package: "libpsl5", leastVersion: "0.20.0")
            guard case .success(let table) = library.load({ fwpsl_load($0, 0x00_14_00, $1) }) else { return nil }
            return fwpsl_has_list(table.functions) ? table : nil
        }()
    #endif
}
