internal import CCurl
private import Platform

/// Global state, initialized once before the first handle.
enum Curl {
    private static let startCode = curl_global_init(Int(CURL_GLOBAL_SSL))

    static func start() throws(HTTPSError) { try check("curl_global_init", startCode) }

    static func check(_ call: String, _ code: CURLcode) throws(HTTPSError) {
        guard code == CURLE_OK else { throw .library(call: call, code: Int32(bitPattern: code.rawValue)) }
    }
}

@safe struct EasyHandle: ~Copyable {
    /// Identifies a handle while it lives.
    typealias Name = UInt

    let handle: UnsafeMutableRawPointer
    private let fields: UnsafeMutablePointer<curl_slist>?
    private let destinations: UnsafeMutablePointer<curl_slist>?
    private let names: UnsafeMutablePointer<curl_slist>?

    private init(
        _ handle: UnsafeMutableRawPointer,
        fields: UnsafeMutablePointer<curl_slist>?,
        destinations: UnsafeMutablePointer<curl_slist>?,
        names: UnsafeMutablePointer<curl_slist>?
    ) {
        unsafe self.handle = handle
        unsafe self.fields = fields
        unsafe self.destinations = destinations
        unsafe self.names = names
    }

    var name: Name { unsafe Name(bitPattern: handle) }

    deinit {
        unsafe curl_easy_cleanup(handle)
        unsafe curl_slist_free_all(fields)
        unsafe curl_slist_free_all(destinations)
        unsafe curl_slist_free_all(names)
    }

    /// - Parameter transfer: must outlive the handle.
    static func make(_ request: HTTPSRequest, for transfer: Transfer) throws(HTTPSError) -> EasyHandle {
        guard let handle = unsafe curl_easy_init() else { throw .library(call: "curl_easy_init", code: 0) }
        // Without "Expect" no reply is awaited that not every server sends.
        var fields = unsafe curl_slist_append(nil, "Expect:")
        for (name, value) in request.fields {
            guard let longer = unsafe curl_slist_append(fields, "\(name): \(value)") else { break }
            unsafe fields = longer
        }
        // "::" matches every host and port, of which there is one.
        let destinations = unsafe request.destination.flatMap { host, port in
            unsafe curl_slist_append(nil, "::\(host):\(port)")
        }
        let names = unsafe request.pin.flatMap { pin in
            unsafe name(pin).flatMap { unsafe curl_slist_append(nil, $0) }
        }
        let easy = unsafe EasyHandle(handle, fields: fields, destinations: destinations, names: names)
        try easy.set(request)
        try easy.set(request.patience)
        try easy.set(transfer, body: request.body)
        if request.pin != nil { try easy.setWall(transfer) }
        if request.mayBegin != nil { try easy.setBeginning(transfer) }
        return easy
    }

    /// True if a certificate of the chain is expired or not valid yet by this machine's clock. Read it after the
    /// exchange.
    ///
    /// - Source: OpenSSL's X509_V_ERR_CERT_NOT_YET_VALID and X509_V_ERR_CERT_HAS_EXPIRED, x509_vfy.h.
    var hasBadDate: Bool {
        var result = 0
        guard unsafe ccurl_verify_result(handle, &result) == CURLE_OK else { return false }
        return result == 9 || result == 10
    }

    /// "example.com:443:192.0.2.1,[2001:db8::1]", in place of a resolver; nil for an IPv6 address, which needs none.
    private static func name(_ pin: HTTPSRequest.Pin) -> String? {
        guard !pin.host.utf8.contains(UInt8(ascii: ":")) else { return nil }
        let addresses = pin.addresses.map { bytes in
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            let family = bytes.count == 4 ? AF_INET : AF_INET6
            let isText = unsafe inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil
            precondition(isText && [4, 16].contains(bytes.count), "an address has 4 or 16 bytes")
            let characters = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            return family == AF_INET ? characters : "[\(characters)]"
        }
        return "\(pin.host):\(pin.port):\(addresses.joined(separator: ","))"
    }

    private func set(_ request: HTTPSRequest) throws(HTTPSError) {
        try set(CURLOPT_URL, request.url)
        try set(CURLOPT_PROTOCOLS_STR, request.allowsPlainHTTP ? "https,http" : "https")
        try set(CURLOPT_REDIR_PROTOCOLS_STR, "https")
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try setConnection(isShared: request.sharesConnections)
        try set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        try set(CURLOPT_PATH_AS_IS, 1)
        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // Disables proxies, also one of the environment.
        try set(CURLOPT_PROXY, "")
        if case .file(let path) = request.trust {
            try set(CURLOPT_CAINFO, path)
            try set(CURLOPT_CAPATH, nil as String?)
        }
        unsafe try check(ccurl_set_list(handle, CURLOPT_HTTPHEADER, fields))
        unsafe try check(ccurl_set_list(handle, CURLOPT_CONNECT_TO, destinations))
        unsafe try check(ccurl_set_list(handle, CURLOPT_RESOLVE, names))
        if request.method == .head { try set(CURLOPT_NOBODY, 1) }
        if request.body != nil { try set(CURLOPT_UPLOAD, 1) }
        try set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    }

    /// Limits reuse to a minute, so that changes of DNS take effect. Waits for no connection that is being made
    /// (`CURLOPT_PIPEWAIT`): newer libcurl then holds requests until a server of HTTP/1.1 has answered the first.
    ///
    /// - Source: ladybird pull request 10655; seen with libcurl 8.14.
    private func setConnection(isShared: Bool) throws(HTTPSError) {
        try set(CURLOPT_HTTP_VERSION, isShared ? Int(CURL_HTTP_VERSION_2TLS) : Int(CURL_HTTP_VERSION_1_1))
        guard isShared else { return }
        try set(CURLOPT_MAXLIFETIME_CONN, 60)
    }

    private func set(_ patience: HTTPSRequest.Patience) throws(HTTPSError) {
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_CONNECTTIMEOUT, patience.connectSeconds)
        try set(CURLOPT_LOW_SPEED_LIMIT, 1)
        try set(CURLOPT_LOW_SPEED_TIME, patience.stallSeconds)
        if let seconds = patience.wholeSeconds { try set(CURLOPT_TIMEOUT, seconds) }
    }

    /// Checks every socket's address against the pin, however libcurl got it.
    private func setWall(_ transfer: Transfer) throws(HTTPSError) {
        let context = unsafe Unmanaged.passUnretained(transfer).toOpaque()
        unsafe try check(ccurl_set_pointer(handle, CURLOPT_OPENSOCKETDATA, context))
        unsafe try check(ccurl_set_open_socket(handle, Transfer.socketFunction))
    }

    private func setBeginning(_ transfer: Transfer) throws(HTTPSError) {
        let context = unsafe Unmanaged.passUnretained(transfer).toOpaque()
        unsafe try check(ccurl_set_pointer(handle, CURLOPT_PREREQDATA, context))
        unsafe try check(ccurl_set_begin(handle, Transfer.beginFunction))
    }

    private func set(_ transfer: Transfer, body: HTTPSRequest.Body?) throws(HTTPSError) {
        let context = unsafe Unmanaged.passUnretained(transfer).toOpaque()
        unsafe try check(ccurl_set_pointer(handle, CURLOPT_HEADERDATA, context))
        unsafe try check(ccurl_set_pointer(handle, CURLOPT_WRITEDATA, context))
        unsafe try check(ccurl_set_function(handle, CURLOPT_HEADERFUNCTION, Transfer.headFunction))
        unsafe try check(ccurl_set_function(handle, CURLOPT_WRITEFUNCTION, Transfer.bytesFunction))
        guard let body else { return }
        unsafe try check(ccurl_set_pointer(handle, CURLOPT_READDATA, context))
        unsafe try check(ccurl_set_function(handle, CURLOPT_READFUNCTION, Transfer.bodyFunction))
        unsafe try check(ccurl_set_offset(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(clamping: body.byteCount)))
    }

    private func set(_ option: CURLoption, _ value: Int) throws(HTTPSError) {
        unsafe try check(ccurl_set_long(handle, option, value))
    }

    private func set(_ option: CURLoption, _ value: String?) throws(HTTPSError) {
        unsafe try check(ccurl_set_text(handle, option, value))
    }

    private func check(_ code: CURLcode) throws(HTTPSError) { try Curl.check("curl_easy_setopt", code) }
}
