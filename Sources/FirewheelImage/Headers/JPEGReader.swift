/// Reads the structure of JPEG: ITU-T T.81, annex B.
enum JPEGReader {
    /// The start of the image and of the first marker.
    static let signature: [UInt8] = [0xFF, 0xD8, 0xFF]

    private enum Marker {
        static let restarts = 0xD0...0xD7
        static let startOfImage = 0xD8
        static let endOfImage = 0xD9
        static let startOfScan = 0xDA
        static let application1 = 0xE1
        static let temporary = 0x01

        /// Frame headers: C0 to CF without DHT (C4), JPG (C8) and DAC (CC).
        static func isFrame(_ marker: Int) -> Bool {
            0xC0...0xCF ~= marker && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
        }
    }

    /// A marker and the segment behind it, which is empty for markers without one.
    private struct Segment {
        let marker: Int
        /// Where the content begins, behind the length.
        let offset: Int
        let count: Int
        var end: Int { offset + count }
    }

    private static func segment(_ bytes: ImageBytes, at start: Int) throws(ImageFailure) -> Segment {
        guard let first = bytes.byte(at: start) else { throw .corrupt(.jpeg, ImageFailure.ending) }
        guard first == 0xFF else { throw .corrupt(.jpeg, "a marker is missing") }
        var offset = start + 1
        // Any number of FF bytes may come before a marker.
        while bytes.byte(at: offset) == 0xFF { offset += 1 }
        guard let marker = bytes.byte(at: offset) else { throw .corrupt(.jpeg, ImageFailure.ending) }
        guard marker != 0 else { throw .corrupt(.jpeg, "a marker is missing") }
        offset += 1
        switch marker {
        case Marker.restarts, Marker.startOfImage, Marker.endOfImage, Marker.temporary:
            return Segment(marker: marker, offset: offset, count: 0)
        default:
            guard let length = bytes.big(2, at: offset) else { throw .corrupt(.jpeg, ImageFailure.ending) }
            guard length >= 2 else { throw .corrupt(.jpeg, "a segment has no length") }
            guard offset + length <= bytes.count else { throw .corrupt(.jpeg, ImageFailure.ending) }
            return Segment(marker: marker, offset: offset + 2, count: length - 2)
        }
    }

    /// Reads the first frame header and the EXIF orientation in front of it.
    static func header(_ bytes: ImageBytes) throws(ImageFailure) -> ImageHeader {
        var offset = 2
        var orientation: Orientation?
        while true {
            let segment = try segment(bytes, at: offset)
            switch segment.marker {
            case Marker.application1 where orientation == nil:
                orientation = Self.orientation(bytes.part(from: segment.offset, count: segment.count))
            case Marker.startOfImage, Marker.startOfScan, Marker.endOfImage: throw .corrupt(.jpeg, "it has no frame header")
            case let marker where Marker.isFrame(marker):
                guard segment.count >= 6, let depth = bytes.byte(at: segment.offset), let height = bytes.big(2, at: segment.offset + 1),
                    let width = bytes.big(2, at: segment.offset + 3), let components = bytes.byte(at: segment.offset + 5)
                else { throw .corrupt(.jpeg, "its frame header is too short") }
                // SOF0 to SOF2 are baseline, extended and progressive Huffman coding. Four components are CMYK or YCCK.
                let isDecodable = marker <= 0xC2 && depth == 8 && (components == 1 || components == 3)
                return ImageHeader(
                    format: .jpeg, width: width, height: height, orientation: orientation ?? .up, isDecodable: isDecodable)
            default: break
            }
            offset = segment.end
        }
    }

    /// The orientation in an APP1 segment: EXIF's is a TIFF file behind six bytes.
    private static func orientation(_ segment: ImageBytes) -> Orientation? {
        guard segment.has("Exif\0") else { return nil }
        let directory = TIFFDirectory(segment.part(from: 6, count: segment.count))
        return directory?.value(of: .orientation).flatMap(Orientation.init)
    }

    /// The most pixels for which a byte is enough: Huffman codes have at least one bit for each block of 8 × 8 samples, and with the
    /// largest sampling factors, 4 × 4, a sample stands for 16 pixels.
    private static let maximumRatio = 8 * 8 * 8 * 16

    /// The most scans of an image that is decoded: TurboJPEG's own limit, which versions before 2.1 do not have. A scan of a few bytes can
    /// take as long as the whole image.
    private static let maximumScans = 500

    /// Checks that the image ends with its marker, that it has enough data for its size, and that it has no more scans than allowed.
    static func checkContent(_ bytes: ImageBytes, pixelCount: Int) throws(ImageFailure) {
        guard pixelCount / maximumRatio <= bytes.count else { throw .corrupt(.jpeg, "it has too little data for its size") }
        var offset = 2
        var scans = 0
        while true {
            let segment = try segment(bytes, at: offset)
            if segment.marker == Marker.endOfImage { return }
            offset = segment.end
            guard segment.marker == Marker.startOfScan else { continue }
            scans += 1
            guard scans <= maximumScans else { throw .corrupt(.jpeg, "it has more than \(maximumScans) scans") }
            offset = endOfScan(bytes, from: offset)
        }
    }

    /// The next marker behind entropy-coded data, in which FF is followed by 0 or by a restart marker's code.
    private static func endOfScan(_ bytes: ImageBytes, from start: Int) -> Int {
        var offset = start
        while let found = bytes.first(0xFF, from: offset) {
            guard let next = bytes.byte(at: found + 1), next == 0 || next == 0xFF || Marker.restarts ~= next else { return found }
            // An FF behind an FF may itself be the first byte of a marker.
            offset = next == 0xFF ? found + 1 : found + 2
        }
        return bytes.count
    }
}
