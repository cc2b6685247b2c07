package import Envelope
package import ServiceParts

/// Checked configuration; files that it names are not opened yet.
package struct SidecarConfiguration: Equatable, Sendable {
    /// Plain HTTP on 127.0.0.1, with a token: every local user, and every page in a browser, reaches it.
    package struct Loopback: Equatable, Sendable {
        /// 0: any.
        package let port: UInt16
        package let tokenFile: String
    }

    package struct Relay: Equatable, Sendable {
        /// Without a path: `https://push.example.com:8443`, or plain HTTP to this machine.
        package let origin: String
        package let keyFile: String
        /// PEM; nil for the system's authorities.
        package let authoritiesFile: String?

        package var isPlain: Bool { origin.hasPrefix("http://") }
    }

    /// Host that runs `sealedpush-blobs`.
    package struct Attachments: Equatable, Sendable {
        package let origin: String
        package let tokenFile: String
        package let authoritiesFile: String?
        /// Host as devices reach it; nil: as `origin`.
        package let publicOrigin: String?
        /// Folder of files given by path; nil: none is read.
        package let folder: String?
    }

    /// nil with `loopback`: none.
    package let socket: SocketFile.Place?
    package let loopback: Loopback?
    package let databaseFile: String
    package let senderKeyFile: String
    package let topic: BundleID
    package let relay: Relay
    package let attachments: Attachments?
    package let limits: SidecarLimits
}

package struct SidecarLimits: Equatable, Sendable {
    /// Of a request, with attachments in base64.
    package var bodyByteCountMax = 16 << 20
    /// Of a message.
    package var recipientCountMax = 1_000
    /// Recipients whose copy the relay has not acknowledged.
    package var queuedCountMax = 100_000
    /// The same, in bytes of sealed text.
    package var queuedByteCountMax = 512 << 20
    /// Minutes that words stay in memory for re-sends; 0: none.
    package var wordsMinutes = 0
    /// Hours that a settled message's state can be asked for.
    package var retentionHours = 24
    /// Seconds after SIGTERM.
    package var drainSeconds = 10

    package init() {}
}
