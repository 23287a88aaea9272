#if os(Linux)
    import CFirewheelSystem
    import Firewheel

    /// The system's libpng and TurboJPEG. Where one is missing, images in its format are an error that names it, unless they are to be
    /// delivered undecoded.
    struct ImageDecoder: Sendable {
        private let png: Result<SystemLibraryTable, SystemLibraryError>
        private let jpeg: Result<SystemLibraryTable, SystemLibraryError>

        /// Loaded on first use.
        static let system = ImageDecoder()

        /// Loads the libraries by their file names.
        init(png: String = "libpng16.so.16", jpeg: String = "libturbojpeg.so.0") {
            self.png = SystemLibrary(
                soname: png, package: "libpng16-16 on Debian and Ubuntu, libpng on Fedora and Alpine", leastVersion: "1.6"
            ).load { fwpng_load($0, $1) }
            self.jpeg = SystemLibrary(
                soname: jpeg, package: "libturbojpeg0 on Debian, libturbojpeg on Ubuntu and Alpine, turbojpeg on Fedora",
                leastVersion: "2.0"
            ).load { fwjpeg_load($0, $1) }
        }

        /// The format's library.
        func library(for format: ResponseImage.Format) -> Result<SystemLibraryTable, SystemLibraryError> {
            format == .png ? png : jpeg
        }

        /// Decodes a PNG or JPEG into RGBA pixels with premultiplied alpha.
        ///
        /// - Parameter pixels: Memory for width × height pixels of the header.
        func decode(_ data: Data, as header: ImageHeader, into pixels: UnsafeMutableRawBufferPointer) throws(ImageFailure) {
            let library: SystemLibraryTable
            switch self.library(for: header.format) {
            case .success(let table): library = table
            case .failure(let error): throw .libraryMissing(header.format, error)
            }
            var target = fwimage_target()
            target.pixels = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
            target.width = UInt32(clamping: header.width)
            target.height = UInt32(clamping: header.height)
            let isDecoded = data.withUnsafeBytes { bytes in
                header.format == .png
                    ? fwpng_decode(library.functions, bytes.baseAddress, bytes.count, &target)
                    : fwjpeg_decode(library.functions, bytes.baseAddress, bytes.count, &target)
            }
            guard isDecoded else { throw .corrupt(header.format, String(cString: fwimage_message(&target))) }
            // JPEG has no alpha.
            if header.format == .png { Premultiplication.apply(to: pixels) }
        }
    }
#endif
