/// What identical requests have in common that are under way at the same time: they would get the same response.
struct CacheFlight: Sendable, Hashable {
    private let target: String
    private let headers: HTTPHeaders
    private let decodesContent: Bool

    /// nil for a request whose response is not shared. Neither are those of requests whose caller decides how fast they arrive, because
    /// others would wait for it.
    init?(_ request: TransportRequest, _ asked: CacheRequest, _ use: CacheUse) {
        guard use.isDeduplicated, use.mode == .rules, request.method == .get, request.delivery == .whole, request.heldHeads != .all,
            asked.mayUseStored, asked.mayStore, !asked.asksServer
        else {
            return nil
        }
        target = request.target.string
        headers = request.headers
        decodesContent = request.decodesContent
    }

    static func == (left: CacheFlight, right: CacheFlight) -> Bool {
        left.target == right.target && left.decodesContent == right.decodesContent && left.headers.hasSameBytes(as: right.headers)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(target) }
}
