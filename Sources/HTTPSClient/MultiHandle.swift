internal import CCurl

/// Owns what moves one request along.
///
/// Unchecked: its one call from elsewhere, `wake`, is the one that libcurl allows from any thread.
@safe final class MultiHandle: @unchecked Sendable {
    /// Longer than anything takes that nobody wakes us for.
    private static let napMilliseconds: Int32 = 1_000

    private let handle: UnsafeMutableRawPointer

    init() throws(HTTPSError) {
        guard let handle = unsafe curl_multi_init() else { throw .library(call: "curl_multi_init", code: 0) }
        unsafe self.handle = handle
    }

    deinit { unsafe curl_multi_cleanup(handle) }

    func wake() { unsafe curl_multi_wakeup(handle) }

    /// - Parameters:
    ///   - easy: the request.
    ///   - isCancelled: asked whenever something has happened.
    /// - Returns: how it ended; nil where it was cancelled.
    /// - Throws: `.library`.
    func perform(_ easy: borrowing EasyHandle, isCancelled: () -> Bool) throws(HTTPSError) -> CURLcode? {
        try check("curl_multi_add_handle", unsafe curl_multi_add_handle(handle, easy.handle))
        defer { unsafe curl_multi_remove_handle(handle, easy.handle) }
        while !isCancelled() {
            var runningCount: Int32 = 0
            try check("curl_multi_perform", unsafe curl_multi_perform(handle, &runningCount))
            var result = CURLE_OK
            if unsafe ccurl_result(handle, &result) != 0 { return result }
            guard runningCount > 0 else { throw .library(call: "curl_multi_info_read", code: 0) }
            try check("curl_multi_poll", unsafe curl_multi_poll(handle, nil, 0, Self.napMilliseconds, nil))
        }
        return nil
    }

    private func check(_ call: String, _ code: CURLMcode) throws(HTTPSError) {
        guard code == CURLM_OK else { throw .library(call: call, code: code.rawValue) }
    }
}
