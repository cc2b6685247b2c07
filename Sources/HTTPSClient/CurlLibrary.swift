private import CCurl

/// The library that webhooks go through.
package enum CurlLibrary {
    /// As it names itself, `7.88.1`: of what was loaded, and not of what was compiled against.
    package static var version: String {
        guard let information = unsafe curl_version_info(CURLVERSION_FIRST) else { return "" }
        return unsafe information.pointee.version.map { unsafe String(cString: $0) } ?? ""
    }
}
