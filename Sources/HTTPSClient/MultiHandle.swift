internal import CCurl

/// Owns what moves requests along, and the connections between them.
///
/// Unchecked: its one call from elsewhere, `wake`, is the one that libcurl allows from any thread.
@safe final class MultiHandle: @unchecked Sendable {
    /// Longer than anything takes that does not wake it.
    private static let napMilliseconds: Int32 = 1_000

    private let handle: UnsafeMutableRawPointer

    init() throws(HTTPSError) {
        try Curl.start()
        guard let handle = unsafe curl_multi_init() else { throw .library(call: "curl_multi_init", code: 0) }
        unsafe self.handle = handle
    }

    deinit { unsafe curl_multi_cleanup(handle) }

    func wake() { unsafe curl_multi_wakeup(handle) }

    /// Begins a request, which has to outlive its place here.
    func add(_ easy: borrowing EasyHandle) throws(HTTPSError) {
        try check("curl_multi_add_handle", unsafe curl_multi_add_handle(handle, easy.handle))
    }

    /// Breaks a request off, or lets go of one that has ended.
    func remove(_ easy: borrowing EasyHandle) { unsafe curl_multi_remove_handle(handle, easy.handle) }

    /// Does what can be done at once.
    func perform() throws(HTTPSError) {
        var runningCount: Int32 = 0
        try check("curl_multi_perform", unsafe curl_multi_perform(handle, &runningCount))
    }

    /// - Returns: a request that has ended, and how; nil where none has since.
    func nextEnd() -> (easy: EasyHandle.Name, result: CURLcode)? {
        var easy: UnsafeMutableRawPointer?
        var result = CURLE_OK
        guard unsafe ccurl_end(handle, &easy, &result) != 0, let easy = unsafe easy else { return nil }
        return (EasyHandle.Name(bitPattern: easy), result)
    }

    /// Waits until something can be done, or `wake`.
    func wait() throws(HTTPSError) {
        try check("curl_multi_poll", unsafe curl_multi_poll(handle, nil, 0, Self.napMilliseconds, nil))
    }

    private func check(_ call: String, _ code: CURLMcode) throws(HTTPSError) {
        guard code == CURLM_OK else { throw .library(call: call, code: code.rawValue) }
    }
}
