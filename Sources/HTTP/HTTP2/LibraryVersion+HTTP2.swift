private import CNGHTTP2
package import Networking

extension LibraryVersion {
    /// `1.52.0`.
    package static var nghttp2: String {
        guard let information = unsafe nghttp2_version(0) else { return "" }
        return unsafe String(cString: information.pointee.version_str)
    }
}
