private import CCurl

package enum CurlLibrary {
    /// Loaded version, such as `7.88.1`, not the one compiled against.
    package static var version: String {
        guard let information = unsafe curl_version_info(CURLVERSION_FIRST) else { return "" }
        return unsafe information.pointee.version.map { unsafe String(cString: $0) } ?? ""
    }
}
