internal import CCurl

/// libcurl itself: begun once in a process, before its first handle.
enum Curl {
    private static let startCode = curl_global_init(Int(CURL_GLOBAL_SSL))

    static func start() throws(HTTPSError) { try check("curl_global_init", startCode) }

    static func check(_ call: String, _ code: CURLcode) throws(HTTPSError) {
        guard code == CURLE_OK else { throw .library(call: call, code: Int32(bitPattern: code.rawValue)) }
    }
}

/// Owns one request as libcurl knows it.
@safe struct EasyHandle: ~Copyable {
    let handle: UnsafeMutableRawPointer
    private let fields: UnsafeMutablePointer<curl_slist>?
    private let destinations: UnsafeMutablePointer<curl_slist>?

    private init(
        _ handle: UnsafeMutableRawPointer,
        fields: UnsafeMutablePointer<curl_slist>?,
        destinations: UnsafeMutablePointer<curl_slist>?
    ) {
        unsafe self.handle = handle
        unsafe self.fields = fields
        unsafe self.destinations = destinations
    }

    deinit {
        unsafe curl_easy_cleanup(handle)
        unsafe curl_slist_free_all(fields)
        unsafe curl_slist_free_all(destinations)
    }

    /// - Parameters:
    ///   - request: what to ask.
    ///   - transfer: takes the answer; has to outlive the handle.
    /// - Returns: the request, not sent yet.
    /// - Throws: `.library`.
    static func make(_ request: HTTPSRequest, for transfer: Transfer) throws(HTTPSError) -> EasyHandle {
        guard let handle = unsafe curl_easy_init() else { throw .library(call: "curl_easy_init", code: 0) }
        // "Expect" would wait for a word that not every server says.
        var fields = unsafe curl_slist_append(nil, "Expect:")
        for (name, value) in request.fields {
            guard let longer = unsafe curl_slist_append(fields, "\(name): \(value)") else { break }
            unsafe fields = longer
        }
        // From every host and port, of which there is one: "::" and where to go.
        let destinations = unsafe request.destination.flatMap { host, port in
            unsafe curl_slist_append(nil, "::\(host):\(port)")
        }
        let easy = unsafe EasyHandle(handle, fields: fields, destinations: destinations)
        try easy.set(request)
        try easy.set(request.patience)
        try easy.set(transfer, body: request.body)
        return easy
    }

    private func set(_ request: HTTPSRequest) throws(HTTPSError) {
        try set(CURLOPT_URL, request.url)
        try set(CURLOPT_PROTOCOLS_STR, "https")
        try set(CURLOPT_REDIR_PROTOCOLS_STR, "https")
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        try set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        try set(CURLOPT_PATH_AS_IS, 1)
        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // Empty is none, also where the environment names one.
        try set(CURLOPT_PROXY, "")
        if case .file(let path) = request.trust {
            try set(CURLOPT_CAINFO, path)
            try set(CURLOPT_CAPATH, nil as String?)
        }
        unsafe try check(ccurl_set_list(handle, CURLOPT_HTTPHEADER, fields))
        unsafe try check(ccurl_set_list(handle, CURLOPT_CONNECT_TO, destinations))
        if request.method == .head { try set(CURLOPT_NOBODY, 1) }
        if request.body != nil { try set(CURLOPT_UPLOAD, 1) }
        try set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    }

    private func set(_ patience: HTTPSRequest.Patience) throws(HTTPSError) {
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_CONNECTTIMEOUT, patience.connectSeconds)
        try set(CURLOPT_LOW_SPEED_LIMIT, 1)
        try set(CURLOPT_LOW_SPEED_TIME, patience.stallSeconds)
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
