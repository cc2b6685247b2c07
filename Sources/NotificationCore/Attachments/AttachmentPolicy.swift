internal import Envelope

/// What an app's constants say about attachments: where they may come from, and how much of them.
///
///     AttachmentPolicy(sources: [.init(host: "files.example.com", pathPrefix: "/v1/blobs/")])
///
/// A sender writes the address. Without a list of hosts, one could see from which network, and when, a device opens its
/// messages (protocol v1, rule 41).
public struct AttachmentPolicy: Hashable, Sendable {
    /// A place that may be asked.
    public struct Source: Hashable, Sendable {
        /// As it stands in URLs: a name in lower case, `localhost`, or an address.
        public let host: String
        /// 443 unless the app's host has another.
        public let port: UInt16
        /// What every path there begins with: `/v1/blobs/`.
        public let pathPrefix: String

        /// - Parameters:
        ///   - host: a name in lower case, `localhost`, or an address; no wildcard.
        ///   - port: 443 unless the app's host has another.
        ///   - pathPrefix: begins and ends with a slash.
        public init(host: String, port: UInt16 = 443, pathPrefix: String) {
            let url = AttachmentURL("https://\(host):\(port)\(pathPrefix)")
            precondition(url?.host == host && url?.path == pathPrefix && pathPrefix.hasSuffix("/"))
            self.host = host
            self.port = port
            self.pathPrefix = pathPrefix
        }
    }

    /// Where attachments may come from; anywhere else is not asked.
    public var sources: [Source]
    /// Of all files of one message together, in bytes: what it may fetch over a person's mobile network.
    public var byteCountMax: UInt64 = 60_000_000
    /// Width times height of a picture: a small file can be a picture that no phone can decode.
    public var pixelCountMax: UInt64 = 50_000_000
    /// How often a download that broke off is taken up again, for each attachment.
    public var retryCountMax = 3

    /// - Parameter sources: where attachments may come from.
    public init(sources: [Source]) { self.sources = sources }

    /// - Returns: whether the app allows this address.
    func allows(_ url: AttachmentURL) -> Bool {
        sources.contains { source in
            source.host == url.host && source.port == url.port && url.path.hasPrefix(source.pathPrefix)
                && url.path.utf8.count > source.pathPrefix.utf8.count
        }
    }
}
