/// The part of a stored body that a `Range` field asks for (RFC 9110 section 14.1.2).
struct StoredRange {
    let range: Range<Int>
    private let total: Int

    /// nil unless the field asks for one part in bytes, which the stored response has.
    init?(_ field: String, of entry: CacheEntry) {
        let total = entry.body.count
        guard entry.response.head.statusCode == 200, !entry.response.head.headers.contains(name: "Content-Encoding"), total > 0,
            field.hasPrefix("bytes=")
        else { return nil }
        let bounds = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2 else { return nil }
        let numbers = bounds.map { DeltaSeconds.isDigits($0) ? Int($0) : nil }
        switch (numbers[0], numbers[1]) {
        case (let first?, let last?) where first <= last && first < total: range = first..<min(last, total - 1) + 1
        case (let first?, nil) where bounds[1].isEmpty && first < total: range = first..<total
        case (nil, let count?) where bounds[0].isEmpty && count > 0: range = max(0, total - count)..<total
        default: return nil
        }
        self.total = total
    }

    /// The head of the response with the part.
    func head(of complete: ResponseHead) -> ResponseHead {
        var head = complete
        head.statusCode = 206
        head.headers.update(name: "Content-Length", value: "\(range.count)")
        head.headers.update(name: "Content-Range", value: "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)")
        return head
    }
}
