internal import Envelope

/// Limits on attachments.
///
///     AttachmentPolicy(sources: [.init(host: "files.example.com", pathPrefix: "/v1/blobs/")])
///
/// Senders choose the address: without a host list they could see when, and on which network, a device opens messages
/// (protocol v1, rule 41).
public struct AttachmentPolicy: Hashable, Sendable {
    /// Allowed source.
    public struct Source: Hashable, Sendable {
        /// Lower-case name, `localhost` or address, as in URLs.
        public let host: String
        /// 443 by default.
        public let port: UInt16
        /// Start of every path: `/v1/blobs/`.
        public let pathPrefix: String

        /// Creates a source: no wildcard; the prefix begins and ends with a slash.
        public init(host: String, port: UInt16 = 443, pathPrefix: String) {
            let url = AttachmentURL("https://\(host):\(port)\(pathPrefix)")
            precondition(url?.host == host && url?.path == pathPrefix && pathPrefix.hasSuffix("/"))
            self.host = host
            self.port = port
            self.pathPrefix = pathPrefix
        }
    }

    /// Allowed sources; no other is contacted.
    public var sources: [Source]
    /// Bytes per message, perhaps over a mobile network.
    public var byteCountMax: UInt64 = 60_000_000
    /// Pixels per picture: a small file can hold more than phones decode.
    public var pixelCountMax: UInt64 = 50_000_000
    /// Retries per attachment.
    public var retryCountMax = 3

    /// Creates a policy.
    public init(sources: [Source]) { self.sources = sources }

    func allows(_ url: AttachmentURL) -> Bool {
        sources.contains { source in
            source.host == url.host && source.port == url.port && url.path.hasPrefix(source.pathPrefix)
                && url.path.utf8.count > source.pathPrefix.utf8.count
        }
    }
}
