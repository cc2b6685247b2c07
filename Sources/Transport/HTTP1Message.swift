import Glibc

/// A complete request, as a server took it.
package struct HTTP1Request: Sendable, Equatable {
    /// One header field. Names are compared without regard to case.
    package struct Field: Sendable, Equatable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// "GET", "HEAD", "POST", "PUT", "PATCH" or "DELETE".
    package let method: String
    /// From its slash to the question mark, as it came: nothing is decoded.
    package let path: String
    /// Behind the question mark; nil without one.
    package let query: String?
    package let fields: [Field]
    package let body: [UInt8]

    package init(method: String, path: String, query: String? = nil, fields: [Field] = [], body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields
        self.body = body
    }

    /// The value of the fields of this name, several of them as one list (RFC 9110 section 5.3); nil without any.
    package func value(of name: String) -> String? {
        let values = fields.filter { HTTP1Head.isSameName($0.name, name) }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}

/// What a request is answered with. To HEAD the server sends the same without the body.
package struct HTTP1Response: Sendable {
    /// What follows the fields. `Content-Length` is the server's to say.
    package enum Body: Sendable {
        case bytes([UInt8])
        /// Read while it is sent, 64 KiB at a time.
        case file(HTTP1FileSlice)

        var byteCount: UInt64 {
            switch self {
            case .bytes(let bytes): UInt64(bytes.count)
            case .file(let slice): slice.byteCount
            }
        }
    }

    package var status: Int
    package var fields: [HTTP1Request.Field]
    package var body: Body
    /// Whether the connection ends with this answer.
    package var closes = false

    package init(status: Int, fields: [HTTP1Request.Field] = [], body: Body = .bytes([])) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

/// A part of an open file, which is closed when the last reference goes.
package final class HTTP1FileSlice: Sendable {
    let descriptor: Int32
    package let offset: UInt64
    package let byteCount: UInt64

    /// - Parameters:
    ///   - descriptor: open for reading; owned from now on.
    ///   - offset: the slice's first byte, counted from the file's.
    ///   - byteCount: all of it is there: a file that turns out shorter ends the connection.
    package init(owning descriptor: Int32, offset: UInt64, byteCount: UInt64) {
        self.descriptor = descriptor
        self.offset = offset
        self.byteCount = byteCount
    }

    deinit {
        close(descriptor)
    }
}
