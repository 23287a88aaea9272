// swift-format-ignore-file: ReplaceForEachWithForLoop, OnlyOneTrailingClosureArgument
#if swift(>=6.0)
    // The programs of `TutorialsInSwift5.swift` with the changes that Swift 6 mode asks for.
    import FirewheelClassic

    // MARK: 1. JSON from a GET with parameters and headers

    @MainActor
    class PhotoTagger {
        let baseURL: String
        init(baseURL: String) { self.baseURL = baseURL }

        func downloadTags(contentID: String, completion: @escaping ([String]?) -> Void) {
            Alamofire.request(
                baseURL + "/tagging", parameters: ["content": contentID], headers: ["Authorization": "Basic eHh4"]
            )
            .responseJSON { response in
                guard response.result.isSuccess,
                    let value = response.result.value as? [String: Any],
                    let rows = value["results"] as? [[String: Any]]
                else {
                    completion(nil)
                    return
                }
                completion(rows.compactMap { dict in dict["tag"] as? String })
            }
        }
    }

    // MARK: 2. Validation and a switch over the result

    @MainActor
    class WeatherClient {
        let baseURL: String
        init(baseURL: String) { self.baseURL = baseURL }

        func currentTemperature(in city: String, completion: @escaping (Result<Double>) -> Void) {
            let parameters: Parameters = ["q": city, "units": "metric"]
            Alamofire.request("\(baseURL)/weather", method: .get, parameters: parameters, encoding: URLEncoding.default)
                .validate(statusCode: 200..<300)
                .validate(contentType: ["application/json"])
                .responseJSON { response in
                    switch response.result {
                    case .success(let value):
                        let main = (value as? [String: Any])?["main"] as? [String: Any]
                        completion(.success(main?["temp"] as? Double ?? 0))
                    case .failure(let error):
                        completion(.failure(error))
                    }
                }
        }
    }

    // MARK: 3. A POST of JSON with a dictionary of headers

    @MainActor
    class LoginService {
        let baseURL: String
        init(baseURL: String) { self.baseURL = baseURL }

        func login(name: String, password: String, completion: @escaping (_ token: String?, _ error: Error?) -> Void) {
            let body: [String: Any] = ["user": ["name": name, "password": password], "remember": true]
            var headers: [String: String] = ["Accept": "application/json"]
            headers["X-Client"] = "iOS"
            Alamofire.request(baseURL + "/login", method: .post, parameters: body, encoding: JSONEncoding.default, headers: headers)
                .validate()
                .responseJSON { response in
                    if let error = response.error {
                        completion(nil, error)
                        return
                    }
                    let json = response.result.value as? [String: Any]
                    completion(json?["token"] as? String, nil)
                }
        }
    }

    // MARK: 4. A handler on a queue of its own

    @MainActor
    class ReportReader {
        let baseURL: String
        init(baseURL: String) { self.baseURL = baseURL }

        func countLines(completion: @escaping @MainActor (Int) -> Void) {
            let utilityQueue = DispatchQueue.global(qos: .utility)
            Alamofire.request(baseURL + "/report.txt").responseString(queue: utilityQueue) { response in
                let lines = (response.result.value ?? "").components(separatedBy: "\n")
                DispatchQueue.main.async {
                    completion(lines.count)
                }
            }
        }
    }

    // MARK: 5. A download with a destination and progress

    @MainActor
    class PictureDownload {
        let baseURL: String
        let folder: URL
        var fraction = 0.0
        init(baseURL: String, folder: URL) {
            self.baseURL = baseURL
            self.folder = folder
        }

        func start(completion: @escaping (URL?) -> Void) {
            let fileURL = folder.appendingPathComponent("pig.png")
            let destination: DownloadRequest.DownloadFileDestination = { _, _ in
                return (fileURL, [.removePreviousFile, .createIntermediateDirectories])
            }
            Alamofire.download(baseURL + "/image/png", to: destination)
                .downloadProgress { progress in
                    self.fraction = progress.fractionCompleted
                }
                .response { response in
                    guard response.error == nil else {
                        completion(nil)
                        return
                    }
                    completion(response.destinationURL)
                }
        }
    }

    // MARK: 6. A download that is cancelled and resumed

    @MainActor
    class ImageRequestor {
        private var resumeData: Data?
        private var image: Data?

        func fetchImage(from url: String, completion: @escaping (Data?) -> Void) {
            guard image == nil else {
                completion(image)
                return
            }
            let request: DownloadRequest
            if let resumeData = resumeData {
                request = Alamofire.download(resumingWith: resumeData)
            } else {
                request = Alamofire.download(url)
            }
            request.responseData { response in
                switch response.result {
                case .success(let data):
                    self.image = data
                case .failure:
                    self.resumeData = response.resumeData
                }
                completion(self.image)
            }
        }
    }

    // MARK: 7. An upload of data with progress

    @MainActor
    class TextUpload {
        let baseURL: String
        var sent: Int64 = 0
        init(baseURL: String) { self.baseURL = baseURL }

        func send(_ text: String, completion: @escaping (DataResponse<Any>) -> Void) {
            let data = text.data(using: .utf8)!
            Alamofire.upload(data, to: baseURL + "/post", method: .put, headers: ["Content-Type": "text/plain"])
                .uploadProgress { progress in
                    self.sent = progress.completedUnitCount
                }
                .downloadProgress(queue: DispatchQueue.main) { progress in
                    assert(progress.completedUnitCount >= 0)
                }
                .responseJSON { response in
                    completion(response)
                }
        }
    }

    // MARK: 8. An upload of a multipart form

    @MainActor
    class FormUpload {
        let baseURL: String
        init(baseURL: String) { self.baseURL = baseURL }

        func send(image: Data, parameters: [String: String], completion: @escaping (String?, Error?) -> Void) {
            Alamofire.upload(
                multipartFormData: { multipartFormData in
                    multipartFormData.append(image, withName: "imagefile", fileName: "image.jpg", mimeType: "image/jpeg")
                    for (key, value) in parameters {
                        multipartFormData.append(value.data(using: .utf8)!, withName: key)
                    }
                },
                to: baseURL + "/content",
                headers: ["Authorization": "Basic eHh4"],
                encodingCompletion: { encodingResult in
                    switch encodingResult {
                    case .success(let upload, _, _):
                        upload.validate()
                        upload.responseString { response in
                            completion(response.result.value, response.result.error)
                        }
                    case .failure(let encodingError):
                        completion(nil, encodingError)
                    }
                })
        }
    }

    // MARK: 9. A router

    enum UserRouter: URLRequestConvertible {
        case createUser(parameters: Parameters)
        case readUser(username: String)
        case updateUser(username: String, parameters: Parameters)
        case destroyUser(username: String)

        static let baseURLString = "https://example.com"

        var method: HTTPMethod {
            switch self {
            case .createUser:
                return .post
            case .readUser:
                return .get
            case .updateUser:
                return .put
            case .destroyUser:
                return .delete
            }
        }

        var path: String {
            switch self {
            case .createUser:
                return "/users"
            case .readUser(let username):
                return "/users/\(username)"
            case .updateUser(let username, _):
                return "/users/\(username)"
            case .destroyUser(let username):
                return "/users/\(username)"
            }
        }

        func asURLRequest() throws -> URLRequest {
            let url = try UserRouter.baseURLString.asURL()

            var urlRequest = URLRequest(url: url.appendingPathComponent(path))
            urlRequest.httpMethod = method.rawValue

            switch self {
            case .createUser(let parameters):
                urlRequest = try JSONEncoding.default.encode(urlRequest, with: parameters)
            case .updateUser(_, let parameters):
                urlRequest = try URLEncoding.default.encode(urlRequest, with: parameters)
            default:
                break
            }

            return urlRequest
        }
    }

    // MARK: 10. An adapter with an access token

    final class AccessTokenAdapter: RequestAdapter {
        private let accessToken: String
        private let prefix: String

        init(accessToken: String, prefix: String) {
            self.accessToken = accessToken
            self.prefix = prefix
        }

        func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
            var urlRequest = urlRequest

            if let urlString = urlRequest.url?.absoluteString, urlString.hasPrefix(prefix) {
                urlRequest.setValue("Bearer " + accessToken, forHTTPHeaderField: "Authorization")
            }

            return urlRequest
        }
    }

    // MARK: 11. An adapter and retrier that refreshes its token

    final class OAuth2Handler: RequestAdapter, RequestRetrier, @unchecked Sendable {
        private typealias RefreshCompletion = @Sendable (_ succeeded: Bool, _ accessToken: String?) -> Void

        private let sessionManager: SessionManager = {
            let configuration = URLSessionConfiguration.default
            configuration.httpAdditionalHeaders = SessionManager.defaultHTTPHeaders

            return SessionManager(configuration: configuration)
        }()

        private let lock = NSLock()

        private var baseURLString: String
        private var accessToken: String

        private var isRefreshing = false
        private var requestsToRetry: [RequestRetryCompletion] = []

        public init(baseURLString: String, accessToken: String) {
            self.baseURLString = baseURLString
            self.accessToken = accessToken
        }

        func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
            lock.lock()
            defer { lock.unlock() }
            if let urlString = urlRequest.url?.absoluteString, urlString.hasPrefix(baseURLString) {
                var urlRequest = urlRequest
                urlRequest.setValue("Bearer " + accessToken, forHTTPHeaderField: "Authorization")
                return urlRequest
            }

            return urlRequest
        }

        func should(
            _ manager: SessionManager, retry request: Request, with error: Error, completion: @escaping RequestRetryCompletion
        ) {
            lock.lock()
            defer { lock.unlock() }

            if let response = request.task?.response as? HTTPURLResponse, response.statusCode == 401 {
                requestsToRetry.append(completion)

                if !isRefreshing {
                    refreshTokens { [weak self] succeeded, accessToken in
                        guard let strongSelf = self else { return }

                        strongSelf.lock.lock()
                        defer { strongSelf.lock.unlock() }

                        if let accessToken = accessToken {
                            strongSelf.accessToken = accessToken
                        }

                        strongSelf.requestsToRetry.forEach { $0(succeeded, 0.0) }
                        strongSelf.requestsToRetry.removeAll()
                    }
                }
            } else {
                completion(false, 0.0)
            }
        }

        private func refreshTokens(completion: @escaping RefreshCompletion) {
            guard !isRefreshing else { return }

            isRefreshing = true

            let urlString = "\(baseURLString)/oauth2/token"
            let parameters: [String: Any] = ["access_token": accessToken, "grant_type": "refresh_token"]

            sessionManager.request(urlString, method: .post, parameters: parameters, encoding: JSONEncoding.default)
                .responseJSON { [weak self] response in
                    guard let strongSelf = self else { return }

                    if let json = response.result.value as? [String: Any], let accessToken = json["access_token"] as? String {
                        completion(true, accessToken)
                    } else {
                        completion(false, nil)
                    }

                    strongSelf.isRefreshing = false
                }
        }
    }

    // MARK: 12. Generic response objects

    enum BackendError: Error {
        case network(error: Error)
        case jsonSerialization(error: Error)
        case objectSerialization(reason: String)
    }

    protocol ModelSerializable: SendableMetatype {
        init?(response: HTTPURLResponse, representation: Any)
    }

    extension DataRequest {
        @discardableResult
        func responseModel<T: ModelSerializable>(
            queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DataResponse<T>) -> Void
        ) -> Self {
            let responseSerializer = DataResponseSerializer<T> { request, response, data, error in
                guard error == nil else { return .failure(BackendError.network(error: error!)) }

                let jsonResponseSerializer = DataRequest.jsonResponseSerializer(options: .allowFragments)
                let result = jsonResponseSerializer.serializeResponse(request, response, data, nil)

                guard case .success(let jsonObject) = result else {
                    return .failure(BackendError.jsonSerialization(error: result.error!))
                }

                guard let response = response, let responseObject = T(response: response, representation: jsonObject) else {
                    return .failure(BackendError.objectSerialization(reason: "JSON could not be serialized: \(jsonObject)"))
                }

                return .success(responseObject)
            }

            return response(queue: queue, responseSerializer: responseSerializer, completionHandler: completionHandler)
        }
    }

    struct Member: ModelSerializable {
        let username: String
        let name: String

        init?(response: HTTPURLResponse, representation: Any) {
            guard
                let username = response.url?.lastPathComponent,
                let representation = representation as? [String: Any],
                let name = representation["name"] as? String
            else { return nil }

            self.username = username
            self.name = name
        }
    }

    func loadMember(_ url: String, completion: @escaping @Sendable (Member?) -> Void) {
        Alamofire.request(url).responseModel { (response: DataResponse<Member>) in
            completion(response.result.value)
        }
    }

    // MARK: 13. A shared manager with a configuration

    @MainActor
    class APIManager {
        static let sharedManager: SessionManager = {
            let configuration = URLSessionConfiguration.default
            configuration.timeoutIntervalForRequest = 20
            var defaultHeaders = Alamofire.SessionManager.defaultHTTPHeaders
            defaultHeaders["X-App"] = "Tutorial"
            configuration.httpAdditionalHeaders = defaultHeaders
            let manager = Alamofire.SessionManager(configuration: configuration)
            manager.startRequestsImmediately = false
            return manager
        }()

        func ping(_ url: String, completion: @escaping (Int?) -> Void) {
            let request = APIManager.sharedManager.request(url).response { response in
                completion(response.response?.statusCode)
            }
            request.resume()
        }
    }

    // MARK: 14. Authentication

    @MainActor
    class AccountClient {
        let baseURL: String
        init(baseURL: String) { self.baseURL = baseURL }

        func statusWithChallenge(user: String, password: String, completion: @escaping (Int?) -> Void) {
            let credential = URLCredential(user: user, password: password, persistence: .none)
            Alamofire.request("\(baseURL)/basic-auth")
                .authenticate(usingCredential: credential)
                .responseString { response in
                    completion(response.response?.statusCode)
                }
        }

        func statusWithHeader(user: String, password: String, completion: @escaping (Int?) -> Void) {
            var headers: HTTPHeaders = [:]
            if let authorizationHeader = Request.authorizationHeader(user: user, password: password) {
                headers[authorizationHeader.key] = authorizationHeader.value
            }
            Alamofire.request("\(baseURL)/header-auth", headers: headers)
                .authenticate(user: user, password: password)
                .response { response in
                    completion(response.response?.statusCode)
                }
        }
    }

    // MARK: 15. A validation of the body

    enum ServiceError: Error {
        case refused(String)
    }

    extension DataRequest {
        func validateService() -> Self {
            return validate { request, response, data in
                guard let data = data, let text = String(data: data, encoding: .utf8) else { return .success }
                guard !text.hasPrefix("error:") else { return .failure(ServiceError.refused(text)) }
                return .success
            }
        }
    }

    @MainActor
    func checkService(_ url: String, completion: @escaping (Error?) -> Void) {
        Alamofire.request(url).validateService().responseString { response in
            if let error = response.error as? AFError {
                completion(error.underlyingError)
            } else {
                completion(response.error)
            }
        }
    }

    // MARK: 16. An encoding of one's own

    struct JSONStringArrayEncoding: ParameterEncoding {
        private let array: [String]

        init(array: [String]) {
            self.array = array
        }

        func encode(_ urlRequest: URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
            var urlRequest = try urlRequest.asURLRequest()

            let data = try JSONSerialization.data(withJSONObject: array, options: [])

            if urlRequest.value(forHTTPHeaderField: "Content-Type") == nil {
                urlRequest.setValue("application/json", forHTTPHeaderField: "Content-Type")
            }

            urlRequest.httpBody = data

            return urlRequest
        }
    }

    @MainActor
    func sendNames(_ names: [String], to url: String, completion: @escaping (String?) -> Void) {
        Alamofire.request(url, method: .post, encoding: JSONStringArrayEncoding(array: names)).responseString { response in
            completion(response.value)
        }
    }

    // MARK: 17. A table of posts

    @MainActor
    class PostsModel {
        var posts: [String] = []
        var onChange: (() -> Void)?

        func reload(from url: URLConvertible) {
            Alamofire.request(url).validate().responseJSON { [weak self] response in
                guard let self = self, let rows = response.result.value as? [[String: Any]] else { return }
                self.posts = rows.compactMap { $0["title"] as? String }
                self.onChange?()
            }
        }
    }

    // MARK: 18. Notifications of requests

    @MainActor
    class ActivityCounter {
        var count = 0
        private var observers: [NSObjectProtocol] = []

        func start(completion: @escaping @MainActor () -> Void) {
            let center = NotificationCenter.default
            observers.append(
                center.addObserver(forName: Notification.Name.Task.DidResume, object: nil, queue: .main) { [weak self] _ in
                    MainActor.assumeIsolated { self?.count += 1 }
                })
            observers.append(
                center.addObserver(forName: Notification.Name.Task.DidComplete, object: nil, queue: .main) { [weak self] _ in
                    MainActor.assumeIsolated {
                        self?.count -= 1
                        completion()
                    }
                })
        }

        func stop() {
            observers.forEach { NotificationCenter.default.removeObserver($0) }
        }
    }

    // MARK: 19. Header fields in a variable

    @MainActor
    class NotesClient {
        let baseURL: String
        private var headers: HTTPHeaders = SessionManager.defaultHTTPHeaders
        private let manager: SessionManager

        init(baseURL: String, token: String) {
            self.baseURL = baseURL
            headers["Authorization"] = "Bearer " + token
            let configuration = URLSessionConfiguration.default
            configuration.httpAdditionalHeaders = headers
            manager = SessionManager(configuration: configuration)
        }

        func names() -> [String] {
            var names: [String] = []
            for (key, value) in headers where !value.isEmpty {
                names.append(key)
            }
            return names
        }

        func load(completion: @escaping (String?) -> Void) {
            guard let url = URL(string: baseURL + "/notes") else { return completion(nil) }
            var urlRequest = URLRequest(url: url)
            urlRequest.allHTTPHeaderFields = headers
            Alamofire.request(urlRequest).responseString { response in
                completion(response.result.value)
            }
        }

        func save(_ note: Data, completion: @escaping (Bool) -> Void) {
            Alamofire.upload(note, to: baseURL + "/notes", method: .put, headers: headers).validate().response { response in
                completion(response.error == nil)
            }
        }

        func attach(_ image: Data, completion: @escaping (Bool) -> Void) {
            manager.upload(
                multipartFormData: { multipartFormData in
                    multipartFormData.append(image, withName: "image", fileName: "file.jpeg", mimeType: "image/jpeg")
                }, usingThreshold: UInt64.init(), to: baseURL + "/images", method: .post, headers: headers
            ) { result in
                switch result {
                case .success(let upload, _, _):
                    upload.responseJSON { response in
                        completion(response.result.isSuccess)
                    }
                case .failure(let error):
                    print("Error in upload: \(error.localizedDescription)")
                    completion(false)
                }
            }
        }

        func attachAgain(_ image: Data, completion: @escaping (Bool) -> Void) {
            Alamofire.upload(
                multipartFormData: { $0.append(image, withName: "image") }, to: baseURL + "/images", headers: headers,
                encodingCompletion: { result in
                    guard case .success(let upload, _, _) = result else { return completion(false) }
                    upload.responseData { completion($0.result.isSuccess) }
                })
        }
    }

    // MARK: 20. Parameters of mixed types in a router and a download

    enum SearchRouter: URLRequestConvertible {
        case search(base: String, query: String, page: Int)

        func asURLRequest() throws -> URLRequest {
            switch self {
            case .search(let base, let query, let page):
                var parameters: [String: Any] = ["q": query]
                parameters["page"] = page
                let urlRequest = URLRequest(url: try base.asURL().appendingPathComponent("search"))
                return try URLEncoding.queryString.encode(urlRequest, with: parameters)
            }
        }
    }

    @MainActor
    class SearchClient {
        let baseURL: String
        init(baseURL: String) { self.baseURL = baseURL }

        func address(of query: String) -> String? {
            return SearchRouter.search(base: baseURL, query: query, page: 1).urlRequest?.url?.absoluteString
        }

        func download(_ query: String, to fileURL: URL, completion: @escaping (URL?) -> Void) {
            let parameters: [String: Any] = ["q": query, "limit": 10]
            let headers: HTTPHeaders = ["Accept": "text/plain"]
            Alamofire.download(
                baseURL + "/search", parameters: parameters, encoding: URLEncoding.methodDependent, headers: headers,
                to: { _, _ in (fileURL, [.removePreviousFile]) }
            )
            .response { response in
                completion(response.destinationURL)
            }
        }
    }
#endif
