/// Media types of files.
enum MIMEType {
    /// The media type of files with an extension; `application/octet-stream` if it is not known.
    static func ofFile(extension name: String) -> String {
        table[name.lowercased()] ?? "application/octet-stream"
    }

    /// Common types, as registered by IANA; those that start with `x-` are not, but usual.
    private static let table: [String: String] = [
        "aac": "audio/aac", "apk": "application/vnd.android.package-archive", "avi": "video/x-msvideo", "avif": "image/avif",
        "bin": "application/octet-stream", "bmp": "image/bmp", "bz2": "application/x-bzip2", "css": "text/css", "csv": "text/csv",
        "doc": "application/msword", "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "eot": "application/vnd.ms-fontobject", "epub": "application/epub+zip", "flac": "audio/flac",
        "geojson": "application/geo+json", "gif": "image/gif", "gpx": "application/gpx+xml", "gz": "application/gzip",
        "heic": "image/heic", "heif": "image/heif", "htm": "text/html", "html": "text/html", "icns": "image/icns",
        "ico": "image/vnd.microsoft.icon", "ics": "text/calendar", "jar": "application/java-archive", "jpeg": "image/jpeg",
        "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json", "jsonld": "application/ld+json",
        "jxl": "image/jxl", "kml": "application/vnd.google-earth.kml+xml", "log": "text/plain",
        "m3u8": "application/vnd.apple.mpegurl", "m4a": "audio/mp4", "m4v": "video/x-m4v", "md": "text/markdown",
        "mid": "audio/midi", "midi": "audio/midi", "mjs": "text/javascript", "mkv": "video/x-matroska", "mov": "video/quicktime",
        "mp3": "audio/mpeg", "mp4": "video/mp4", "mpeg": "video/mpeg", "mpg": "video/mpeg", "ndjson": "application/x-ndjson",
        "odp": "application/vnd.oasis.opendocument.presentation", "ods": "application/vnd.oasis.opendocument.spreadsheet",
        "odt": "application/vnd.oasis.opendocument.text", "oga": "audio/ogg", "ogg": "audio/ogg", "ogv": "video/ogg",
        "opus": "audio/ogg", "otf": "font/otf", "p12": "application/x-pkcs12", "pdf": "application/pdf",
        "pem": "application/x-pem-file", "plist": "application/xml", "png": "image/png", "ppt": "application/vnd.ms-powerpoint",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation", "ps": "application/postscript",
        "rar": "application/vnd.rar", "rtf": "application/rtf", "sh": "application/x-sh", "sqlite": "application/vnd.sqlite3",
        "svg": "image/svg+xml", "tar": "application/x-tar", "tif": "image/tiff", "tiff": "image/tiff", "toml": "application/toml",
        "ts": "video/mp2t", "tsv": "text/tab-separated-values", "ttf": "font/ttf", "txt": "text/plain", "vcf": "text/vcard",
        "wasm": "application/wasm", "wav": "audio/wav", "weba": "audio/webm", "webm": "video/webm", "webp": "image/webp",
        "woff": "font/woff", "woff2": "font/woff2", "xhtml": "application/xhtml+xml", "xls": "application/vnd.ms-excel",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xml": "application/xml",
        "xz": "application/x-xz", "yaml": "application/yaml", "yml": "application/yaml", "zip": "application/zip",
        "zst": "application/zstd", "7z": "application/x-7z-compressed",
    ]
}
