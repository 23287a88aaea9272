import Dispatch
import Foundation

/// Stores cookies by the rules of RFC 6265bis, in memory and optionally in a file. Safe to use from any thread, and by several sessions.
///
/// Invalid cookies are silently ignored, as in browsers; `Documentation/Usage/Cookies.md` lists the limits. A jar with a file writes it on
/// a library thread after changes, combining those in quick succession; ``flush()`` waits for that. Two jars with the same file do not see
/// each other's cookies: the last one to write wins.
public final class CookieJar: Sendable {
    private struct State: Sendable {
        var store = CookieStore()
        /// Whether there are unwritten changes.
        var isDirty = false
        /// Whether a write is scheduled that will include the current changes.
        var isScheduled = false
    }

    private let state: Locked<State>
    private let rules: CookieRules
    private let now: @Sendable () -> Date
    private let file: CookieFile?
    /// Keeps the cookies in another place as well; nil for none.
    let mirror: (any CookieMirror)?
    private let queue = WorkerQueue()

    /// Creates an empty jar in memory.
    public convenience init() {
        self.init(suffixes: .system)
    }

    /// Creates a jar that loads its cookies from a file and writes changes to it. This includes session cookies, which are still there in
    /// the next run.
    ///
    /// - Parameter file: The file's URL, in an existing folder. If it does not exist, the jar is empty and the first change creates it. The
    ///   file is readable by its owner only (mode 0600) and replaced atomically. Its format is described in
    ///   `Documentation/Usage/Cookies.md`.
    /// - Throws: ``FirewheelError`` of kind `cookieFileFailed` if the file is unreadable, truncated, not a jar's, a directory or a symbolic
    ///   link. It is left unchanged.
    public convenience init(file: URL) throws {
        try self.init(file: file, suffixes: .system)
    }

    /// Creates a jar in memory whose cookies are kept in another place as well.
    package convenience init(mirror: any CookieMirror) {
        self.init(suffixes: .system, mirror: mirror)
    }

    init(suffixes: PublicSuffixes, mirror: (any CookieMirror)? = nil, now: @escaping @Sendable () -> Date = { Date() }) {
        state = Locked(State())
        rules = CookieRules(suffixes: suffixes)
        self.now = now
        self.mirror = mirror
        file = nil
    }

    init(file url: URL, suffixes: PublicSuffixes, now: @escaping @Sendable () -> Date = { Date() }) throws {
        let file = try CookieFile(url)
        let rules = CookieRules(suffixes: suffixes)
        let instant = now()
        var initial = State()
        _ = initial.store.store(try file.read().compactMap { rules.checked($0, now: instant) }, isSecure: true, now: instant)
        state = Locked(initial)
        self.rules = rules
        self.now = now
        self.file = file
        mirror = nil
    }

    // MARK: Reading

    /// All cookies that have not expired, oldest first.
    public var cookies: [Cookie] {
        let instant = now()
        return state.withLock { $0.store.cookies(at: instant) }
    }

    /// The cookies that a request to a URL would send, in order: longer paths first, then older ones.
    ///
    /// - Parameter url: An absolute http or https URL; for any other there are none.
    public func cookies(for url: URL) -> [Cookie] {
        TargetURI(url.absoluteString).map(cookies) ?? []
    }

    func cookies(for target: TargetURI) -> [Cookie] {
        let (target, instant) = (CookieTarget(target), now())
        return state.withLock { $0.store.cookies(for: target, now: instant) }
    }

    /// Whether there are no cookies, without any allocation.
    var isEmpty: Bool { state.withLock { $0.store.count == 0 } }

    // MARK: Changing

    /// Stores a cookie, replacing one with the same name, domain and path. An expired one only removes that.
    ///
    /// - Returns: Whether the cookie is valid. If not, the jar is unchanged. Invalid are a control character or `;` in name or value, `=`
    ///   in the name, more than 4,096 bytes, a domain that is not a host name or, unless host-only, is a public suffix, and `SameSite=None`
    ///   and the prefixes `__Secure-` and `__Host-` without what they require.
    @discardableResult
    public func store(_ cookie: Cookie) -> Bool {
        let instant = now()
        guard let checked = rules.checked(cookie, now: instant) else { return false }
        change { $0.store([checked], isSecure: true, now: instant) }
        return true
    }

    /// Stores the cookies of a response. Fields that RFC 6265bis rejects are ignored.
    ///
    /// - Parameters:
    ///   - setCookieFields: The values of the `Set-Cookie` fields, one cookie each, as in `response.headers.values(for: "Set-Cookie")`.
    ///   - url: The response's URL: absolute, http or https; otherwise nothing is stored.
    public func store(_ setCookieFields: [String], from url: URL) {
        guard let target = TargetURI(url.absoluteString) else { return }
        store(setCookieFields, from: target)
    }

    func store(_ setCookieFields: [String], from target: TargetURI) {
        let (target, instant) = (CookieTarget(target), now())
        let cookies = setCookieFields.compactMap { field in
            SetCookie(FieldOctets.received(field)).flatMap { rules.cookie($0, from: target, now: instant) }
        }
        guard !cookies.isEmpty else { return }
        change { $0.store(cookies, isSecure: target.isSecure, now: instant) }
    }

    /// Removes the cookie with the same name, domain and path, regardless of its value.
    public func remove(_ cookie: Cookie) {
        change { $0.remove(cookie) }
    }

    /// Removes all cookies.
    public func removeAll() {
        change { store in
            defer { store = CookieStore() }
            return store.count > 0
        }
    }

    /// - Parameter body: Returns whether anything changed.
    private func change(_ body: (inout CookieStore) -> Bool) {
        let needsWrite = state.withLock { state in
            guard body(&state.store), file != nil else { return false }
            state.isDirty = true
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        // The queue retains the jar until its cookies are written.
        if needsWrite { queue.async { try? self.write() } }
    }

    // MARK: The file

    /// Waits until all changes so far are written to the file. Does nothing without a file.
    ///
    /// - Throws: ``FirewheelError`` of kind `cookieFileFailed(.writeFailed)` if it cannot be written. The jar keeps its cookies.
    public func flush() throws {
        guard file != nil else { return }
        let done = DispatchSemaphore(value: 0)
        let failure = Locked<(any Error)?>(nil)
        queue.async {
            do {
                try self.write()
            } catch {
                failure.withLock { $0 = error }
            }
            done.signal()
        }
        done.wait()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    /// Runs on the queue, so that an older state never replaces a newer one.
    private func write() throws {
        queue.assertIsCurrent()
        let instant = now()
        let cookies: [Cookie]? = state.withLock { state in
            state.isScheduled = false
            defer { state.isDirty = false }
            return state.isDirty ? state.store.cookies(at: instant) : nil
        }
        guard let cookies, let file else { return }
        do {
            try file.write(cookies)
        } catch {
            state.withLock { $0.isDirty = true }
            throw error
        }
    }
}

extension CookieJar: CustomStringConvertible, CustomReflectable {
    /// The number of cookies, without the cookies.
    public var description: String { "CookieJar(\(cookies.count) cookies)" }

    /// Empty: the jar contains credentials.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .class) }
}
