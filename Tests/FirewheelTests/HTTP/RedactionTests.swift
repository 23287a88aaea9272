import Testing

@testable import Firewheel

/// Printed text shows no credential.
@Suite("Redaction")
struct RedactionTests {
    @Test("Fields with credentials lose their values, in any case; other fields keep theirs, also when repeated")
    func headers() {
        let headers = HTTPHeaders(received: [
            HTTPHeader(name: "AUTHORIZATION", value: "Basic aGk="), HTTPHeader(name: "Set-Cookie", value: "a=1"),
            HTTPHeader(name: "set-cookie", value: "b=2"), HTTPHeader(name: "X-Api-Key", value: "k"),
            HTTPHeader(name: "proxy-authorization", value: "x"), HTTPHeader(name: "Cookie", value: "c=3"),
            HTTPHeader(name: "Accept", value: "text/plain"), HTTPHeader(name: "WWW-Authenticate", value: "Basic realm=\"x\""),
        ])
        let redacted = Redaction.headers(headers)
        #expect(redacted.map(\.name) == headers.map(\.name))
        #expect(redacted.map(\.value) == Array(repeating: "<redacted>", count: 6) + ["text/plain", "Basic realm=\"x\""])
        #expect(headers.description == redacted.description)
    }

    @Test(
        "A redacted URL has no user information, and no values of secret query items",
        arguments: [
            ("https://a.test/x?q=1#part", "https://a.test/x?q=1#part"),
            ("https://user:pass@a.test:8080/x", "https://<redacted>@a.test:8080/x"),
            ("https://user@a.test", "https://<redacted>@a.test"),
            ("https://us@er:p@a.test/@b", "https://<redacted>@a.test/@b"),
            ("//user:pass@a.test/", "//<redacted>@a.test/"),
            ("https://a.test/?access_token=abc&q=1", "https://a.test/?access_token=<redacted>&q=1"),
            ("https://a.test/?q=1&Access-Token=abc=", "https://a.test/?q=1&Access-Token=<redacted>"),
            ("https://a.test/?access%5Ftoken=abc", "https://a.test/?access%5Ftoken=<redacted>"),
            ("/x?user%5Bpassword%5D=abc;user%5Bname%5D=Ann", "/x?user%5Bpassword%5D=<redacted>;user%5Bname%5D=Ann"),
            ("/x?passwords=1&tokens=2&password", "/x?passwords=1&tokens=2&password"),
            ("/x?key=1&code=2&auth=3&otp=4", "/x?key=<redacted>&code=<redacted>&auth=<redacted>&otp=<redacted>"),
            ("/cb?CODE=a%2Fb&state=x", "/cb?CODE=<redacted>&state=x"), ("/x#code=1", "/x#code=<redacted>"),
            (
                "/x?country_code=1&status_code=2&keyword=3&keys=4&codes=5&author=6&zip-code=7&barcode=8",
                "/x?country_code=1&status_code=2&keyword=3&keys=4&codes=5&author=6&zip-code=7&barcode=8"
            ),
            (
                "/x?oauth_token=1&oauth_signature=2&oauth_verifier=3&authorization_code=4&device_code=5&client_id=6",
                "/x?oauth_token=<redacted>&oauth_signature=<redacted>&oauth_verifier=<redacted>&authorization_code=<redacted>"
                    + "&device_code=<redacted>&client_id=6"
            ),
            ("/x?token=&a=b", "/x?token=&a=b"),
            ("https://a.test/cb#access_token=abc&token_type=bearer", "https://a.test/cb#access_token=<redacted>&token_type=bearer"),
            (
                "https://b.s3.test/o?X-Amz-Credential=AK%2F1&X-Amz-Signature=ff",
                "https://b.s3.test/o?X-Amz-Credential=<redacted>&X-Amz-Signature=<redacted>"
            ),
            (
                "/x?pass=1&userPassword=2&session=3&sid=4&ticket=5",
                "/x?pass=<redacted>&userPassword=<redacted>&session=<redacted>&sid=<redacted>&ticket=<redacted>"
            ),
            ("/x?next=http://ann:pw@host/&a=b", "/x?next=http://<redacted>@host/&a=b"),
            ("/x?next=http%3A%2F%2Fhost%2F%3Faccess_token%3Dabc&a=b", "/x?next=<redacted>&a=b"),
            ("/x?next=http%3A%2F%2Fann%3Apw%40host%2F", "/x?next=<redacted>"),
            ("/x?next=http%3A%2F%2Fhost%2Fa", "/x?next=http%3A%2F%2Fhost%2Fa"),
            ("", ""), ("?", "?"), ("&&==", "&&=="),
        ])
    func url(text: String, expected: String) {
        #expect(Redaction.url(text) == expected)
    }

    @Test(
        "In XML and HTML elements, attributes and fields of forms with the name of a secret are redacted",
        arguments: [
            ("<a><password>x</password><user>ada</user></a>", "<a><password><redacted></password><user>ada</user></a>"),
            ("<s:Token id=\"1\">\n x\n</s:Token>", "<s:Token id=\"1\"><redacted></s:Token>"),
            ("<login password='x' user=\"ada\" api_key=y />", "<login password='<redacted>' user=\"ada\" api_key=<redacted> />"),
            (
                "<input type=\"text\" name=\"csrf_token\" value=\"x\"><p>hi</p>",
                "<input type=\"text\" name=\"csrf_token\" value=\"<redacted>\"><p>hi</p>"
            ),
            ("<a href=\"https://u:p@h.test/?token=x\">t</a>", "<a href=\"https://<redacted>@h.test/?token=<redacted>\">t</a>"),
            ("no tags, <unclosed token=\"x", "no tags, <unclosed token=\"<redacted>\""), ("", ""), ("<", "<"), ("<>", "<>"),
            ("a>b<c", "a>b<c"),
        ])
    func markup(text: String, expected: String) {
        for type in ["application/xml", "text/html; charset=utf-8", "image/svg+xml"] {
            #expect(Redaction.body(text, contentType: type) == expected)
        }
    }

    @Test("A line of text with the name of a secret is redacted on every line")
    func lines() {
        #expect(
            Redaction.body("user=ada\npassword=x\r\ntoken: y\nb=1", contentType: "text/plain")
                == "user=ada\npassword=<redacted>\r\ntoken: \"<redacted>\"\nb=1")
    }

    @Test(
        "A field is secret if a query item of its name is, or if a known service uses it for a key",
        arguments: [
            "Token", "apikey", "X-Session-Token", "X-Vault-Token", "Private-Token", "X-Api-Secret", "X-Goog-Api-Key", "X-User-Password",
            "X-Amz-Signature", "X-CSRFToken", "X-Forwarded-Authorization", "Signature", "authorization", "Proxy-Authorization", "X-Api-Key",
            "X-Auth", "X-Authentication", "X-Session-Id", "X-Credentials", "X-Access-Key-Id", "X-Authorization", "X-Api-Token",
            "X-Credential",
            "Session-Id", "X-Service-Auth", "DPoP", "X-Otp", "X-Goog-Iap-JWT-Assertion", "PRIVATE-TOKEN", "X-Amz-Security-Token",
            "X-Hub-Signature-256", "X-JWT", "X-Password", "X-Signature",
            "OK-ACCESS-PASSPHRASE", "OK-ACCESS-SIGN", "X-Ms-Authorization-Auxiliary", "X-API-KEY-ID", "X-Api-Sig", "Auth", "X-GitHub-OTP",
            "X-Pin",
            "X-Ticket", "X-Csrf",
        ])
    func fieldNames(name: String) {
        #expect(HTTPHeader(name: name, value: "abc").description == "\(name): <redacted>")
        #expect(Redaction.isCredential(fieldName: name) && Redaction.isCredential(fieldName: name.uppercased()))
    }

    @Test(
        "Fields that hold no secret are shown",
        arguments: [
            "WWW-Authenticate", "Proxy-Authenticate", "Keep-Alive", "ETag", "X-Tokens-Left", "Monkey", "Accept", "X-Request-Id", "X-Author",
            "Idempotency-Key", "Sec-WebSocket-Key", "X-Country-Code", "X-Key-Id", "Key", "Code", "X-Correlation-Id", "Signature-Input",
            "Authority",
        ])
    func otherFieldNames(name: String) {
        #expect(!Redaction.isCredential(fieldName: name))
        #expect(HTTPHeader(name: name, value: "abc").description == "\(name): abc")
    }

    @Test(
        "Values under secret names are hidden whole in JSON, in Swift descriptions and in lines of text",
        arguments: [
            (#"{"password":"a\"b","x":1}"#, #"{"password":"<redacted>","x":1}"#),
            (#"{"password" : 12 , "x":[1]}"#, #"{"password" : "<redacted>" , "x":[1]}"#),
            (#"{"password":["a",{"b":"c"}],"x":1}"#, #"{"password":"<redacted>","x":1}"#),
            (#"{"credentials":{"user":"a","pin":"]}"},"x":1}"#, #"{"credentials":"<redacted>","x":1}"#),
            (#"{"pass\u0077ord":"a","x":"y"}"#, #"{"pass\u0077ord":"<redacted>","x":"y"}"#),
            (#"{"token":null,"x":"token"}"#, #"{"token":null,"x":"token"}"#),
            (#"{"next":"/x?token=a&b=c","q":"a=1"}"#, #"{"next":"/x?token=<redacted>&b=c","q":"a=1"}"#),
            (#"Login(user: "a", password: "b")"#, #"Login(user: "a", password: "<redacted>")"#),
            (#"Login(password: Optional("b"), user: "a")"#, #"Login(password: "<redacted>", user: "a")"#),
            (#"M.Login(secret: M.Pin(digits: [1, 2]), user: "a")"#, #"M.Login(secret: "<redacted>", user: "a")"#),
            ("Login(token: nil, n: 3)", "Login(token: nil, n: 3)"),
            (#"{"code":12,"key":"a","pin":1}"#, #"{"code":12,"key":"a","pin":1}"#), (#"{"otp":"123456"}"#, #"{"otp":"<redacted>"}"#),
            ("{'password': 'a,b', 'x': 1}", "{'password': \"<redacted>\", 'x': 1}"),
            ("password: a b\nx: 5\" wide\ntoken: c", "password: \"<redacted>\"\nx: 5\" wide\ntoken: \"<redacted>\""),
            ("x: \"\\\"\\\"\n{\"token\":\"c\"}", "x: \"\\\"\\\"\n{\"token\":\"<redacted>\"}"),
            (#"{"next":"/x?token=abc"#, #"{"next":"/x?token=<redacted>"#),
            (#"{"password":["a"#, #"{"password":"<redacted>""#), (#"{"password":"a"#, #"{"password":"<redacted>""#),
            (#"{"password":"#, #"{"password":"#), (#"{"password"#, #"{"password"#), ("", ""), (#"""#, #"""#), ("token:", "token:"),
        ])
    func json(text: String, expected: String) {
        #expect(Redaction.json(text) == expected)
    }

    @Test(
        "A body is redacted by its media type, and without one as a form and as JSON",
        arguments: [
            ("application/x-www-form-urlencoded; charset=utf-8", "token=a&b=c", "token=<redacted>&b=c"),
            ("application/problem+json", #"{"token":"a"}"#, #"{"token":"<redacted>"}"#),
            ("text/plain", "token=a&b=c", "token=<redacted>&b=c"), (nil, "token=a&b=c", "token=<redacted>&b=c"),
            (nil, #"{"token":"a"}"#, #"{"token":"<redacted>"}"#), ("nonsense", #"{"token":"a"}"#, #"{"token":"<redacted>"}"#),
        ])
    func bodies(type: String?, text: String, expected: String) {
        #expect(Redaction.body(text, contentType: type) == expected)
    }

    @Test("Fields that hold a URL are redacted as a URL")
    func urlFields() {
        let location = HTTPHeader(name: "Location", value: "https://u:p@a.test/?token=abc&x=1")
        #expect(location.description == "Location: https://<redacted>@a.test/?token=<redacted>&x=1")
        let link = HTTPHeader(name: "Link", value: "</next?page=2&api_key=abc>; rel=\"next\"")
        #expect(!link.description.contains("abc") && link.description.contains("page=2"))
    }

    @Test("Of text that is not a URL nothing is shown that may be a password")
    func noURL() {
        #expect(Redaction.possibleURL("http:/user:pa ss@host?token=1") == "<redacted>@host?token=<redacted>")
        #expect(Redaction.possibleURL("no URL") == "no URL")
    }
}
