import FirewheelTesting
import Foundation

@testable import Firewheel

/// The server side of Digest, written from RFC 7616. It shares only the hash functions with the library.
///
/// It is strict: an `Authorization` field that violates section 3.4 gets a 400 with the reason. Any thread may use it.
///
/// ```swift
/// let digest = DigestServer(users: ["Mufasa": "Circle of Life"])
/// server.route("/private") { digest.answer($0) { _ in .text("secret") } }
/// ```
final class DigestServer: Sendable {
    struct Options: Sendable {
        var realm = "a \"quoted\" realm, with a comma"
        /// One challenge for each, in this order.
        var algorithms = ["SHA-256"]
        /// As written in the challenge; nil for RFC 2069.
        var qop: String? = "auth"
        var opaque: String? = "5ccc069c403ebaf9f0171e9517f40e41"
        var domain: String?
        var userhash = false
        /// Whether the challenge has `charset=UTF-8`.
        var charset = false
        /// How many answers a nonce accepts before it is stale.
        var nonceUses = Int.max
        /// Whether all challenges have the same nonce, as from servers that derive it from the time.
        var sharesNonce = false
        /// Whether each accepted answer gets a nextnonce.
        var sendsNextNonce = false
        /// Whether an accepted answer gets an rspauth.
        var sendsResponseAuth = false
        /// Makes the rspauth wrong.
        var spoilsResponseAuth = false
    }

    enum Verdict: Sendable, Equatable {
        /// With the value of `Authentication-Info` without rspauth, and the input of rspauth.
        case accepted(user: String, info: [String])
        /// There was no answer, or a wrong one.
        case refused
        /// The answer was right, but its nonce is unknown or used up.
        case stale
        /// The answer was right, but its nonce count has been used before.
        case replayed
        /// The field is malformed.
        case malformed(String)
    }

    /// The number of answers by verdict.
    struct Counts: Sendable, Equatable {
        var accepted = 0
        var refused = 0
        var stale = 0
        var replayed = 0
        var malformed: [String] = []
    }

    private struct Nonce {
        var usedCounts: Set<String> = []
        /// H(A1) of a -sess algorithm, from the first answer on.
        var sessionKey: String?
    }

    private struct State {
        var nonces: [String: Nonce] = [:]
        var issued = 0
        var counts = Counts()
    }

    private let users: [String: String]
    private let options: Options
    private let state = Locked(State())

    init(users: [String: String], _ options: Options = Options()) {
        self.users = users
        self.options = options
    }

    var counts: Counts { state.withLock { $0.counts } }

    /// Forgets all nonces, as a restart does.
    func forgetNonces() { state.withLock { $0.nonces = [:] } }

    // MARK: - As a route

    /// The response of `make` with `Authentication-Info` if the answer is right, else a 401 with challenges.
    ///
    /// - Parameter isProxy: Whether the server stands for a proxy, with a 407 and the fields of one. Basic is then a wrong answer.
    func answer(_ request: RecordedRequest, isProxy: Bool = false, _ make: (RecordedRequest) -> MockResponse) -> MockResponse {
        let prefix = isProxy ? "Proxy-" : ""
        let given = request.headerValues("\(prefix)Authorization").first
        let field = isProxy && given?.hasPrefix("Basic ") == true ? nil : given
        let (status, challenge) = isProxy ? (407, "Proxy-Authenticate") : (401, "WWW-Authenticate")
        switch judge(method: request.method, target: request.target, authorization: field, body: request.body) {
        case .accepted(_, let info):
            var response = make(request)
            var info = info
            if options.sendsResponseAuth, let field, let proof = responseAuth(to: field, body: response.body) { info.append(proof) }
            if !info.isEmpty { response.headers.append(("\(prefix)Authentication-Info", info.joined(separator: ", "))) }
            return response
        case .malformed(let reason): return MockResponse(status: 400, body: Data(reason.utf8))
        case .refused: return MockResponse(status: status, headers: challenges(stale: false).map { (challenge, $0) })
        case .stale, .replayed: return MockResponse(status: status, headers: challenges(stale: true).map { (challenge, $0) })
        }
    }

    /// The `WWW-Authenticate` values of a 401, with a new nonce.
    func challenges(stale: Bool) -> [String] {
        let shared = options.sharesNonce ? state.withLock { $0.nonces.keys.first } : nil
        let nonce = shared ?? issueNonce(sessionKey: nil)
        return options.algorithms.map { algorithm in
            var parts = ["realm=\(Self.quoted(options.realm))", "nonce=\"\(nonce)\"", "algorithm=\(algorithm)"]
            if let qop = options.qop { parts.append("qop=\"\(qop)\"") }
            if let opaque = options.opaque { parts.append("opaque=\(Self.quoted(opaque))") }
            if let domain = options.domain { parts.append("domain=\"\(domain)\"") }
            if options.userhash { parts.append("userhash=true") }
            if options.charset { parts.append("charset=UTF-8") }
            if stale { parts.append("stale=true") }
            return "Digest " + parts.joined(separator: ", ")
        }
    }

    private func issueNonce(sessionKey: String?) -> String {
        state.withLock { state in
            state.issued += 1
            let nonce = "nonce-\(state.issued)-\(UInt32.random(in: .min ... .max))=="
            state.nonces[nonce] = Nonce(sessionKey: sessionKey)
            return nonce
        }
    }

    // MARK: - Verifying

    func judge(method: String, target: String, authorization: String?, body: Data) -> Verdict {
        var verdict = Verdict.refused
        do throws(DigestField.Broken) {
            if let authorization { verdict = try check(authorization, method: method, target: target, body: body) }
        } catch {
            verdict = .malformed(error.reason)
        }
        let final = verdict
        state.withLock { state in
            switch final {
            case .accepted: state.counts.accepted += 1
            case .refused: state.counts.refused += 1
            case .stale: state.counts.stale += 1
            case .replayed: state.counts.replayed += 1
            case .malformed(let reason): state.counts.malformed.append(reason)
            }
        }
        return final
    }

    private func check(_ field: String, method: String, target: String, body: Data) throws(DigestField.Broken) -> Verdict {
        let answer = try DigestField(field)
        let algorithm = answer.values["algorithm"] ?? "MD5"
        guard options.algorithms.contains(algorithm) || (answer.values["algorithm"] == nil && options.algorithms == ["MD5"]) else {
            throw DigestField.Broken("the algorithm \(algorithm) was not offered")
        }
        guard answer.values["opaque"] == options.opaque else { throw DigestField.Broken("opaque is not the one of the challenge") }
        guard answer.values["uri"] == target else { throw DigestField.Broken("the uri is not the request's target \(target)") }
        guard answer.values["realm"] == options.realm else { throw DigestField.Broken("the realm is not the one of the challenge") }
        guard (answer.values["userhash"] == "true") == options.userhash else { throw DigestField.Broken("userhash is not as offered") }
        let offered = options.qop.map { $0.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } }
        guard answer.values["qop"].map({ offered?.contains($0) == true }) ?? (offered == nil) else {
            throw DigestField.Broken("the qop was not offered")
        }
        guard let user = try name(in: answer, algorithm), let password = users[user] else { return .refused }

        let nonce = answer.values["nonce"] ?? ""
        var keyed = Self.hash("\(user):\(options.realm):\(password)", algorithm)
        let known = state.withLock { $0.nonces[nonce] }
        if algorithm.hasSuffix("-sess") {
            keyed = known?.sessionKey ?? Self.hash("\(keyed):\(nonce):\(answer.values["cnonce"] ?? "")", algorithm)
        }
        let covered = answer.values["qop"] == "auth-int" ? ":" + Self.hash(body, algorithm) : ""
        guard answer.values["response"] == answer.response(keyed, "\(method):\(target)\(covered)", algorithm) else { return .refused }

        let count = answer.values["nc"]
        let verdict = state.withLock { state -> Verdict? in
            guard var known = state.nonces[nonce], known.usedCounts.count < options.nonceUses else { return .stale }
            if let count, !known.usedCounts.insert(count).inserted { return .replayed }
            if algorithm.hasSuffix("-sess"), known.sessionKey == nil { known.sessionKey = keyed }
            state.nonces[nonce] = known
            return nil
        }
        if let verdict { return verdict }
        let next = options.sendsNextNonce ? issueNonce(sessionKey: algorithm.hasSuffix("-sess") ? keyed : nil) : nil
        return .accepted(user: user, info: next.map { ["nextnonce=\"\($0)\""] } ?? [])
    }

    /// The user named by an answer in one of three forms; nil for an unknown user.
    private func name(in answer: DigestField, _ algorithm: String) throws(DigestField.Broken) -> String? {
        if let extended = answer.values["username*"] {
            guard extended.hasPrefix("UTF-8''"), let name = extended.dropFirst(7).removingPercentEncoding else {
                throw DigestField.Broken("username* is not in the form of RFC 8187")
            }
            return name
        }
        let name = answer.values["username"] ?? ""
        return options.userhash ? users.keys.first { Self.hash("\($0):\(options.realm)", algorithm) == name } : name
    }

    /// The rspauth for a correct answer, with its parameters.
    func responseAuth(to field: String, body: Data) -> String? {
        guard let answer = try? DigestField(field), let qop = answer.values["qop"] else { return nil }
        let algorithm = answer.values["algorithm"] ?? "MD5"
        guard let user = try? name(in: answer, algorithm), let password = users[user] else { return nil }
        var keyed = Self.hash("\(user):\(options.realm):\(password)", algorithm)
        if algorithm.hasSuffix("-sess") {
            guard let key = state.withLock({ $0.nonces[answer.values["nonce"] ?? ""]?.sessionKey }) else { return nil }
            keyed = key
        }
        let covered = qop == "auth-int" ? ":" + Self.hash(body, algorithm) : ""
        let proof = answer.response(keyed, ":\(answer.values["uri"] ?? "")\(covered)", algorithm)
        return "rspauth=\"\(options.spoilsResponseAuth ? String(proof.reversed()) : proof)\", qop=\(qop), "
            + "cnonce=\"\(answer.values["cnonce"] ?? "")\", nc=\(answer.values["nc"] ?? "")"
    }

    // MARK: - Parts

    static func hash(_ bytes: Data, _ algorithm: String) -> String {
        let function: HashAlgorithm =
            switch algorithm.replacingOccurrences(of: "-sess", with: "") {
            case "SHA-256": .sha256
            case "SHA-512-256": .sha512t256
            default: .md5
            }
        return ((try? function.hash(bytes)) ?? []).map { String(format: "%02x", $0) }.joined()
    }

    static func hash(_ text: String, _ algorithm: String) -> String { hash(Data(text.utf8), algorithm) }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"") + "\""
    }
}
