public import UserNotifications

/// Server of these messengers. The first step of a path is its behavior, the second the file.
public final class MessengerServer: URLProtocol {
    /// Behavior of an answer.
    public enum Behavior: String, Sendable {
        case prompt, stalled, huge
    }

    /// Host that it is.
    public static let host = "server.example.org"

    /// Takes the process's requests to that host.
    public static let start: Void = { _ = URLProtocol.registerClass(MessengerServer.self) }()

    private static let files = [
        "queue.json": Data(
            """
            [{"id":"m1","sender":"Ada","text":"Lunch?"},
            {"id":"m2","sender":"Grace","group":"Compilers","text":"@you Look!","mentionsMe":true}]
            """.utf8
        ),
        "event.json": Data(
            """
            {"sender":"Ada","room":"Compilers","isDirect":false,"body":"It runs","isMention":true,
            "avatar":"https://server.example.org/prompt/ada.png"}
            """.utf8
        ),
        "message.json": Data(#"{"from":"Ada","text":"Hello","thread":"t1"}"#.utf8),
        "ada.png": png, "front.png": png,
        "yard.jpg": Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 0, 0, 0, 0, 0, 0, 0]),
        "bell.wav": Data("RIFF\0\0\0\0WAVE".utf8),
    ]
    private static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0])

    public override class func canInit(with request: URLRequest) -> Bool { request.url?.host == host }

    public override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    public override func startLoading() {
        guard let url = request.url, let behavior = Behavior(rawValue: url.pathComponents[1]),
            let file = Self.files[url.lastPathComponent],
            let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        if behavior == .stalled { return }
        // At once: Foundation's data tasks keep a protocol's last piece alone.
        client?.urlProtocol(self, didLoad: behavior == .huge ? file + Data(repeating: 1, count: 64 << 20) : file)
        client?.urlProtocolDidFinishLoading(self)
    }

    public override func stopLoading() {}
}
