/// Calls a function of Firewheel's, and throws Alamofire's error in place of its own. Other errors stay as they are.
func throwingAFError<Value>(_ body: () throws -> Value) throws -> Value {
    do {
        return try body()
    } catch let error as FirewheelError {
        throw AFError(error)
    }
}
