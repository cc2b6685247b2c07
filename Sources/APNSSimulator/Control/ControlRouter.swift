import HTTP
import Primitives

/// Authentication and routing of calls. A value; no socket.
///
/// Every local program, and every page in a browser, reaches the port. So each call needs a secret, no `Origin` but this
/// server's own page's, and the machine's name in `Host`, unlike a page whose name was rebound to 127.0.0.1.
struct ControlRouter: Sendable {
    /// 32 random bytes in base64url.
    private let bearer: String
    private let caller: PageCaller

    init(bearer: String, hasPages: Bool = false) {
        self.bearer = bearer
        caller = PageCaller(hosts: ["127.0.0.1", "localhost"], allowsOwnPage: hasPages)
    }

    func call(for request: HTTPRequest) throws(ControlProblem) -> (ControlCall, ControlRequest) {
        try checkCaller(request)
        var allowed: [String] = []
        for call in ControlCall.all {
            let (isMatch, number) = call.match(request.path)
            guard isMatch else { continue }
            guard call.method == request.method else {
                allowed.append(call.method)
                continue
            }
            return (call, try ControlRequest(number: number, query: request.query, body: request.body))
        }
        guard allowed.isEmpty else {
            let methods = allowed.joined(separator: ", ")
            throw ControlProblem(405, "this path takes \(methods)", allow: methods)
        }
        let paths = ControlCall.all.map { "\($0.method) \($0.path)" }.joined(separator: ", ")
        throw ControlProblem(404, "there is no such path; there are \(paths)")
    }

    func checkHost(_ request: HTTPRequest) throws(ControlProblem) {
        do throws(PageCallerError) { try caller.checkHost(request) } catch {
            throw ControlProblem(403, "call it as 127.0.0.1 or localhost")
        }
    }

    func checkCaller(_ request: HTTPRequest) throws(ControlProblem) {
        try checkHost(request)
        do throws(PageCallerError) { try caller.checkOrigin(request) } catch {
            throw ControlProblem(403, "pages in a browser may not call it")
        }
        let words = (request.value(of: "Authorization") ?? "").split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer", isBearer(words[1]) else {
            throw ControlProblem(
                401,
                "send 'Authorization: Bearer …' with the secret that the simulator printed when it started"
            )
        }
    }

    /// Takes constant time for secrets of the right length.
    private func isBearer(_ text: Substring) -> Bool {
        SecretBytes.areEqual(Array(text.utf8), Array(bearer.utf8))
    }
}
