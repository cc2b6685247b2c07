internal import CCurl
private import Platform

/// Target of libcurl's callbacks, confined to the exchange's thread.
final class Transfer {
    private(set) var refusal: HTTPSError?
    private var reader = HTTPSHeadReader()
    private var bodyByteCount: UInt64 = 0
    private let body: HTTPSRequest.Body?
    private let pin: HTTPSRequest.Pin?
    private let mayBegin: @Sendable ([UInt8]) -> Bool
    private let onHead: (HTTPSHead) -> Bool
    private let onBytes: (RawSpan) -> Bool
    private let isCancelled: () -> Bool

    init(
        _ request: HTTPSRequest,
        onHead: @escaping (HTTPSHead) -> Bool,
        onBytes: @escaping (RawSpan) -> Bool,
        isCancelled: @escaping () -> Bool
    ) {
        body = request.body
        pin = request.pin
        mayBegin = request.mayBegin ?? { _ in true }
        self.onHead = onHead
        self.onBytes = onBytes
        self.isCancelled = isCancelled
    }

    var head: HTTPSHead? { reader.head }

    private func takeHead(_ line: UnsafeRawBufferPointer) -> Bool {
        let isFirst = head == nil
        guard unsafe reader.add(line) else {
            refusal = .malformedAnswer
            return false
        }
        guard isFirst, let head else { return true }
        if !onHead(head) { refusal = .refusedByCaller }
        return refusal == nil
    }

    private func takeBytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // A body before its head: HTTP/0.9.
        guard head != nil else {
            refusal = .malformedAnswer
            return false
        }
        guard !isCancelled() else { return false }
        if !onBytes(unsafe bytes.bytes) { refusal = .refusedByCaller }
        return refusal == nil
    }

    private func giveBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard let body, bodyByteCount < body.byteCount, !isCancelled() else {
            return bodyByteCount == body?.byteCount ? 0 : nil
        }
        let room = Int(min(UInt64(buffer.count), body.byteCount - bodyByteCount))
        var span = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]).mutableBytes
        guard let count = body.read(&span), count > 0, count <= room else {
            refusal = .refusedByCaller
            return nil
        }
        bodyByteCount += UInt64(count)
        return count
    }

    /// - Returns: -1 for an address that is not of the pin.
    private func openSocket(to address: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
        var bytes = [UInt8](repeating: 0, count: 16)
        var port: UInt16 = 0
        let byteCount = unsafe ccurl_address(address, &bytes, &port)
        guard let pin, pin.port == port, pin.addresses.contains(Array(bytes[..<byteCount])) else { return -1 }
        let descriptor = unsafe socket(address.pointee.family, address.pointee.socktype, address.pointee.protocol)
        if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return descriptor
    }

    private func begins(at text: UnsafePointer<CChar>?) -> Bool {
        if isCancelled() || !mayBegin(unsafe Self.address(text)) { refusal = .refusedByCaller }
        return refusal == nil
    }

    private static func address(_ text: UnsafePointer<CChar>?) -> [UInt8] {
        guard let text = unsafe text else { return [] }
        for (family, byteCount) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: byteCount)
            if unsafe inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return []
    }

    /// Valid once libcurl reports the end.
    func error(_ result: CURLcode) -> HTTPSError? {
        refusal ?? HTTPSError(result) ?? (head == nil ? .malformedAnswer : nil)
    }

    static let beginFunction: ccurl_begin_function = { context, address, _, _, _ in
        unsafe owner(context).begins(at: address) ? Int32(CURL_PREREQFUNC_OK) : Int32(CURL_PREREQFUNC_ABORT)
    }

    static let socketFunction: ccurl_open_socket_function = { context, _, address in
        guard let address = unsafe address else { return -1 }
        return unsafe owner(context).openSocket(to: address)
    }

    // Any result but the number of bytes ends the exchange.
    static let headFunction: ccurl_data_function = { bytes, size, count, context in
        let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        return unsafe owner(context).takeHead(line) ? line.count : 0
    }

    static let bytesFunction: ccurl_data_function = { bytes, size, count, context in
        let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        guard piece.count > 0 else { return 0 }
        return unsafe owner(context).takeBytes(piece) ? piece.count : 0
    }

    static let bodyFunction: ccurl_data_function = { bytes, size, count, context in
        let room = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
        return unsafe owner(context).giveBody(room) ?? Int(CURL_READFUNC_ABORT)
    }

    private static func owner(_ context: UnsafeMutableRawPointer?) -> Transfer {
        guard let context = unsafe context else { preconditionFailure("libcurl lost its context") }
        return unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }
}
