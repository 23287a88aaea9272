// A single import replaces `import Alamofire`. Without the members of Firewheel's own types, which many names here stand for, Swift 6 with
// `MemberImportVisibility` would not see what they can do.
@_exported import Firewheel
