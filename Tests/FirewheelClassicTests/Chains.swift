// These chains are unchanged from existing programs.
// swift-format-ignore-file

import FirewheelClassic

class PlainClient {
    let urlString: String

    init(_ urlString: String) {
        self.urlString = urlString
    }

    func chain() {
        SessionManager.default.request(urlString).response { (response) in
            print("\(response)")
        }.responseJSON { (jsonResponse) in
            print(jsonResponse)
        }
    }

    func serializer() {
        SessionManager.default.request(urlString).response(
            responseSerializer: DataResponseSerializer<String>.init(serializeResponse: {
                (request, response, data, error) -> Result<String> in
                print("raw: \(String(describing: response ?? nil))")
                return .success("done")
            })
        ) { (dataResponse) in
            print("\(dataResponse)")
        }
    }
}

@MainActor
class ViewController {
    let urlString: String

    init(_ urlString: String) {
        self.urlString = urlString
    }

    func chain() {
        SessionManager.default.request(urlString).response { (response) in
            print("\(response)")
        }.responseJSON { (jsonResponse) in
            print(jsonResponse)
        }
    }

    func serializer() {
        SessionManager.default.request(urlString).response(
            responseSerializer: DataResponseSerializer<String>.init(serializeResponse: {
                (request, response, data, error) -> Result<String> in
                print("raw: \(String(describing: response ?? nil))")
                return .success("done")
            })
        ) { (dataResponse) in
            print("\(dataResponse)")
        }
    }
}

func chain(_ urlString: String) async throws {
    SessionManager.default.request(urlString).response { (response) in
        print("\(response)")
    }.responseJSON { (jsonResponse) in
        print(jsonResponse)
    }
}

func serializer(_ urlString: String) async throws {
    SessionManager.default.request(urlString).response(
        responseSerializer: DataResponseSerializer<String>.init(serializeResponse: { (request, response, data, error) -> Result<String> in
            print("raw: \(String(describing: response ?? nil))")
            return .success("done")
        })
    ) { (dataResponse) in
        print("\(dataResponse)")
    }
}
