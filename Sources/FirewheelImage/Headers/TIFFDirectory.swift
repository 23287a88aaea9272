/// The first directory of a TIFF file, which EXIF has too: TIFF 6.0, section 2.
struct TIFFDirectory {
    enum Tag: Int {
        case width = 0x100
        case height = 0x101
        case orientation = 0x112
    }

    private let bytes: ImageBytes
    private let isBig: Bool
    private let start: Int
    private let count: Int

    /// Returns nil if there is no directory.
    init?(_ bytes: ImageBytes) {
        isBig = bytes.has([0x4D, 0x4D, 0, 42])
        guard isBig || bytes.has([0x49, 0x49, 42, 0]) else { return nil }
        self.bytes = bytes
        guard let start = isBig ? bytes.big(4, at: 4) : bytes.little(4, at: 4),
            let count = isBig ? bytes.big(2, at: start) : bytes.little(2, at: start)
        else { return nil }
        self.start = start + 2
        self.count = count
    }

    /// The number of an entry of type SHORT or LONG, or nil if it has another type or is missing.
    func value(of tag: Tag) -> Int? {
        for index in 0..<count {
            let entry = start + index * 12
            guard let found = number(2, at: entry), let type = number(2, at: entry + 2) else { return nil }
            guard found == tag.rawValue else { continue }
            // The number of values, which has to be 1, is between the type and the value.
            guard number(4, at: entry + 4) == 1 else { return nil }
            switch type {
            case 3: return number(2, at: entry + 8)
            case 4: return number(4, at: entry + 8)
            default: return nil
            }
        }
        return nil
    }

    private func number(_ size: Int, at offset: Int) -> Int? {
        isBig ? bytes.big(size, at: offset) : bytes.little(size, at: offset)
    }
}
