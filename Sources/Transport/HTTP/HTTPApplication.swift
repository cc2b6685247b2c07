/// What answers requests, whichever version of HTTP they came by.
///
/// `begin` sees a request's header fields before any of its body is kept, so that who may not ask costs no memory.
package protocol HTTPApplication: AnyObject, Sendable {
    /// On the loop, which it must not block.
    func begin(_ head: HTTPHead) -> HTTPBeginning
}

/// What is known of a request before its body.
package struct HTTPHead: Sendable {
    /// All fields in the order they came, names in lower case, with `:method` and `:path` also where HTTP/1.1 brought it.
    package let fields: HeaderBlock
    /// The other end's address without its port; nil on the loopback port.
    package let remoteAddress: String?

    package init(fields: HeaderBlock, remoteAddress: String?) {
        self.fields = fields
        self.remoteAddress = remoteAddress
    }

    package var method: ArraySlice<UInt8> { fields[":method"] ?? [] }
    /// With the query, nothing decoded.
    package var path: ArraySlice<UInt8> { fields[":path"] ?? [] }
}

/// What becomes of a request whose fields are there.
package enum HTTPBeginning {
    /// Answered as it is; what comes of its body is thrown away.
    case answer(HTTPAnswer)
    /// Its body is read, to that many bytes. The share says which memory it takes, and so how long it may take: see
    /// `HTTPLimits.deadline(of:)`.
    case read(byteCountMax: Int, share: HTTPBodyShare, then: any HTTPExchange)
}

/// A request whose body is being read.
package protocol HTTPExchange: AnyObject {
    /// On the loop, once, when the body is there; the answer may come now or later. Not called when the request breaks off.
    func finish(_ body: HTTPBody, _ responder: HTTPResponder)
}

/// A request's body.
package enum HTTPBody: Sendable {
    case whole([UInt8])
    /// It was longer than it might be, and is gone; so many bytes came or were announced.
    case tooLarge(byteCount: Int)
    /// There was no memory left for bodies: ask again later.
    case noRoom
}

/// A complete answer. `content-length` is the server's to say.
package struct HTTPAnswer: Sendable {
    /// What follows the fields.
    package enum Body: Sendable {
        case bytes([UInt8])
        /// Read while it is sent, a piece at a time.
        case file(HTTPFileSlice)

        package var byteCount: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .file(let slice): Int(clamping: slice.byteCount)
            }
        }

        /// Those that are in memory.
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

    /// Whether it says that too much came (RFC 6585 section 4).
    var isRefusal: Bool { status == 429 }
}

/// The right to answer one request, once, now or later, from any thread. Later answers are dropped.
package struct HTTPResponder: Sendable {
    private let send: @Sendable (HTTPAnswer) -> Void

    package init(_ send: @escaping @Sendable (HTTPAnswer) -> Void) { self.send = send }

    package func respond(_ answer: HTTPAnswer) { send(answer) }
}
