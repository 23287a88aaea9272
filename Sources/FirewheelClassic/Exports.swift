// A single import replaces `import Alamofire`.
@_exported import Firewheel
