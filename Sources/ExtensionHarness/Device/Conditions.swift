public import UserNotifications

extension Device {
    /// What a device is like when a push arrives. Each has the value of an ordinary phone in an ordinary pocket at first.
    public struct Conditions: Sendable, Equatable {
        /// Whether it is locked, and was ever unlocked.
        public var lock = Lock.unlocked
        /// What becomes of writes to the files that app and extension share.
        public var storage = Storage.writable
        /// What Apple granted to the app.
        public var entitlements: Entitlements = []
        /// What the person allowed the app.
        public var alerts = Alerts.on
        /// Whether the ring switch is at silent.
        public var isMuted = false
        /// Whether a Focus is on, and what it lets through.
        public var focus = Focus.off
        /// Whether the app is in front.
        public var app = App.inBackground
        /// Whether iOS starts the extension. Now and then it stops doing so until the phone restarts.
        public var startsExtensions = true
        /// Whether a process serves one push or several.
        public var process = ProcessUse.fresh
        /// Whether the push reaches the extension more than once.
        public var repetition = Repetition.once
        /// How long an extension may take.
        public var limits = Limits()
        /// When the extension is told that its time is over.
        public var expiry = Expiry.onTime
        /// How much memory an extension may take. Enforced only where the extension has a process of its own.
        public var memoryLimit = MemoryLimit.current
        /// What a server has for the extension's attachments, by their URLs; `nil` leaves the machine's network. Only our
        /// core's downloads go there, and only in the test's process: `URLSession` knows nothing of it.
        public var attachmentFiles: [String: [UInt8]]?
        /// How that server behaves. The fetcher of an app's own has to read it.
        public var attachmentServer = AttachmentServer.prompt
        /// Hosts that are somewhere else for this device: a server on this machine that stands for a host of the
        /// internet. Only our core's downloads know of it, and `attachmentFiles` goes before.
        public var hosts: [HostMapping] = []
        /// What iOS does with an answer one of whose attachments it does not take.
        public var invalidAttachment = InvalidAttachment.discardsAnswer
        /// The person's languages, the preferred one first: `de-AT`, say.
        public var languages = ["en"]
        /// The installed app's folder, with its `<language>.lproj` folders; `nil` for an app without translations.
        public var appBundle: URL?
        /// A folder with one folder for each app group; `nil` for what `SEALEDPUSH_APP_GROUPS` in the environment says.
        public var appGroups: URL?
        /// The date that the device shows when the push arrives; `nil` for the machine's.
        public var date: Date?
        /// What changes while the extension runs.
        public var changes: [Change] = []
        /// How time passes.
        public var timekeeping = Timekeeping.automatic()

        /// Creates the conditions of an ordinary phone.
        public init() {}

        /// The same conditions but for what `change` sets.
        ///
        /// - Parameter change: Sets what is different.
        /// - Returns: The changed copy.
        public func with(_ change: (inout Conditions) -> Void) -> Conditions {
            var copy = self
            change(&copy)
            return copy
        }
    }
}
