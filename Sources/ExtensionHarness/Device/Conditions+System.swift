/// The device's state as code on it meets it.
extension Device {
    /// Whether the device was unlocked since it started, and is now.
    public enum Lock: Sendable, Equatable, CaseIterable {
        /// Restarted and not unlocked since: neither protected files nor keychain items can be read.
        case beforeFirstUnlock
        /// Locked, but unlocked once since it started.
        case locked
        /// In use.
        case unlocked
    }

    /// What becomes of a write to the files that app and extension share.
    public enum Storage: Sendable, Equatable, CaseIterable {
        /// It succeeds.
        case writable
        /// Nothing new has room.
        case full
        /// Every write fails.
        case readOnly
    }

    /// Something that changes while the extension runs.
    public struct Change: Sendable, Equatable {
        /// After the push arrived.
        public var after: Duration
        /// What changes.
        public var event: Event

        /// What can change.
        public enum Event: Sendable, Equatable {
            /// The device is locked or unlocked.
            case lock(Lock)
            /// The disk fills up, say.
            case storage(Storage)
            /// The date is set, forward or back; how long things take does not change.
            case dateJumps(by: Duration)
        }

        /// - Parameters:
        ///   - after: After the push arrived.
        ///   - event: What changes.
        public init(after: Duration, _ event: Event) {
            self.after = after
            self.event = event
        }
    }

    /// How much memory an extension may take.
    ///
    /// - Source: reports from the field: 12 MB on an iPhone 5s and 7, 16 MB on an iPhone X, 24 MB since about 2020. Apple
    ///   documents no number.
    public struct MemoryLimit: Sendable, Equatable {
        /// Of memory that the process has written to.
        public var byteCount: Int

        /// - Parameter byteCount: Of memory that the process has written to.
        public init(byteCount: Int) {
            self.byteCount = byteCount
        }

        /// 24 MB, since the iPhone 11.
        public static let current = MemoryLimit(byteCount: 24 << 20)
        /// 16 MB, an iPhone X.
        public static let medium = MemoryLimit(byteCount: 16 << 20)
        /// 12 MB, an iPhone 7 and before.
        public static let small = MemoryLimit(byteCount: 12 << 20)
    }

    /// How the server that holds attachments behaves, for a fetcher in a test to obey.
    public enum AttachmentServer: Sendable, Equatable {
        /// Answers at once.
        case prompt
        /// Answers in full after this long.
        case slow(Duration)
        /// Accepts and never answers.
        case stalled
        /// Ends after this many bytes.
        case truncated(byteCount: Int)
        /// Answers at once with other bytes than were asked for.
        case lying
    }
}
