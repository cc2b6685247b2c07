internal import Envelope

/// A host that speaks `sealedpush-blobs`' API, and the token that lets one upload to it.
public struct BlobHost: Sendable {
    /// "https://blobs.example.com:8443", without a path.
    let origin: String
    let token: String

    /// Nil unless the URL is `https` with a host, perhaps a port, and no path, and the token visible ASCII.
    ///
    /// - Parameters:
    ///   - url: "https://blobs.example.com", say.
    ///   - token: as the host's operator gave it.
    public init?(url: String, token: String) {
        let origin = url.hasSuffix("/") ? String(url.dropLast()) : url
        guard let parsed = AttachmentURL(origin + "/"), parsed.path == "/", !origin.contains("?"),
            !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.origin = origin
        self.token = token
    }

    /// What a `Location` of the host's own names.
    func url(_ path: String) -> AttachmentURL? {
        path.hasPrefix("/") ? AttachmentURL(origin + path) : nil
    }
}
