import Foundation

// Destinations that take the name of the file from the response.
extension DownloadRequest {
    /// A destination in a folder, under the name that the server suggests, made safe: see `HTTPURLResponse.safeFilename`.
    ///
    /// If the name is taken, the file is numbered: `report.pdf`, `report (2).pdf`. Downloads at the same time never get the same name. With
    /// `.removePreviousFile` the file of that name is replaced instead.
    ///
    /// ```swift
    /// session.download("https://example.com/report", to: DownloadRequest.destination(in: folder))
    /// ```
    public static func destination(in folder: URL, options: Options = []) -> Destination {
        { _, response in
            (folder.appendingPathComponent(response.safeFilename, isDirectory: false), options.union(.numberTakenName))
        }
    }

    /// A destination in a folder of the system, such as the user's documents, under the name that the server suggests: see
    /// ``destination(in:options:)``. On Linux the folder may not exist without `.createIntermediateDirectories`. If the system has none,
    /// the file stays where it is.
    public static func suggestedDownloadDestination(
        for directory: FileManager.SearchPathDirectory = .documentDirectory,
        in domain: FileManager.SearchPathDomainMask = .userDomainMask, options: Options = []
    ) -> Destination {
        guard let folder = FileManager.default.urls(for: directory, in: domain).first else { return { url, _ in (url, options) } }
        return destination(in: folder, options: options)
    }
}
