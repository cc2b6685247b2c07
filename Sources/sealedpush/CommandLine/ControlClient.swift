import CommandLineTool
import Envelope
import Glibc

/// Blocks until the answer.
struct ControlClient {
    static let options = [
        Option("--control", "URL", "the simulator's control API, as it printed it", isRequired: true),
        Option("--bearer", "SECRET", "the secret that it printed; other users can see a command line"),
        Option("--bearer-file", "FILE", "a file with that secret: control.bearer of the simulator's folder"),
    ]

    private let port: UInt16
    private let bearer: String

    private static let byteCountMax = 16 << 20
    /// Another program on the simulator's port may never answer.
    private static let secondsMax = 60

    init(_ arguments: Arguments) throws(CommandError) {
        let bearer: String
        switch (arguments.value("--bearer"), arguments.value("--bearer-file")) {
        case (let text?, nil): bearer = text
        case (nil, let path?): bearer = try Self.word(of: path)
        case (nil, nil): throw arguments.wrong("--bearer-file is missing")
        case (_?, _?): throw arguments.wrong("--bearer-file replaces --bearer; give one of them")
        }
        guard let client = ControlClient(url: try arguments.required("--control"), bearer: bearer) else {
            throw arguments.wrong("--control must be http://127.0.0.1:PORT, and the secret one word")
        }
        self = client
    }

    /// - Parameter url: "http://127.0.0.1:PORT", as the simulator printed it.
    init?(url: String, bearer: String) {
        guard let parts = url.wholeMatch(of: /http:\/\/(127\.0\.0\.1|localhost):(\d{1,5})\/?/),
            let port = UInt16(parts.2), port > 0,
            !bearer.isEmpty, bearer.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.port = port
        self.bearer = bearer
    }

    static func word(of path: String) throws(CommandError) -> String {
        String(decoding: try readInput(path, byteCountMax: 4_096).filter { $0 > 0x20 }, as: UTF8.self)
    }

    func call(_ method: String, _ path: String, _ body: [UInt8] = []) throws(CommandError) -> JSONValue {
        let (status, json) = try exchange(method, path, body)
        guard status == 200 else {
            let detail = TerminalText.safe(json["detail"]?.string ?? "no detail")
            throw .failed("the simulator answered \(status): \(detail)")
        }
        return json
    }

    private func exchange(
        _ method: String,
        _ path: String,
        _ body: [UInt8]
    ) throws(CommandError) -> (status: Int, json: JSONValue) {
        let head = """
            \(method) \(path) HTTP/1.1\r
            Host: 127.0.0.1:\(port)\r
            Authorization: Bearer \(bearer)\r
            Content-Length: \(body.count)\r
            Connection: close\r
            \r

            """
        let answer = try exchange(Array(head.utf8) + body)
        let text = Array("\r\n\r\n".utf8)
        guard let end = answer.indices.first(where: { answer[$0...].starts(with: text) }),
            let status = Int(String(decoding: answer.prefix(12).suffix(3), as: UTF8.self)),
            answer.starts(with: "HTTP/1.".utf8)
        else { throw .failed("127.0.0.1:\(port) is not a simulator's control API; use the URL that it printed") }
        let limits = JSONParser.Limits(byteCountMax: Self.byteCountMax, depthMax: 8, allowsFractions: false)
        do throws(JSONError) {
            return (status, try JSONParser.parse(Array(answer[(end + 4)...]), limits: limits))
        } catch {
            throw .failed("127.0.0.1:\(port) answered \(status) without JSON; use the URL that the simulator printed")
        }
    }

    private func exchange(_ request: [UInt8]) throws(CommandError) -> [UInt8] {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .failed("a socket cannot be made: \(Output.systemText(errno))") }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: Self.secondsMax, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let code = unsafe withUnsafePointer(to: address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            throw .failed(
                "127.0.0.1:\(port): \(Output.systemText(errno)); check that the simulator runs, and on this port"
            )
        }
        var rest = request[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .failed("127.0.0.1:\(port): \(Output.systemText(errno))") }
            rest = rest.dropFirst(count)
        }
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while answer.count < Self.byteCountMax {
            let count = unsafe read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .failed("127.0.0.1:\(port): \(Output.systemText(errno))") }
            guard count > 0 else { break }
            answer += chunk[..<count]
        }
        return answer
    }
}
