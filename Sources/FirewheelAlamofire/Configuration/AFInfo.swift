/// What is known about the library.
public enum AFInfo {
    /// The version of Alamofire whose interface this module has. It is not the version of this module: the default `User-Agent` names that.
    public static let version = "5.12.0"
}
