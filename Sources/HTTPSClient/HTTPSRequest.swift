/// One request to a server that proves who it is.
package struct HTTPSRequest: Sendable {
    /// What HTTP calls methods.
    package enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// Which authorities may vouch for the server.
    package enum Trust: Sendable, Hashable {
        /// The system's.
        case system
        /// Those of a PEM file, and no others.
        case file(path: String)
    }

    /// Bytes to send. Their number is known before the first is read.
    package struct Body: Sendable {
        package let byteCount: UInt64
        /// Fills as much of the span as it can, on the thread that runs the exchange: how much; nil where reading failed.
        /// Never less than one byte before `byteCount` are read.
        package let read: @Sendable (inout MutableRawSpan) -> Int?

        package init(byteCount: UInt64, read: @escaping @Sendable (inout MutableRawSpan) -> Int?) {
            self.byteCount = byteCount
            self.read = read
        }
    }

    /// How long is waited for a server that does nothing. Whoever waits for the exchange may have less time, and cancels it.
    package struct Patience: Sendable, Hashable {
        /// For name, connection and handshake, in seconds: 1 or more.
        package var connectSeconds = 5
        /// For the next byte, in seconds: 1 or more.
        package var stallSeconds = 5
        /// For everything, however steadily it drips, in seconds: 1 or more; nil for as long as it takes.
        package var wholeSeconds: Int?

        package init() {}
    }

    /// Where a name leads, as whoever asks has decided: no resolver is asked, and no socket goes elsewhere, whatever the
    /// name means by then.
    package struct Pin: Sendable, Hashable {
        /// The URL's: a name, or an address without brackets.
        package let host: String
        package let port: UInt16
        /// 4 or 16 bytes each, in network order; tried in this order.
        package let addresses: [[UInt8]]

        package init(host: String, port: UInt16, addresses: [[UInt8]]) {
            self.host = host
            self.port = port
            self.addresses = addresses
        }
    }

    package var method: Method
    /// `https`, and nothing else without `allowsPlainHTTP`: whoever makes it has held it to a grammar.
    package var url: String
    /// Names and values without line breaks.
    package var fields: [(name: String, value: String)] = []
    package var body: Body?
    package var trust = Trust.system
    /// Where to connect to in place of the URL's host, which the server has to be all the same; nil for there.
    package var destination: (host: String, port: UInt16)?
    /// The only addresses to connect to; nil for wherever the name leads. Not with `destination`.
    package var pin: Pin?
    /// Asked when the connection stands and its server is proven, before the first byte of the request, with the server's address
    /// (4 or 16 bytes): false ends the request with `.refusedByCaller`, and nothing has gone out. An exchange's may wait.
    package var mayBegin: (@Sendable (_ address: [UInt8]) -> Bool)?
    /// Whether it may go over a connection that others went over, and over HTTP/2: for `HTTPSConnections`.
    package var sharesConnections = false
    /// Whether the URL may be `http`, which proves nothing and hides nothing.
    package var allowsPlainHTTP = false
    package var patience = Patience()

    package init(_ method: Method, _ url: String) {
        self.method = method
        self.url = url
    }
}

/// The beginning of a server's answer.
package struct HTTPSHead: Sendable {
    /// 200 to 999: what comes before the answer itself (RFC 9110, section 15.2) is left out.
    package var status: Int
    /// In the server's order, the names in lower case.
    package var fields: [(name: String, value: String)]

    package init(status: Int, fields: [(name: String, value: String)]) {
        self.status = status
        self.fields = fields
    }

    /// - Returns: the value of the only field of that name; nil where there is none, or two that differ.
    package subscript(name: String) -> String? {
        let values = fields.filter { $0.name == name }.map(\.value)
        guard let first = values.first, values.allSatisfy({ $0 == first }) else { return nil }
        return first
    }
}

/// Why there is no whole answer. Says nothing of what was asked or sent.
package enum HTTPSError: Error, Hashable, Sendable {
    /// By whoever runs the exchange.
    case cancelled
    /// The caller did not want the answer, or could not read the request's body.
    case refusedByCaller
    /// No name, no route, nobody there, or too slow to connect.
    case notReached
    /// The server does not prove who it is.
    case notTrusted
    /// The server's certificate is not valid yet, or no more, by this machine's clock.
    case certificateHasBadDate
    /// The connection ended before the answer, or nothing came for too long.
    case connectionLost
    /// What came is not HTTP, or its head is too long.
    case malformedAnswer
    /// A call of libcurl's failed.
    case library(call: String, code: Int32)
}
