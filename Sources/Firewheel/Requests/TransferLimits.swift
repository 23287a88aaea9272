/// The limiters of a transfer in each direction.
struct TransferLimits: Sendable {
    var upload: [RateLimiter] = []
    var download: [RateLimiter] = []

    init() {}

    init(_ bandwidth: Bandwidth) {
        upload = RateLimiter(bandwidth.upload).map { [$0] } ?? []
        download = RateLimiter(bandwidth.download).map { [$0] } ?? []
    }

    /// Both limits apply.
    func adding(_ other: TransferLimits) -> TransferLimits {
        var sum = self
        sum.upload += other.upload
        sum.download += other.download
        return sum
    }

    var isEmpty: Bool { upload.isEmpty && download.isEmpty }
}
