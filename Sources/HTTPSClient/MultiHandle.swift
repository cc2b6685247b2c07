internal import CCurl

/// Drives requests and keeps their connections.
///
/// Unchecked: `wake` is the only method called on other threads, and libcurl allows it on any thread.
@safe final class MultiHandle: @unchecked Sendable {
    /// Time that exceeds anything that does not wake it.
    private static let napMilliseconds: Int32 = 1_000

    /// Idle connections that are kept. By itself libcurl keeps four for each running request, and closes them after a
    /// burst.
    private static let idleConnectionCountMax = 128

    private let handle: UnsafeMutableRawPointer

    init() throws(HTTPSError) {
        try Curl.start()
        guard let handle = unsafe curl_multi_init() else { throw .library(call: "curl_multi_init", code: 0) }
        unsafe self.handle = handle
        let code = unsafe ccurl_multi_set_long(handle, CURLMOPT_MAXCONNECTS, Self.idleConnectionCountMax)
        try check("curl_multi_setopt", code)
    }

    deinit { unsafe curl_multi_cleanup(handle) }

    func wake() { unsafe curl_multi_wakeup(handle) }

    /// - Parameter easy: must live until `remove`.
    func add(_ easy: borrowing EasyHandle) throws(HTTPSError) {
        try check("curl_multi_add_handle", unsafe curl_multi_add_handle(handle, easy.handle))
    }

    /// Cancels a request, or releases an ended one.
    func remove(_ easy: borrowing EasyHandle) { unsafe curl_multi_remove_handle(handle, easy.handle) }

    /// Does all work that needs no waiting.
    func perform() throws(HTTPSError) {
        var runningCount: Int32 = 0
        try check("curl_multi_perform", unsafe curl_multi_perform(handle, &runningCount))
    }

    /// Returns the next request that has ended.
    func nextEnd() -> (easy: EasyHandle.Name, result: CURLcode)? {
        var easy: UnsafeMutableRawPointer?
        var result = CURLE_OK
        guard unsafe ccurl_end(handle, &easy, &result) != 0, let easy = unsafe easy else { return nil }
        return (EasyHandle.Name(bitPattern: easy), result)
    }

    func wait() throws(HTTPSError) {
        try check("curl_multi_poll", unsafe curl_multi_poll(handle, nil, 0, Self.napMilliseconds, nil))
    }

    private func check(_ call: String, _ code: CURLMcode) throws(HTTPSError) {
        guard code == CURLM_OK else { throw .library(call: call, code: code.rawValue) }
    }
}
