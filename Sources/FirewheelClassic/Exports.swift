// One import is enough for code that had `import Alamofire`.
@_exported import Firewheel
