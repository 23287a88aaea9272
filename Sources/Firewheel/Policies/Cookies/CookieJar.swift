import Dispatch
import Foundation

/// Cookies, kept by the rules of RFC 6265bis, in memory or in a file too. It may be used from any thread, and by several sessions at once.
///
/// What the rules refuse is not stored, silently, as browsers do: `Documentation/Usage/Cookies.md` has the limits. A jar with a file writes
/// it on a thread of the library's own after each change, several changes at once where they come quickly; ``flush()`` waits for that. Two
/// jars on one file do not see each other's cookies: the last to write wins, with all of its own.
public final class CookieJar: Sendable {
    private struct State: Sendable {
        var store = CookieStore()
        /// Whether there is something that the file does not have.
        var isDirty = false
        /// Whether a write has been put on the queue that will see what is there now.
        var isScheduled = false
    }

    private let state: Locked<State>
    private let rules: CookieRules
    private let now: @Sendable () -> Date
    private let file: CookieFile?
    private let queue = WorkerQueue()

    /// An empty jar in memory.
    public convenience init() {
        self.init(suffixes: .system)
    }

    /// A jar whose cookies are those of a file, and are written to it when they change. Session cookies are among them, and are still there
    /// in the next run.
    ///
    /// - Parameter file: The file's URL; its folder is there already. If there is no file the jar is empty, and the file is made with its
    ///   first change. It may be read by its owner only (mode 0600), and is replaced as a whole. What it looks like is in
    ///   `Documentation/Usage/Cookies.md`.
    /// - Throws: ``FirewheelError`` of kind `cookieFileFailed`, if something is there that cannot be read, is no jar's, is cut off, is a
    ///   directory or a symbolic link. It is left as it is.
    public convenience init(file: URL) throws {
        try self.init(file: file, suffixes: .system)
    }

    init(suffixes: PublicSuffixes, now: @escaping @Sendable () -> Date = { Date() }) {
        state = Locked(State())
        rules = CookieRules(suffixes: suffixes)
        self.now = now
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
    }

    // MARK: Reading

    /// All cookies that have not expired, the oldest first.
    public var cookies: [Cookie] {
        let instant = now()
        return state.withLock { $0.store.cookies(at: instant) }
    }

    /// The cookies that a request to a URL would send, in their order: longer paths first, then the older ones.
    ///
    /// - Parameter url: Absolute, http or https; for any other there are none.
    public func cookies(for url: URL) -> [Cookie] {
        TargetURI(url.absoluteString).map(cookies) ?? []
    }

    func cookies(for target: TargetURI) -> [Cookie] {
        let (target, instant) = (CookieTarget(target), now())
        return state.withLock { $0.store.cookies(for: target, now: instant) }
    }

    /// Found out without making anything.
    var isEmpty: Bool { state.withLock { $0.store.count == 0 } }

    // MARK: Changing

    /// Stores a cookie, in the place of one with the same name, domain and path. One that has expired only removes that.
    ///
    /// - Returns: Whether the cookie is one that can be kept. If not the jar is as it was: for a control character or `;` in name or value,
    ///   `=` in the name, more than 4,096 bytes, a domain that is no host name or, for all hosts below it, a public suffix; for
    ///   `SameSite=None`, and for the prefixes `__Secure-` and `__Host-`, without what they ask for.
    @discardableResult
    public func store(_ cookie: Cookie) -> Bool {
        let instant = now()
        guard let checked = rules.checked(cookie, now: instant) else { return false }
        change { $0.store([checked], isSecure: true, now: instant) }
        return true
    }

    /// Stores what a server sets. Fields that RFC 6265bis refuses are left out.
    ///
    /// - Parameters:
    ///   - setCookieFields: The values of the `Set-Cookie` fields, one cookie each, as `response.headers.values(for: "Set-Cookie")` has
    ///     them.
    ///   - url: Where the response came from: absolute, http or https; else nothing is stored.
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

    /// Removes the cookie with the same name, domain and path, whatever its value, if there is one.
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

    /// - Parameter body: Returns whether anything is other than before.
    private func change(_ body: (inout CookieStore) -> Bool) {
        let needsWrite = state.withLock { state in
            guard body(&state.store), file != nil else { return false }
            state.isDirty = true
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        // The queue keeps the jar until its cookies are written.
        if needsWrite { queue.async { try? self.write() } }
    }

    // MARK: The file

    /// Waits until all that has changed so far is in the file. A jar in memory has nothing to do.
    ///
    /// - Throws: ``FirewheelError`` of kind `cookieFileFailed(.writeFailed)`, if it cannot be written. The jar has its cookies still.
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

    /// On the queue, so that a later state is never replaced by an earlier one.
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
    /// How many cookies there are, and none of them.
    public var description: String { "CookieJar(\(cookies.count) cookies)" }

    /// Nothing of what it is made of, which holds credentials.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .class) }
}
