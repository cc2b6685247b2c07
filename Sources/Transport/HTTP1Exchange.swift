import CEvent
import Glibc

/// One request of evhttp's, from its bytes to its answer. Lives within evhttp's call.
@safe struct HTTP1Exchange: ~Copyable {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    /// - Returns: the request, or the status that refuses it.
    func request() -> Result<HTTP1Request, HTTP1Head.Refusal> {
        let head = HTTP1Head(
            method: unsafe Self.text(cevent_request_method(handle)),
            target: unsafe Self.text(cevent_request_target(handle)),
            version: Int(unsafe cevent_request_version(handle)),
            fields: fields()
        )
        return head.request(body: body())
    }

    private func fields() -> [HTTP1Request.Field] {
        var fields: [HTTP1Request.Field] = []
        while true {
            var name: UnsafePointer<CChar>?
            var value: UnsafePointer<CChar>?
            unsafe cevent_request_next_field(handle, &name, &value)
            guard let name = unsafe name else { return fields }
            unsafe fields.append(.init(Self.text(name), Self.text(value)))
        }
    }

    private func body() -> [UInt8] {
        let byteCount = unsafe cevent_request_body_byte_count(handle)
        return unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            unsafe count = cevent_request_take_body(handle, buffer.baseAddress, byteCount)
        }
    }

    /// Bytes that are no UTF-8 become U+FFFD, which no name, target or number contains.
    private static func text(_ text: UnsafePointer<CChar>?) -> String {
        unsafe text.map { unsafe String(cString: $0) } ?? ""
    }

    /// Ends the exchange.
    ///
    /// - Parameters:
    ///   - response: what is sent.
    ///   - isHead: whether its body is not.
    consuming func answer(_ response: HTTP1Response, isHead: Bool) {
        for field in response.fields { add(field.name, field.value) }
        // RFC 9110 section 8.6: none with these.
        if response.status != 204, response.status != 304 { add("Content-Length", "\(response.body.byteCount)") }
        if response.closes { add("Connection", "close") }
        let status = Int32(clamping: response.status)
        let reason = Self.reason(response.status)
        switch response.body {
        case .bytes(let bytes) where !isHead:
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe cevent_answer_bytes(handle, status, reason, bytes.baseAddress, bytes.count)
            }
        case .file(let slice) where !isHead:
            // The slice keeps its own: whoever else has it may still read.
            let descriptor = fcntl(slice.descriptor, F_DUPFD_CLOEXEC, 0)
            unsafe cevent_answer_file(handle, status, reason, descriptor, slice.offset, slice.byteCount)
        default:
            unsafe cevent_answer_bytes(handle, status, reason, nil, 0)
        }
    }

    private func add(_ name: String, _ value: String) {
        let code = unsafe cevent_answer_add_field(handle, name, value)
        precondition(code == 0, "a field of our own that would end its line")
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 409: "Conflict"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 416: "Range Not Satisfiable"
        case 429: "Too Many Requests"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 505: "HTTP Version Not Supported"
        case 507: "Insufficient Storage"
        default: "Status"
        }
    }
}
