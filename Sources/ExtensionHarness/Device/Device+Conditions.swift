public import UserNotifications

extension Device {
    /// State of a device when a push arrives. The defaults describe an ordinary phone.
    public struct Conditions: Sendable, Equatable {
        /// Lock state since the start.
        public var lock = Lock.unlocked
        /// Result of writes to the files that app and extension share.
        public var storage = Storage.writable
        /// Entitlements that Apple granted to the app.
        public var entitlements: Entitlements = []
        /// Person's permission to notify.
        public var alerts = Alerts.on
        /// True while the ring switch is at silent.
        public var isMuted = false
        /// Focus, and the notifications that it allows.
        public var focus = Focus.off
        /// App's place on the screen.
        public var app = App.inBackground
        /// False where iOS does not start the extension: now and then it stops doing so until the phone restarts.
        public var startsExtensions = true
        /// Pushes that one process serves.
        public var process = ProcessUse.fresh
        /// Times that the push reaches the extension.
        public var repetition = Repetition.once
        /// Time limits of the extension.
        public var limits = Limits()
        /// Time of the expiry call.
        public var expiry = Expiry.onTime
        /// Memory limit of the extension. Enforced only for an extension in its own process.
        public var memoryLimit = MemoryLimit.current
        /// Attachments on the server, by URL; `nil` leaves the machine's network. Only for our core's downloads in the
        /// test's process, not `URLSession`.
        public var attachmentFiles: [String: [UInt8]]?
        /// Behavior of that server. An app's own fetcher has to read it.
        public var attachmentServer = AttachmentServer.prompt
        /// Hosts of the internet that this machine stands in for. Only our core's downloads use them, and
        /// `attachmentFiles` goes first.
        public var hosts: [HostMapping] = []
        /// Treatment of an answer with an attachment that iOS does not accept.
        public var invalidAttachment = InvalidAttachment.discardsAnswer
        /// Person's languages, the preferred one first, such as `de-AT`.
        public var languages = ["en"]
        /// Installed app's folder, with its `<language>.lproj` folders; `nil` without translations.
        public var appBundle: URL?
        /// Folder with one folder for each app group; `nil` for the value of `SEALEDPUSH_APP_GROUPS` in the
        /// environment.
        public var appGroups: URL?
        /// Device's date when the push arrives; `nil` for the machine's.
        public var date: Date?
        /// Changes while the extension runs.
        public var changes: [Change] = []
        /// Passage of time while the extension runs.
        public var timekeeping = Timekeeping.automatic()

        /// Creates the conditions of an ordinary phone.
        public init() {}

        /// Copies the conditions with changes.
        public func with(_ change: (inout Conditions) -> Void) -> Conditions {
            var copy = self
            change(&copy)
            return copy
        }
    }
}
