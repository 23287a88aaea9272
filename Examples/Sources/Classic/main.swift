// The chains are written exactly as in existing programs.
// swift-format-ignore-file
import FirewheelClassic
import FirewheelTesting

// Alamofire 4's spelling at the top level of a program, against a server that it starts itself:
//
//     swift run --package-path Examples classic

let server = try MockServer()
server.route("/*") { _ in .json(#"{"name":"Firewheel"}"#) }
let urlString = server.url("/user")

SessionManager.default.request(urlString).response { (response) in
    print("\(response)")
}.responseJSON { (jsonResponse) in
    print(jsonResponse)
}

SessionManager.default.request(urlString).response(responseSerializer: DataResponseSerializer<String>.init(serializeResponse: { (request, response, data, error) -> Result<String> in
    print("raw: \(String(describing: response ?? nil))")
    return .success("done")
})) { (dataResponse) in
    print("\(dataResponse)")
}

FirewheelClassic.request(urlString, parameters: ["page": 2]).validate().responseString { response in
    print(response.result.value ?? "no value")
    // Gives the other requests time to finish.
    DispatchQueue.main.asyncAfter(deadline: .now() + 1) { exit(response.result.isSuccess ? 0 : 1) }
}

// Handlers run on the main queue, which nothing drains at the end of a program without this.
dispatchMain()
