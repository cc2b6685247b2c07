/// Answers requests of either HTTP version. `begin` sees the fields before any body is kept: a refusal costs no memory.
package protocol HTTPApplication: AnyObject, Sendable {
    /// On the loop, without blocking.
    func begin(_ head: HTTPHead) -> HTTPBeginning
}

package struct HTTPHead: Sendable {
    /// In order, names in lower case; for HTTP/1.1 too with `:method` and `:path`.
    package let fields: HeaderBlock
    /// Without the port; nil on the loopback port.
    package let remoteAddress: String?

    package init(fields: HeaderBlock, remoteAddress: String?) {
        self.fields = fields
        self.remoteAddress = remoteAddress
    }

    package var method: ArraySlice<UInt8> { fields[":method"] ?? [] }
    /// With the query, undecoded.
    package var path: ArraySlice<UInt8> { fields[":path"] ?? [] }
}

package enum HTTPBeginning {
    /// Answers now; the body is discarded.
    case answer(HTTPAnswer)
    /// Reads a body; the share sets its memory and deadline (`HTTPLimits.deadline(of:)`).
    case read(byteCountMax: Int, share: HTTPBodyShare, then: any HTTPExchange)
}

package protocol HTTPExchange: AnyObject {
    /// Called on the loop, once; the answer may come later. Not called for a broken request.
    func finish(_ body: HTTPBody, _ responder: HTTPResponder)
}

package enum HTTPBody: Sendable {
    case whole([UInt8])
    /// Discarded; the byte count is what came or was announced.
    case tooLarge(byteCount: Int)
    /// The budget for bodies is used up: retry later.
    case noRoom
}

/// Answer. The server adds `content-length`, except to a stream's.
package struct HTTPAnswer: Sendable {
    package enum Body: Sendable {
        case bytes([UInt8])
        case file(HTTPFileSlice)
        case stream(HTTPBodyStream)

        package var byteCount: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .file(let slice): Int(clamping: slice.byteCount)
            case .stream: 0
            }
        }

        package var bytesInMemory: [UInt8] {
            if case .bytes(let bytes) = self { bytes } else { [] }
        }
    }

    package var status: Int
    /// Names in lower case, without `:status`.
    package var fields: HeaderBlock
    package var body: Body

    package init(status: Int, fields: HeaderBlock = HeaderBlock(), body: Body) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    package init(status: Int, fields: HeaderBlock = HeaderBlock(), body: [UInt8] = []) {
        self.init(status: status, fields: fields, body: .bytes(body))
    }

    var isRefusal: Bool { status == 429 }
}

/// Right to answer one request, once, at any time, from any thread. Later answers are dropped.
package struct HTTPResponder: Sendable {
    private let send: @Sendable (HTTPAnswer) -> Void

    package init(_ send: @escaping @Sendable (HTTPAnswer) -> Void) { self.send = send }

    package func respond(_ answer: HTTPAnswer) { send(answer) }
}
