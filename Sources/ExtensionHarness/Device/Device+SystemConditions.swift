/// Device's state as seen by code on it.
extension Device {
    /// Lock state since the device started.
    public enum Lock: Sendable, Equatable, CaseIterable {
        /// Not unlocked since the restart: neither protected files nor keychain items are readable.
        case beforeFirstUnlock
        /// Locked, but unlocked once since the start.
        case locked
        /// Unlocked, in use.
        case unlocked
    }

    /// Result of writes to the files that app and extension share.
    public enum Storage: Sendable, Equatable, CaseIterable {
        /// Writes succeed.
        case writable
        /// No room for anything new.
        case full
        /// Every write fails.
        case readOnly
    }

    /// A change while the extension runs.
    public struct Change: Sendable, Equatable {
        /// Time after the push arrived.
        public var after: Duration
        /// Change itself.
        public var event: Event

        /// Kind of change.
        public enum Event: Sendable, Equatable {
            /// Device locked or unlocked.
            case lock(Lock)
            /// The state of storage changes; for example, the disk fills up.
            case storage(Storage)
            /// The date is set; durations do not change.
            case dateJumps(by: Duration)
            /// Memory pressure, for `DispatchSource.makeMemoryPressureSource`.
            case memoryPressure(MemoryPressure)
        }

        /// Creates a change of the device's state.
        ///
        /// - Parameters:
        ///   - after: From the push's arrival.
        ///   - event: The change.
        public init(after: Duration, _ event: Event) {
            self.after = after
            self.event = event
        }
    }

    /// Level of memory pressure.
    public enum MemoryPressure: String, Sendable, Equatable, Codable {
        /// Back to normal.
        case normal
        /// Memory is short.
        case warning
        /// Memory is nearly out.
        case critical
    }

    /// Memory limit of an extension.
    ///
    /// - Source: reports from the field: 12 MB on an iPhone 5s and 7, 16 MB on an iPhone X, 24 MB since about 2020.
    ///   Apple documents none.
    public struct MemoryLimit: Sendable, Equatable {
        /// Bytes that the process has written to.
        public var byteCount: Int

        /// Creates a limit on memory that the process has written to.
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

    /// Behavior of the attachment server, to be obeyed by a test's fetcher.
    public enum AttachmentServer: Sendable, Equatable {
        /// Answers at once.
        case prompt
        /// Answers in full after this long.
        case slow(Duration)
        /// Accepts and never answers.
        case stalled
        /// Ends after this many bytes.
        case truncated(byteCount: Int)
        /// Answers at once with other bytes than the file's.
        case lying
    }
}
