import Testing

@testable import Firewheel

@Suite struct PermessageDeflateTests {
    private typealias Refusal = PermessageDeflate.Refusal

    @Test func accepted() throws {
        #expect(try PermessageDeflate.accepted([], isOffered: true) == nil)
        #expect(try PermessageDeflate.accepted([], isOffered: false) == nil)
        #expect(try PermessageDeflate.accepted(["", " , "], isOffered: false) == nil)
        let plain = try #require(try PermessageDeflate.accepted(["permessage-deflate"], isOffered: true))
        #expect(plain.serverKeepsContext && plain.clientKeepsContext)
        #expect(plain.serverWindowBits == 15 && plain.clientWindowBits == 15)
        let full = [
            "permessage-deflate", "server_no_context_takeover ", " client_no_context_takeover", " server_max_window_bits = 8",
            "client_max_window_bits=\"9\"",
        ].joined(separator: ";")
        let parameters = try #require(try PermessageDeflate.accepted(["", full], isOffered: true))
        #expect(!parameters.serverKeepsContext && !parameters.clientKeepsContext)
        #expect(parameters.serverWindowBits == 8 && parameters.clientWindowBits == 9)
    }

    /// Section 7.1 of RFC 7692: the client must fail the connection.
    @Test(arguments: [
        (["permessage-deflate", "permessage-deflate"], "permessage-deflate twice"),
        (["permessage-deflate, permessage-deflate"], "permessage-deflate twice"),
        (["x-webkit-deflate-frame"], "the extension \"x-webkit-deflate-frame\", which was not offered"),
        (["permessage-deflate, other"], "the extension \"other\", which was not offered"),
        (["permessage-deflate; other"], "permessage-deflate with the invalid parameter \"other\""),
        (["permessage-deflate;"], "permessage-deflate with the invalid parameter \"\""),
        (
            ["permessage-deflate; server_no_context_takeover; server_no_context_takeover"],
            "permessage-deflate with \"server_no_context_takeover\" twice"
        ),
        (
            ["permessage-deflate; server_no_context_takeover=1"],
            "permessage-deflate with the invalid parameter \"server_no_context_takeover=1\""
        ),
        (["permessage-deflate; client_max_window_bits"], "permessage-deflate with the invalid parameter \"client_max_window_bits\""),
        (["permessage-deflate; server_max_window_bits"], "permessage-deflate with the invalid parameter \"server_max_window_bits\""),
        (["permessage-deflate; server_max_window_bits=7"], "permessage-deflate with \"server_max_window_bits\" of \"7\""),
        (["permessage-deflate; server_max_window_bits=16"], "permessage-deflate with \"server_max_window_bits\" of \"16\""),
        (["permessage-deflate; server_max_window_bits=08"], "permessage-deflate with \"server_max_window_bits\" of \"08\""),
        (["permessage-deflate; server_max_window_bits=+9"], "permessage-deflate with \"server_max_window_bits\" of \"+9\""),
        (["permessage-deflate; server_max_window_bits="], "permessage-deflate with \"server_max_window_bits\" of \"\""),
        (["permessage-deflate; client_max_window_bits=\"1,2\""], "permessage-deflate with \"client_max_window_bits\" of \"1,2\""),
    ])
    func refused(_ values: [String], _ reason: String) {
        #expect(throws: Refusal(reason: reason)) { try PermessageDeflate.accepted(values, isOffered: true) }
    }

    @Test func notOffered() {
        #expect(throws: Refusal(reason: "the extension \"permessage-deflate\", which was not offered")) {
            try PermessageDeflate.accepted(["permessage-deflate"], isOffered: false)
        }
    }
}
