/// The `Cookie` field that RFC 6265bis requires for the enabled cases in which it differs from RFC 6265.
enum Expected {
    static let changed = namelessCookies.merging(emptyDomains) { first, _ in first }

    /// A cookie without a name is kept, and its value is sent alone (section 5.6, step 3, and section 5.8.3, step 6).
    private static let namelessCookies = [
        "0004": "foo", "0021": "a=b; x; c=d", "0023": "foo", "0024": "foo", "0025": "foo", "0026": "foo", "0027": "bar", "0028": "foo",
        "CHROMIUM0009": "BLAHHH", "CHROMIUM0010": #""BLA\"HHH""#, "CHROMIUM0012": "ABC",
        "MOZILLA0012": #"test="fubar! = foo; five"#, "MOZILLA0014": "six", "MOZILLA0015": "seven", "MOZILLA0016": "eight",
        "MOZILLA0017": "eight; test=six",
        "NAME0017": "a=bar", "NAME0023": "foo", "NAME0025": "==a=bar", "NAME0028": "a", "NAME0031": #""foo"#, "NAME0032": #""foo\"bar"#,
        "NAME0033": "aaa",
    ]

    /// An empty Domain attribute counts as the last one (sections 5.6.3 and 5.7, step 7): the cookie is for its host.
    private static let emptyDomains = ["OPTIONAL_DOMAIN0042": "foo=bar"]
}
