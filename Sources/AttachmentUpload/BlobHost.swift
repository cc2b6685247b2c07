internal import Envelope

/// Host of `sealedpush-blobs`, with a token for uploads.
public struct BlobHost: Sendable {
    /// "https://blobs.example.com:8443", without a path.
    let origin: String
    let token: String

    /// Creates a host; nil unless the URL is `https` without a path, and the token visible ASCII.
    public init?(url: String, token: String) {
        let origin = url.hasSuffix("/") ? String(url.dropLast()) : url
        guard let parsed = AttachmentURL(origin + "/"), parsed.path == "/", !origin.contains("?"),
            !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.origin = origin
        self.token = token
    }

    func url(_ path: String) -> AttachmentURL? {
        path.hasPrefix("/") ? AttachmentURL(origin + path) : nil
    }
}
